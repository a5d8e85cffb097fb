# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/how_to.md work, and cost what its table says.

A recipe is a heading with a ```diff block, commands in ```sh recipe blocks and, where its last command prints something
to look for, a ```text output block. The diffs are applied to a copy of the repository in $BUILD/recipes, which is built
there; a second run builds what changed. What the tutorials do in such a copy (page_steps.py) is done there too. Golden
texts that a diff adds, and commands with an output block, must fail with the compiler of $BUILD, which lacks them.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from page_steps import BLOCK, PAGES, commands, follow, missing_line
from repo_files import ROOT, repo_files

PAGE = (ROOT / "docs/how_to.md").read_text()
BUILD = (ROOT / os.environ.get("BUILD", "build/release")).resolve()
COPY = BUILD / "recipes"
IS_TEST = re.compile(r"/test/|_test\.cpp$|/tb_\w+\.cpp$")


class Recipe:
    """What stands under a heading of the page."""

    def __init__(self, heading, body):
        self.name = heading
        blocks = [(language, marks.strip(), text) for language, marks, text in BLOCK.findall(body)]
        self.diff = "".join(text for language, _, text in blocks if language == "diff")
        self.commands = [
            c for language, marks, text in blocks if (language, marks) == ("sh", "recipe") for c in commands(text)
        ]
        self.output = "".join(text for language, marks, text in blocks if (language, marks) == ("text", "output"))
        self.new_files, self.lines, self.golden_texts = self.count()

    def count(self):
        """(new files, lines added to others, new golden texts); of the former two, tests are left out."""
        new_files, lines, golden_texts = 0, 0, []
        for part in re.split(r"^diff --git ", self.diff, flags=re.M)[1:]:
            path = re.match(r"a/(\S+)", part)[1]
            is_new = "\n--- /dev/null\n" in part
            if is_new and re.match(r"compiler/test/.*\.txt$", path):
                golden_texts.append(path)
            if IS_TEST.search(path):
                continue
            new_files += is_new
            lines += 0 if is_new else len(re.findall(r"^\+(?!\+\+ )", part, re.M))
        return new_files, lines, golden_texts


def recipes():
    parts = re.split(r"^## (.*)$", PAGE, flags=re.M)
    return [r for r in map(Recipe, parts[1::2], parts[2::2]) if r.diff]


def table():
    """{heading: (new files, lines)} of the page's table."""
    rows = re.findall(r"^\| \[.*?\]\(#([\w-]+)\) \| (\d+) \| (\d+) \|", PAGE, re.M)
    return {anchor.replace("-", " "): (int(files), int(lines)) for anchor, files, lines in rows}


def run(command, folder, **environment):
    """(exit status, what was printed)"""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def make_copy(all_recipes):
    """Brings COPY to the repository's state with all diffs in it; files that are as they should be keep their time."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder)
        for path in repo_files():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, fresh / path)
        for recipe in all_recipes:
            done = subprocess.run(
                ["git", "apply", "--recount", "-"],
                cwd=fresh,
                input=recipe.diff,
                text=True,
                capture_output=True,
                env={**os.environ, "GIT_CEILING_DIRECTORIES": str(fresh.parent)},
            )
            if done.returncode != 0:
                raise AssertionError(
                    f"the diff of '{recipe.name}' no longer applies; renew it in docs/how_to.md\n{done.stderr}"
                )
        wanted = {p.relative_to(fresh) for p in fresh.rglob("*") if p.is_file()}
        for old in [p for p in COPY.rglob("*") if p.is_file()]:
            if old.relative_to(COPY).parts[0] != "build" and old.relative_to(COPY) not in wanted:
                old.unlink()
        for path in wanted:
            if not (COPY / path).is_file() or (COPY / path).read_bytes() != (fresh / path).read_bytes():
                (COPY / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(fresh / path, COPY / path)


class RecipesTest(unittest.TestCase):
    def test_each_costs_what_the_table_says(self):
        counts = {r.name.lower(): (r.new_files, r.lines) for r in recipes()}
        self.assertEqual(counts, {name: row for name, row in table().items() if name in counts})

    def test_each_works(self):
        make_copy(recipes())
        status, printed = run("cmake --preset release -DCMAKE_BUILD_TYPE= -DFOVEA_TESTS=ON", COPY)
        self.assertEqual(status, 0, printed)
        for recipe in recipes():
            printed = ""
            for command in recipe.commands:
                with self.subTest(recipe=recipe.name, command=command):
                    status, printed = run(command, COPY, CMAKE_BUILD_PARALLEL_LEVEL="2")
                    self.assertEqual(status, 0, printed)
                    self.assertNotIn("No tests were found", printed)
            with self.subTest(recipe=recipe.name, output=recipe.output):
                self.assertIsNone(missing_line(recipe.output, printed), printed)

        with self.subTest("tutorials"):
            status, printed = run("cmake --build build/release --target fovea", COPY, CMAKE_BUILD_PARALLEL_LEVEL="2")
            self.assertEqual(status, 0, printed)
            self.assertGreater(
                sum(follow(self, page, ("copy",), COPY, "build/release") for page in PAGES.glob("*.md")), 0
            )

    def test_each_fails_without_its_diff(self):
        for recipe in recipes():
            if recipe.output:
                _, printed = run(recipe.commands[-1].replace("build/release", str(BUILD)), ROOT)
                with self.subTest(recipe=recipe.name):
                    self.assertIsNotNone(missing_line(recipe.output, printed), printed)
            for path in recipe.golden_texts:
                added = re.search(rf"^\+\+\+ b/{re.escape(path)}\n@@.*\n((?:\+.*\n)+)", recipe.diff, re.M)[1]
                given, _, expected = re.sub(r"^\+", "", added, flags=re.M).partition("// ---- expected\n")
                with self.subTest(recipe=recipe.name, text=path), tempfile.TemporaryDirectory() as folder:
                    pathlib.Path(folder, "given.txt").write_text(given)
                    command = re.match(r"// RUN: (.*)", given)[1].replace("foveac", str(BUILD / "bin/foveac"), 1)
                    _, printed = run(command.replace("%s", "given.txt"), folder)
                    self.assertNotEqual(printed, expected)

    def test_each_brings_a_test(self):
        for recipe in recipes():
            with self.subTest(recipe=recipe.name):
                self.assertTrue(recipe.output or recipe.golden_texts or "\n+TEST" in recipe.diff)
                self.assertTrue(recipe.commands)


if __name__ == "__main__":
    unittest.main()
