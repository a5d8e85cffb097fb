# SPDX-License-Identifier: Apache-2.0
"""scripts/lint_commits finds each fault of a message, excuses merges, and checks what a shallow clone has."""
import pathlib
import subprocess
import tempfile
import unittest

LINT = pathlib.Path(__file__).resolve().parents[1] / "lint_commits"
GOOD = "mapping: walk the rows once\n\nThe second walk read what the first one had."


class LintCommitsTest(unittest.TestCase):
    def setUp(self):
        self.repo = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "repo")
        self.repo.mkdir()
        self.git("init", "-q", "-b", "main")
        self.base = self.commit("An old one, " + "of a long subject " * 9)

    def git(self, *words, cwd=None):
        words = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(words, cwd=cwd or self.repo, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, message):
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
        return self.git("rev-parse", "HEAD")

    def lint(self, *base, cwd=None):
        done = subprocess.run([LINT, *base], cwd=cwd or self.repo, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_each_fault_is_found(self):
        self.commit(GOOD)
        self.assertEqual(self.lint(self.base), (0, f"lint_commits: {self.base}..HEAD: 0 found\n"))
        for message, fault in (
            ("x" * 73 + "\n\nWhy.", "a subject of 73 characters; at most 72"),
            ("part: does it", "no body"),
            ("part: does it\nwhy", "no blank line"),
            ("part: does it\n\n", "no body"),
        ):
            with self.subTest(message):
                before = self.git("rev-parse", "HEAD")
                self.commit(message)
                status, said = self.lint(before)
                self.assertEqual(status, 1)
                self.assertRegex(said, f"{fault}.*\nlint_commits: .*: 1 found")
        self.assertEqual(self.lint("HEAD")[0], 0)

    def test_characters_are_counted_and_merges_excused(self):
        self.commit("é" * 72 + "\n\nWhy.")
        self.git("checkout", "-q", "-b", "other", self.base)
        self.commit(GOOD)
        self.git("merge", "-q", "--no-ff", "-m", "Merge " + "x" * 90, "main")
        self.assertEqual(self.lint(self.base)[0], 0)

    def test_a_shallow_clone_is_checked_as_far_as_it_goes(self):
        self.commit("part: does it")
        self.commit(GOOD)
        for depth, status in ((1, 0), (2, 1)):
            clone = self.repo.parent / f"depth{depth}"
            self.git("clone", "-q", f"--depth={depth}", f"file://{self.repo}", str(clone))
            self.assertEqual(self.lint(cwd=clone)[0], status)

    def test_another_history_is_not_checked(self):
        self.assertEqual(self.lint()[0], 0)
        self.assertIn("there is no commit", self.lint()[1])
        self.assertEqual(self.lint("nowhere")[0], 2)


if __name__ == "__main__":
    unittest.main()
