# SPDX-License-Identifier: Apache-2.0
"""The database of results from Python: its tables, a fixed order, faults. More tests are result_store_test.cpp and
tuning_test.py."""
import csv
import sqlite3
import tempfile
import unittest
from pathlib import Path

import fovea
from fovea.result_store import CAUSES, COMMAND, COSTS, TABLES, Key, ResultStore

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
        with self.assertRaises(fovea.StoreError) as caught:
            action()
        text = str(caught.exception)
        self.assertEqual(len(text.splitlines()), 1)
        for word in (str(self.path), *words):
            self.assertIn(word, text)

    def test_columns_are_those_of_the_schema(self):
        self.assertEqual(TABLES["layers"][0], [*Key._fields, "asked"])
        self.assertEqual(COMMAND[:2], ("asked", "shape"))
        self.assertEqual(len(CAUSES), 7)
        self.assertEqual(COSTS, ("cycles", "dram_read_bytes", "dram_write_bytes", "energy_macs"))

    def test_another_version_is_refused_and_stays(self):
        ResultStore(self.path).add("evaluations", KEY, map(evaluation, range(50)))
        raw = sqlite3.connect(self.path)
        raw.execute("PRAGMA user_version = 99")
        raw.close()
        before = self.path.read_bytes()
        self.assert_refused(lambda: ResultStore(self.path), "version 99", "another file")
        self.assertEqual(self.path.read_bytes(), before)

    def test_rows_are_added_all_or_none(self):
        store = ResultStore(self.path)
        with self.assertRaises(KeyError):
            store.add("evaluations", KEY, [evaluation(1), {}])
        self.assertEqual(store.find("evaluations", KEY), [])

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
