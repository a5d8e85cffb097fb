# SPDX-License-Identifier: Apache-2.0
"""scripts/run_check_full runs each step once a success, goes on after a failure, and says both in its report."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPS = """# A comment.
@both = sim models
numbers | 100 | @both scripts/usage | echo "{n} of them" && echo "a line more" && echo ran >>{logs}/numbers.txt | of|in all
luck | 1 | models | test -e {bin}/luck |
"""
PASSED = r"\| numbers \| 100 \| \d+ \| passed \| \w{12} \|\n"


class RunCheckFullTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for part in ("scripts", "sim/common", "sim/spec"):
            shutil.copytree(ROOT / part, self.root / part)
        (self.root / "models").mkdir()
        (self.root / "models/vgg8_cifar10_power2.onnx").touch()
        (self.root / "build/bin").mkdir(parents=True)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        self.commit(STEPS)

    def commit(self, steps):
        (self.root / "scripts/check_full.txt").write_text(steps)
        for command in ("add scripts models sim", "-c user.name=a -c user.email=a@b commit -qm all"):
            subprocess.run(["git", *command.split()], cwd=self.root, check=True)

    def run_check(self, **variables):
        environment = {"PATH": os.environ["PATH"], "BUILD": "build", **variables}
        return subprocess.run([self.root / "scripts/run_check_full"], env=environment, capture_output=True, text=True)

    def report(self):
        return (self.root / "reports/check_full.md").read_text()

    def runs(self):
        return (self.root / "build/check_full/numbers.txt").read_text().count("ran")

    def test_a_failure_is_reported_and_only_it_runs_again(self):
        done = self.run_check()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"\[2/2\] luck: 1  failed, \d+ s; see build/check_full/2.log")
        self.assertRegex(self.report(), PASSED + r"\| luck \| 1 \| \d+ \| failed \| \w{12} \|\n")
        self.assertIn("```text\n1: 100 of them\n```", self.report())
        (self.root / "build/bin/luck").touch()
        done = self.run_check()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 steps, of which 0 failed", self.report())
        self.assertEqual(self.runs(), 1)

    def test_what_the_report_has_of_the_same_sources_does_not_run_again(self):
        self.run_check()
        shutil.rmtree(self.root / "build/check_full")
        (self.root / "build/bin/luck").touch()
        done = self.run_check()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.root / "build/check_full/numbers.txt").exists())
        self.assertRegex(self.report(), PASSED + r"\| luck \| 1 \| \d+ \| passed \| \w{12} \|\n")
        self.assertIn("```text\n1: 100 of them\n```", self.report())

    def test_a_report_that_was_changed_by_hand_counts_for_nothing(self):
        self.run_check()
        shutil.rmtree(self.root / "build/check_full")
        path = self.root / "reports/check_full.md"
        path.write_text(self.report().replace("100 of them", "101 of them"))
        self.run_check()
        self.assertEqual(self.runs(), 1)
        self.assertIn("1: 100 of them", self.report())

    def test_an_interrupted_run_leaves_what_passed(self):
        end_the_run = "while ! grep -qs passed reports/check_full.md; do sleep 0.1; done; kill $PPID"
        self.commit(STEPS.replace("test -e {bin}/luck", f"if ! test -e {{bin}}/luck; then {end_the_run}; fi"))
        self.assertEqual(self.run_check().returncode, -signal.SIGTERM)
        self.assertIn("2 steps, of which 0 failed, 1 not run.", self.report())
        (self.root / "build/bin/luck").touch()
        shutil.rmtree(self.root / "build/check_full")
        self.assertEqual(self.run_check().returncode, 0)
        self.assertIn("2 steps, of which 0 failed.", self.report())
        self.assertFalse((self.root / "build/check_full/numbers.txt").exists())

    def test_other_sources_or_numbers_run_again(self):
        self.run_check()
        self.run_check(SAMPLE="30")
        self.assertIn("1: 3 of them", self.report())
        self.assertIn("`make check_full SAMPLE=30`", self.report())
        (self.root / "scripts/usage").write_text("changed")
        self.run_check(SAMPLE="30")
        self.assertEqual(self.runs(), 3)
        self.assertIn("with changes", self.report())

    def test_sources_of_another_step_run_nothing_again(self):
        (self.root / "build/bin/luck").touch()
        self.run_check()
        (self.root / "scripts/lint").write_text("changed")
        (self.root / "sim/spec/README.md").write_text("a document")
        self.run_check()
        self.assertEqual(self.runs(), 1)
        (self.root / "sim/spec/area.json").write_text("changed")
        self.run_check()
        self.assertEqual(self.runs(), 2)

    def test_each_step_is_about_files_that_there_are(self):
        rows = [row for row in (ROOT / "scripts/check_full.txt").read_text().splitlines() if not row.startswith("#")]
        groups = dict(row.split(" = ") for row in rows if row.startswith("@"))
        about = [row.split("|")[2] for row in rows if not row.startswith("@")]
        for word in " ".join([*groups.values(), *about]).split():
            found = subprocess.run(["git", "ls-files", "--", word], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
            self.assertTrue(word in groups or found, word)


if __name__ == "__main__":
    unittest.main()
