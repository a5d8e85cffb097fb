# SPDX-License-Identifier: Apache-2.0
"""The commands of the README and of docs/ work and print what the pages show; their make targets and variables exist.

A fenced block of the README or docs/*.md that starts with ```sh test is run, or with ```sh long if $KIND is long; a
```text output block after it must be in what was printed, line by line, `...` standing for anything. In every other
```sh block the make commands are checked by name. The commands run in the build folder $BUILD, which is the test's own.
"""
import os
import re
import shlex
import subprocess
import unittest

from page_steps import BLOCK, commands, follow, missing_line
from repo_files import ROOT


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "models/MODEL_CARD.md"]


def taught():
    """Pages whose commands other tests run."""
    return sorted([*(ROOT / "docs/tutorials").glob("*.md"), *(ROOT / "exercises").glob("**/README.md")])


def blocks(of=None):
    """(page, language, body) of every fenced block."""
    for page in of or pages():
        for language, _, body in BLOCK.findall(page.read_text()):
            yield page.name, language, body


def known_names():
    """(targets, variables) that `make usage` prints, before its examples."""
    printed = subprocess.run(["make", "-s", "usage"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets, _, rest = printed.partition("\nVariables:\n")
    names = re.compile(r"^  ([A-Za-z0-9_]+) ", re.M)
    return set(names.findall(targets)), set(names.findall(rest.partition("\nExamples:\n")[0]))


class ReadmeTest(unittest.TestCase):
    def test_marked_commands_run_and_print_what_is_shown(self):
        build, kind = os.environ.get("BUILD", "build/release"), os.environ.get("KIND", "test")
        self.assertGreater(
            sum(follow(self, page, (kind,), ROOT, build) for page in pages()), 0, f"no block is marked ```sh {kind}"
        )

    def test_scripts_compile(self):
        for page, language, body in blocks():
            if language == "python":
                with self.subTest(page=page):
                    compile(body, page, "exec")

    def test_every_make_command_names_targets_and_variables_that_exist(self):
        known = set.union(*known_names())
        for page, language, body in blocks([*pages(), *taught()]):
            for command in commands(body) if language == "sh" else []:
                words = shlex.split(command)
                for word in words[1:] if words[0] == "make" else []:
                    with self.subTest(page=page, command=command):
                        self.assertIn(word.partition("=")[0], known)

    def test_every_variable_in_backticks_exists(self):
        _, known = known_names()
        text = "".join((ROOT / page).read_text() for page in ("README.md", "docs/usage.md", "docs/results.md"))
        for name in set(re.findall(r"`([A-Z][A-Z_]+)=[^`]*`", text)):
            with self.subTest(variable=name):
                self.assertIn(name, known)

    def test_every_target_is_on_the_page_of_usage(self):
        text = (ROOT / "docs/usage.md").read_text()
        for target in known_names()[0]:
            with self.subTest(target=target):
                self.assertTrue(f"`make {target}`" in text, "not in docs/usage.md")

    def test_missing_lines_are_found(self):
        self.assertIsNone(missing_line("a ... c\nd\n", "x\na b c\nd\n"))
        self.assertEqual(missing_line("d\na\n", "a\nd\n"), "a")


if __name__ == "__main__":
    unittest.main()
