# SPDX-License-Identifier: Apache-2.0
"""The README's commands work and print what it shows; its make targets and variables exist.

A fenced block of the README or docs/*.md that starts with ```sh test is run; a ```text output block after it must be in what
was printed, line by line, `...` standing for anything. In every other ```sh block the make commands are checked by name.
The commands run in the build folder $BUILD, which is the test's own.
"""
import os
import re
import shlex
import subprocess
import unittest

from repo_files import ROOT

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "models/MODEL_CARD.md"]


def commands(body):
    """The commands of a sh block: its lines, without comments, backslashes joined."""
    lines = body.replace("\\\n", " ").splitlines()
    return [line for line in (re.sub(r"(^|\s)#.*", "", raw).strip() for raw in lines) if line]


def taught():
    """Pages whose commands other tests run."""
    return sorted([*(ROOT / "docs/tutorials").glob("*.md"), *(ROOT / "exercises").glob("**/README.md")])


def blocks(of=None):
    """(page, language, marks, body, next block's (marks, body) or None) for every fenced block."""
    for page in of or pages():
        found = BLOCK.findall(page.read_text())
        for i, (language, marks, body) in enumerate(found):
            following = found[i + 1] if i + 1 < len(found) else None
            yield page.name, language, marks.strip(), body, following


def known_names():
    """(targets, variables) that `make usage` prints, before its examples."""
    printed = subprocess.run(["make", "-s", "usage"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets, _, rest = printed.partition("\nVariables:\n")
    names = re.compile(r"^  ([A-Za-z0-9_]+) ", re.M)
    return set(names.findall(targets)), set(names.findall(rest.partition("\nExamples:\n")[0]))


def missing_line(expected, printed):
    """The first line of `expected` that is not in `printed` after the one before it; None if all are."""
    position = 0
    for line in filter(None, map(str.rstrip, expected.splitlines())):
        parts = [r"\s+".join(map(re.escape, part.split())) for part in line.split("...")]
        hit = re.compile(r"[^\n]*".join(parts)).search(printed, position)
        if not hit:
            return line
        position = hit.end()
    return None


class ReadmeTest(unittest.TestCase):
    def test_marked_commands_run_and_print_what_is_shown(self):
        build = os.environ.get("BUILD", "build/release")
        environment = {**os.environ, "BUILD": build, "INSTALL": "0"}
        ran = 0
        for page, language, marks, body, following in blocks():
            if (language, marks) != ("sh", "test"):
                continue
            printed = ""
            for command in commands(body):
                with self.subTest(page=page, command=command):
                    here = re.sub(r"\bbuild/release\b", build, command)
                    done = subprocess.run(["bash", "-c", here], cwd=ROOT, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    printed += done.stdout
                    ran += 1
            if following and following[:2] == ("text", " output"):
                with self.subTest(page=page, block=body):
                    self.assertIsNone(missing_line(following[2], printed), printed)
        self.assertGreater(ran, 0, "no block is marked ```sh test")

    def test_scripts_compile(self):
        for page, language, _, body, _ in blocks():
            if language == "python":
                with self.subTest(page=page):
                    compile(body, page, "exec")

    def test_every_make_command_names_targets_and_variables_that_exist(self):
        known = set.union(*known_names())
        for page, language, _, body, _ in blocks([*pages(), *taught()]):
            for command in commands(body) if language == "sh" else []:
                words = shlex.split(command)
                for word in words[1:] if words[0] == "make" else []:
                    with self.subTest(page=page, command=command):
                        self.assertIn(word.partition("=")[0], known)

    def test_every_variable_in_backticks_exists(self):
        _, known = known_names()
        text = (ROOT / "README.md").read_text()
        for name in set(re.findall(r"`([A-Z][A-Z_]+)=[^`]*`", text)):
            with self.subTest(variable=name):
                self.assertIn(name, known)

    def test_every_target_is_in_the_readme(self):
        text = (ROOT / "README.md").read_text()
        for target in known_names()[0]:
            with self.subTest(target=target):
                self.assertTrue(f"`make {target}`" in text, "not in the README")

    def test_missing_lines_are_found(self):
        self.assertIsNone(missing_line("a ... c\nd\n", "x\na b c\nd\n"))
        self.assertEqual(missing_line("d\na\n", "a\nd\n"), "a")


if __name__ == "__main__":
    unittest.main()
