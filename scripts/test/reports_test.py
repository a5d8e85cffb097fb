# SPDX-License-Identifier: Apache-2.0
"""The reports of this repository: each has its row in scripts/evidence.txt and stands in reports/README.md as it says
itself. A stale one is allowed; reports_passed_test.py asks for the results."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import evidence
from provenance import answer_of

AGAIN = "make evidence ONLY=none writes the table again"


class ReportsTest(unittest.TestCase):
    def setUp(self):
        self.rows = evidence.read_rows()

    def test_every_file_has_a_row(self):
        listed = [file for row in self.rows for file in row.files]
        self.assertEqual(sorted(listed), sorted(set(listed)))
        there = {path.name for path in evidence.REPORTS.iterdir() if path.is_file()} - {evidence.TABLE.name}
        self.assertEqual(there - set(listed), set(), "no row of scripts/evidence.txt")

    def test_every_row_has_commands_and_paths_that_are_there(self):
        targets = set(re.findall(r"^(\w+):", pathlib.Path("Makefile").read_text(encoding="utf-8"), re.M))
        for row in self.rows:
            with self.subTest(row.name):
                self.assertEqual({command.split()[1] for command in row.commands} - targets, set())
                self.assertEqual([path for path in row.paths if not pathlib.Path(path).exists()], [])

    def test_the_table_says_what_the_reports_say(self):
        text = evidence.TABLE.read_text(encoding="utf-8")
        at, took, lines = evidence.read_table(text)
        written = evidence.table_text(self.rows, took, at)
        if (
            answer_of("git", "rev-parse", "--is-shallow-repository") == "false"
            and answer_of("git", "cat-file", "-e", at) is not None
        ):
            self.assertEqual(text, written, AGAIN)
        else:  # What is stale cannot be told without the history.
            self.assertEqual(
                [line[:-1] for line in lines], [line[:-1] for line in evidence.read_table(written)[2]], AGAIN
            )


if __name__ == "__main__":
    unittest.main()
