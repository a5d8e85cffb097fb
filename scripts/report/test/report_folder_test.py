# SPDX-License-Identifier: Apache-2.0
"""A report is there whole or not at all, whatever goes wrong: one line says what, and nothing is left behind."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import made_run
import spec
import vega_library

MAKE_REPORT = pathlib.Path(made_run.__file__).resolve().parents[1] / "make_report.py"
GRAPH = '<svg width="10pt" height="10pt" viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg"></svg>'
FILES = ["dla_info.csv", "index.html", "report.md", "run.json"]


class ReportFolderTest(unittest.TestCase):
    def setUp(self):
        self.here = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_folder = made_run.write(self.here / "run")
        (self.here / "graph.svg").write_text(GRAPH)
        self.reports = self.here / "reports"

    def make(self, folder, *words, before=()):
        command = [
            *before,
            sys.executable,
            "-B",
            str(MAKE_REPORT),
            str(folder),
            "--run",
            str(self.run_folder),
            "--graph",
            str(self.here / "graph.svg"),
            *words,
        ]
        return subprocess.run(command, capture_output=True, text=True)

    def refused(self, done, pattern):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def names(self, folder):
        return sorted(path.name for path in folder.iterdir())

    def test_all_files_come_together(self):
        done = self.make(self.reports / "net")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.names(self.reports / "net"), FILES)
        self.assertEqual(self.names(self.reports), ["net"])

    def test_an_older_report_is_replaced(self):
        self.make(self.reports / "net")
        (self.reports / "net" / "sensitivity.html").touch()
        (self.reports / "net" / "notes").touch()
        self.assertEqual(self.make(self.reports / "net").returncode, 0)
        self.assertEqual(self.names(self.reports / "net"), sorted([*FILES, "notes"]))
        self.assertEqual(self.names(self.reports), ["net"])

    def test_a_report_can_be_compared_with_itself(self):
        self.make(self.reports / "net")
        self.assertEqual(self.make(self.reports / "net", "--compare", str(self.reports / "net")).returncode, 0)
        self.assertIn("## Compared", (self.reports / "net" / "report.md").read_text())

    def test_a_folder_of_something_else_stays(self):
        (self.here / "mine").mkdir()
        (self.here / "mine" / "notes").write_text("keep")
        self.refused(self.make(self.here / "mine"), "mine: holds something that is no report; choose another folder")
        self.assertEqual((self.here / "mine" / "notes").read_text(), "keep")

    def test_the_folder_that_it_runs_in_is_refused(self):
        self.reports.mkdir()
        self.refused(
            subprocess.run(
                [sys.executable, "-B", MAKE_REPORT, ".", "--check"], cwd=self.reports, capture_output=True, text=True
            ),
            r"^\.: is the folder that this runs in",
        )

    def test_a_file_in_the_way_is_named(self):
        self.reports.write_text("a file")
        self.refused(self.make(self.reports / "net"), "net: can't be written .*; choose another folder")
        self.refused(self.make(self.reports), "reports: a file is in the way")

    def test_an_unwritable_folder_is_named(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        self.reports.mkdir()
        self.reports.chmod(0o500)
        self.refused(self.make(self.reports / "net"), "can't be written .Permission denied.")

    def test_a_compare_that_is_no_report_is_named(self):
        self.refused(
            self.make(self.reports / "net", "--compare", str(self.here)),
            "no report of this version; give a folder that make report wrote",
        )
        self.assertFalse(self.reports.exists())
        self.refused(self.make(self.reports / "net", "--check", "--compare", str(self.here)), "no report")

    def test_a_check_leaves_nothing(self):
        self.assertEqual(self.make(self.reports / "net", "--check").returncode, 0)
        self.assertEqual(self.names(self.reports), [])

    def test_a_missing_library_is_named_before_anything_is_made(self):
        """As it is installed: a folder with all files of the report but those of Vega-Lite, and then with them."""
        installed = self.here / "installed" / "report"
        shutil.copytree(MAKE_REPORT.parent, installed, ignore=shutil.ignore_patterns("vega", "test", "__pycache__"))
        shutil.copy(spec.ROOT / "sim/spec/dla.json", installed)
        command = [sys.executable, "-B", installed / "make_report.py", self.reports / "net", "--check"]
        self.refused(
            subprocess.run(command, capture_output=True, text=True),
            "^Vega-Lite, which draws a report's charts, is missing; .*run: make packages_report\n$",
        )
        self.assertFalse(self.reports.exists())
        (installed / "vega").mkdir()
        for part in vega_library.PARTS:
            (installed / "vega" / pathlib.Path(part).name).touch()
        self.assertEqual(subprocess.run(command, capture_output=True, text=True).stderr, "")

    def test_a_limit_on_file_size_leaves_the_older_report(self):
        self.make(self.reports / "net")
        before = (self.reports / "net" / "index.html").read_bytes()
        done = self.make(
            self.reports / "net", before=("bash", "-c", 'ulimit -f 40; trap "" XFSZ; exec "$@"', "limited")
        )
        self.refused(done, "can't be written .File too large.; nothing was kept of the report")
        self.assertEqual((self.reports / "net" / "index.html").read_bytes(), before)
        self.assertEqual(self.names(self.reports), ["net"])

    def test_a_full_disk_leaves_nothing(self):
        """On a tmpfs of 64 KiB, in a mount namespace of its own."""
        alone = ("unshare", "--map-root-user", "--mount") if os.geteuid() else ("unshare", "--mount")
        self.reports.mkdir()
        mount = f'mount -t tmpfs -o size=64k none "{self.reports}"'
        if subprocess.run([*alone, "bash", "-c", mount], capture_output=True).returncode:
            self.skipTest("no mount namespace here")
        done = self.make(
            self.reports / "net",
            before=(
                *alone,
                "bash",
                "-c",
                f'{mount} || exit 9; "$@"; status=$?; ls -A "{self.reports}"; exit $status',
                "mounted",
            ),
        )
        self.refused(done, "can't be written .No space left on device.; nothing was kept of the report")
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
