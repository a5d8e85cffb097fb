# SPDX-License-Identifier: Apache-2.0
"""scripts/run_check begins with the longest tests, and ends with the slowest and ctest's summary; scripts/test_times.py
lists exactly the tests there are."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]


class RunCheckTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "scripts").mkdir()
        for script in ("run_check", "test_times.py"):
            shutil.copy(SCRIPTS / script, self.root / "scripts")
        (self.root / "build").mkdir()
        self.write_tests(
            "add_test(quick true)",
            "add_test(slow sleep 0.4)\nset_tests_properties(slow PROPERTIES LABELS full)",
            "add_test(wrong false)",
        )

    def write_tests(self, *lines):
        (self.root / "build/CTestTestfile.cmake").write_text("\n".join(lines) + "\n")

    def run_script(self, *words):
        done = subprocess.run(
            [f"scripts/{words[0]}", *words[1:]],
            cwd=self.root,
            env=os.environ | {"BUILD": "build"},
            capture_output=True,
            text=True,
        )
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout

    def test_the_slowest_stand_before_the_summary(self):
        status, said = self.run_script("run_check", "-E", "wrong")
        self.assertEqual(status, 0)
        self.assertRegex(
            said,
            r"(?s)1/2 Test.*The slowest tests.*\n +0\.[4-9] +-  slow\n +0\.\d +-  quick\n\n"
            r"100% tests passed, 0 tests failed out of 2\n.*\nTotal Test time \(real\) = +[\d.]+ sec\n$",
        )
        self.assertEqual(said.count("tests passed"), 1)

    @unittest.skipIf(len(os.sched_getaffinity(0)) == 1, "one test at a time has no order")
    def test_the_first_run_begins_with_the_longest_of_the_list(self):
        (self.root / "scripts/test_times.txt").write_text("# Head.\nquick | 0.1\nslow | 9.0\nwrong | 5.0\n")
        _, said = self.run_script("run_check")
        self.assertEqual(re.findall(r"Start +\d: (\w+)", said), ["slow", "wrong", "quick"])

    def test_a_failure_is_ctests(self):
        status, said = self.run_script("run_check", "-LE", "full")
        self.assertNotEqual(status, 0)
        self.assertRegex(said, r"(?s)50% tests passed, 1 tests failed out of 2\n.*- wrong \(Failed\)\n$")
        self.assertNotIn("slow\n", said)

    def test_the_list_names_the_tests(self):
        self.write_tests("add_test(quick true)", "add_test(slow sleep 0.4)")
        status, said = self.run_script("test_times.py")
        self.assertEqual(
            (status, said),
            (
                1,
                (
                    "scripts/test_times.txt lacks quick, slow: run them, scripts/run_check -R '^(quick|slow)$', then"
                    " scripts/test_times.py --renew\n"
                ),
            ),
        )
        self.run_script("run_check", "-R", "quick")
        status, said = self.run_script("test_times.py", "--renew")
        self.assertEqual((status, said.split(":")[0]), (1, "scripts/test_times.txt lacks slow"))
        self.run_script("run_check", "-R", "slow")
        self.assertEqual(self.run_script("test_times.py", "--renew"), (0, ""))
        self.assertRegex(
            (self.root / "scripts/test_times.txt").read_text(), r"^# .*\nquick \| 0\.\d\nslow \| 0\.[4-9]\n$"
        )
        self.assertEqual(self.run_script("test_times.py"), (0, ""))
        self.assertRegex(self.run_script("run_check", "-R", "slow")[1], r"0\.[4-9] +0\.[4-9]  slow")
        self.write_tests("add_test(slow sleep 0.4)")
        self.assertEqual(
            self.run_script("test_times.py"),
            (1, "scripts/test_times.txt names tests that are gone, quick: scripts/test_times.py --renew\n"),
        )

    def test_a_failed_test_has_no_time(self):
        self.run_script("run_check")
        self.assertIn("lacks wrong:", self.run_script("test_times.py", "--renew")[1])


if __name__ == "__main__":
    unittest.main()
