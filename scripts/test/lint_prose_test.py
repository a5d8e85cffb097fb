# SPDX-License-Identifier: Apache-2.0
"""scripts/lint_prose tells sentences apart, counts their words, and finds each one that is too long."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

LINT = pathlib.Path(__file__).resolve().parents[1] / "lint_prose"
LOADER = importlib.machinery.SourceFileLoader("lint_prose", str(LINT))
LINT_PROSE = importlib.util.module_from_spec(importlib.util.spec_from_loader("lint_prose", LOADER))
LOADER.exec_module(LINT_PROSE)

PAGE = """# A heading is no sentence

One is here. `code --with words` is one word, with
[a link](of/a/page.md#and-anchor). Version 1.2 ends nothing. [a.md](a.md) is one more.

- An item (of a list).
- Another

```sh
a block is left out
```

| header | of a table |
|---|---|
| a cell | Two sentences. Both count. |

![A picture is described.](picture.svg)
"""


class LintProseTest(unittest.TestCase):
    def test_sentences_are_told_apart(self):
        self.assertEqual(
            [f"{'|' if in_table else ''}{sentence}" for sentence, in_table in LINT_PROSE.sentences_of(PAGE)],
            [
                "One is here.",
                "Code is one word, with a link.",
                "Version 1.2 ends nothing.",
                "a.md is one more.",
                "An item (of a list).",
                "Another",
                "|header",
                "|of a table",
                "|a cell",
                "|Two sentences.",
                "|Both count.",
                "A picture is described.",
            ],
        )

    def test_words_are_counted(self):
        self.assertEqual(LINT_PROSE.words_of("a = b + 1, or well-known x"), 6)

    def run_on(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(text)
            return subprocess.run([LINT, page], capture_output=True, text=True)

    def test_31_words_are_too_many_wherever_they_are(self):
        for form in ("{}.\n", "- {}.\n", "| a | {} |\n|---|---|\n"):
            self.assertEqual(self.run_on(form.format("word " * 30)).returncode, 0)
            long = self.run_on(form.format("word " * 31))
            self.assertEqual(long.returncode, 1)
            self.assertIn("page.md: 31 words; up to 30 work: word", long.stderr)

    def test_an_exception_excuses_one_sentence_and_must_be_needed(self):
        exceptions = [("page.md", "A list of", "names")]
        long = "A list of " + "names, " * 30
        self.assertEqual(LINT_PROSE.faults_of("page.md", long, exceptions), [])
        self.assertEqual(len(LINT_PROSE.faults_of("other.md", long, exceptions)), 1)
        self.assertEqual(len(LINT_PROSE.faults_of("page.md", "Short.", exceptions)), 1)

    def test_a_missing_page_is_named(self):
        done = subprocess.run([LINT, "nothing.md"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing.md: no such page", done.stderr)


if __name__ == "__main__":
    unittest.main()
