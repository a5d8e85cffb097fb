# SPDX-License-Identifier: Apache-2.0
"""The database of results: many writers, a fixed order, faults that cost no row."""
import csv
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fovea.result_store import TABLES, Key, ResultStore, StoreError

KEY = Key(1, "d0", "pipelined", "cycles", 2)


def evaluation(number):
    """A row of evaluations."""
    return {
        "network": f"n{number:05}",
        "cycles": number,
        "dram_read_bytes": 1,
        "dram_write_bytes": 2,
        "energy_macs": 0.5,
        "accelerator_cycles": number,
        "layers": "[]",
    }


class ResultStoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "results.sqlite"

    def test_processes_that_write_at_once_lose_no_row_and_double_none(self):
        """8 processes write 10,000 rows, each row by two of them."""
        program = (
            "import sys; sys.path.insert(0, sys.argv[3]); from result_store_test import *\n"
            "store, first = ResultStore(sys.argv[1]), int(sys.argv[2])\n"
            "for at in range(0, 2500, 50):\n"
            "    store.add('evaluations', KEY, [evaluation((first + at + i) % 10000) for i in range(50)])\n"
        )
        here = str(Path(__file__).parent)
        crew = [
            subprocess.Popen([sys.executable, "-B", "-c", program, str(self.path), str(1250 * each), here])
            for each in range(8)
        ]
        self.assertEqual([each.wait() for each in crew], [0] * 8)
        rows = ResultStore(self.path).find("evaluations", KEY)
        self.assertEqual(rows, [{**KEY._asdict(), **evaluation(number)} for number in range(10000)])

    def test_csv_has_the_rows_in_the_order_of_their_keys(self):
        store = ResultStore(self.path)
        store.add("evaluations", KEY._replace(machine="d1"), [evaluation(3)])
        store.add("evaluations", KEY, [evaluation(2), evaluation(1)])
        with open(store.export_csv("evaluations", self.path.with_suffix(".csv")), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["machine"], row["cycles"]) for row in rows], [("d0", "1"), ("d0", "2"), ("d1", "3")])
        self.assertEqual(list(rows[0]), [name for part in TABLES["evaluations"] for name in part])
        self.assertEqual(store.table("evaluations")["cycles"].tolist(), [1, 2, 3])

    def assert_refused(self, action, *words):
        with self.assertRaises(StoreError) as caught:
            action()
        text = str(caught.exception)
        self.assertEqual(len(text.splitlines()), 1)
        for word in (str(self.path), *words):
            self.assertIn(word, text)

    def test_faults_are_one_line_and_old_rows_are_safe(self):
        store = ResultStore(self.path)
        store.add("evaluations", KEY, map(evaluation, range(50)))
        pages = store._file.execute("PRAGMA page_count").fetchone()[0]
        store._file.execute(f"PRAGMA max_page_count = {pages + 4}")
        many = [{**evaluation(number), "layers": "x" * 999} for number in range(50, 150)]
        self.assert_refused(lambda: store.add("evaluations", KEY, many), "no room")
        self.assertEqual(len(store.find("evaluations", KEY)), 50)
        store._file.execute("PRAGMA query_only = 1")
        self.assert_refused(lambda: store.add("evaluations", KEY, [evaluation(60)]), "read-only")
        store.close()
        self.assertEqual(len(ResultStore(self.path).find("evaluations", KEY)), 50)
        raw = sqlite3.connect(self.path)
        raw.execute("PRAGMA user_version = 99")
        raw.close()
        before = self.path.read_bytes()
        self.assert_refused(lambda: ResultStore(self.path), "version 99", "another file")
        self.assertEqual(self.path.read_bytes(), before)

    def test_takes_no_file_of_something_else(self):
        self.path.write_text("a text that is not a database, and long enough to be seen as such" * 20)
        self.assert_refused(lambda: ResultStore(self.path), "no SQLite database")
        self.path.unlink()
        raw = sqlite3.connect(self.path)
        raw.execute("CREATE TABLE other (a)")
        raw.commit()
        raw.close()
        self.assert_refused(lambda: ResultStore(self.path), "something else")
        self.path = self.path.parent / "none" / "results.sqlite"
        self.assert_refused(lambda: ResultStore(self.path), "cannot be opened")


if __name__ == "__main__":
    unittest.main()
