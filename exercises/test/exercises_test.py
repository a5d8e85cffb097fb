# SPDX-License-Identifier: Apache-2.0
"""Each exercise's check fails on what it gives out and passes on the solution, in a copy of its own under
$BUILD/exercises, and its page shows what the check says of either."""
import os
import pathlib
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import exercise
from page_steps import BLOCK, missing_line

BUILD = pathlib.Path(os.environ.get("BUILD", "build/release"))


class ExercisesTest(unittest.TestCase):
    def task(self, name):
        """The exercise as it is given out; a build that an earlier run left in the folder is kept."""
        task = exercise.Task(name, exercise.ROOT / BUILD / "exercises" / name, BUILD)
        for old in task.folder.iterdir() if task.folder.exists() else []:
            if old.name != "build":
                (shutil.rmtree if old.is_dir() else os.remove)(old)
        task.start()
        return task

    def fails_then_passes(self, name):
        task = self.task(name)
        check = exercise.load_check(name)
        shown = [
            body for language, _, body in BLOCK.findall((task.source / "README.md").read_text()) if language == "text"
        ]
        with self.assertRaises(exercise.NotSolved) as fault:
            check(task)
        self.assertIsNone(missing_line(shown[0], f"not yet: {fault.exception}"), fault.exception)
        task.apply("solution.patch")
        printed = check(task)
        self.assertIsNone(missing_line(shown[-1], f"{printed}\nsolved"), printed)

    def test_fuse_a_pattern(self):
        self.fails_then_passes("fuse_a_pattern")

    def test_write_a_mapping(self):
        self.fails_then_passes("write_a_mapping")

    def test_mapper_in_python(self):
        self.fails_then_passes("mapper_in_python")

    def test_find_a_bug(self):
        self.fails_then_passes("find_a_bug")

    def test_patterns_in_python(self):
        self.fails_then_passes("patterns_in_python")

    def test_pass_in_python(self):
        self.fails_then_passes("pass_in_python")

    def test_generate_c(self):
        self.fails_then_passes("generate_c")

    def test_write_datagen(self):
        self.fails_then_passes("write_datagen")

    @unittest.skipIf(shutil.which("valgrind") is None, "there is no valgrind")
    def test_massif(self):
        self.fails_then_passes("massif")

    def test_these_are_all(self):
        given = {name.removeprefix("test_") for name in dir(self) if name.startswith("test_")}
        self.assertEqual(set(exercise.names()), given - {"these_are_all"})


if __name__ == "__main__":
    unittest.main()
