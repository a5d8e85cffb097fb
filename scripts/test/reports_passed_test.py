# SPDX-License-Identifier: Apache-2.0
"""Every report of scripts/evidence.txt is there, passed, and is as its command left it; but for that of make
check_full, of which this test is a part."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import evidence


class ReportsPassedTest(unittest.TestCase):
    def test_every_report_passed(self):
        rows = [row for row in evidence.read_rows() if row.name != "check_full"]
        files = [file for row in evidence.read_rows() for file in row.files]
        there = {path.name for path in evidence.REPORTS.iterdir()}
        self.assertEqual(sorted(set(files) - there), [], "no such report: make evidence")
        results = {file: evidence.report_in(file).result for row in rows for file in row.reports()}
        self.assertEqual(
            {file: result for file, result in results.items() if result != "passed"}, {}, "make evidence renews them"
        )


if __name__ == "__main__":
    unittest.main()
