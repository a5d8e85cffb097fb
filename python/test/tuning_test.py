# SPDX-License-Identifier: Apache-2.0
"""The database that exploring and the compiler share: who finds what the other searched for, and what goes wrong."""
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fovea
from fovea.result_store import ResultStore
from programs import BUILD, VGG8
from result_store_test import KEY, evaluation

FOVEAC, FOVEA = BUILD / "bin/foveac", BUILD / "bin/fovea"
VERSION = "PRAGMA user_version"


class TuningTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "results.sqlite"

    def words(self, *more, net="net"):
        return list(map(str, (FOVEAC, VGG8, "-o", self.folder / net, "--tuning", self.path, *more)))

    def files_of(self, *words):
        """What is printed and written without the names of the folders."""
        done = subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True)
        net = Path(words[words.index("-o") + 1])
        said = done.stdout.replace(str(net), "NET")
        self.assertEqual(done.stderr, "")
        return said, {file.name: file.read_bytes() for file in sorted(net.iterdir())}

    def rows(self, table="layers"):
        return ResultStore(self.path)._all(table)

    def explore(self, **options):
        return fovea.explore({"base": "eyeriss_6x8"}, [VGG8], ["cycles"], database=self.path, processes=1, **options)

    def test_the_compiler_takes_what_exploring_searched_for(self):
        without = self.files_of(FOVEAC, VGG8, "-o", self.folder / "without")
        self.explore()
        full, rows = self.path.read_bytes(), self.rows()
        self.assertGreater(len(rows), 5)
        self.assertEqual(self.files_of(*self.words()), without)
        self.assertEqual(self.path.read_bytes(), full)  # There was nothing to add.
        self.assertEqual(self.files_of(*self.words("--optimize", "dram", net="dram"))[1].keys(), without[1].keys())
        self.assertEqual([row for row in self.rows() if row["objective"] == "cycles"], rows)
        self.assertGreater(len(self.rows()), len(rows))

    def test_exploring_takes_what_the_compiler_searched_for(self):
        empty = self.files_of(*self.words())
        rows, machines = self.rows(), self.rows("machines")
        self.assertEqual(self.files_of(*self.words(net="again")), empty)
        found = self.explore(confirm={"systemc": 1})
        self.assertEqual((self.rows(), self.rows("machines")), (rows, machines))
        self.path.unlink()
        self.assertEqual(self.explore().layer_rows(found.designs[0]), found.layer_rows(found.designs[0]))
        self.assertEqual((self.rows(), self.rows("machines")), (rows, machines))

    def test_one_search_serves_names_programs_and_python(self):
        machine = self.folder / "mine.json"
        fovea.Machine("eyeriss_6x8", name="mine").save(machine)
        self.files_of(*self.words())
        full = self.path.read_bytes()
        self.files_of(*self.words("--machine", machine, net="named"))
        for words in ((FOVEAC, "map", VGG8, "--layer", "conv2"), (FOVEA, "build", VGG8, "--backend", "systemc")):
            subprocess.run(list(map(str, (*words, "--tuning", self.path))), check=True, capture_output=True)
        fovea.compile(VGG8, tuning=self.path, folder=self.folder / "python")
        self.assertEqual(self.path.read_bytes(), full)

    def test_records_go_first_and_are_not_kept_as_searched(self):
        records = ("--records", self.folder / "records.json")
        self.files_of(*self.words(*records, "--tune", 2))
        rows = self.rows()
        (self.folder / "records.json").rename(self.folder / "kept.json")
        records = ("--records", self.folder / "kept.json")
        with_both = self.files_of(*self.words(*records, net="both"))
        self.path.unlink()
        self.assertEqual(self.files_of(*self.words(*records, net="first")), with_both)
        self.assertIn(", recorded\n", with_both[0])
        self.assertFalse([row for row in self.rows() if row not in rows])
        self.assertGreater(len(rows), len(self.rows()))

    def test_many_write_at_once(self):
        """8 processes write 10,000 rows, each row by two of them; compilers search and write meanwhile."""
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
        objectives = ("cycles", "dram", "energy", "edp")
        crew += [
            subprocess.Popen(self.words("--optimize", name, net=f"{name}{i}"), stdout=subprocess.DEVNULL)
            for i in range(2)
            for name in objectives
        ]
        self.assertEqual([each.wait() for each in crew], [0] * 16)
        written = [{**KEY._asdict(), **evaluation(number)} for number in range(10000)]
        self.assertEqual(self.rows("evaluations"), written)
        layers, of_each = self.rows(), []
        for name in objectives:
            self.path = self.folder / f"{name}.sqlite"
            self.files_of(*self.words("--optimize", name, net=f"{name}2"))
            of_each += self.rows()
        self.assertEqual(layers, sorted(of_each, key=lambda row: list(row.values())[:6]))

    def assert_refused(self, *words, **options):
        """Exit status 1, one line that begins with the file and has the words, and no folder."""
        done = subprocess.run(self.words(net="refused"), check=False, capture_output=True, text=True, **options)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1), done.stderr)
        self.assertTrue(done.stderr.startswith(f"foveac: {self.path}: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "refused").exists())

    def change(self, statement):
        file = sqlite3.connect(self.path)
        file.execute(statement)
        file.commit()
        file.close()

    def test_a_full_disk_costs_no_row(self):
        ResultStore(self.path).add("evaluations", KEY, map(evaluation, range(50)))
        size = self.path.stat().st_size

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        self.assert_refused("cannot be written", "the rows of before are kept", preexec_fn=limit, restore_signals=False)
        self.assertEqual((len(self.rows("evaluations")), self.rows()), (50, []))
        self.files_of(*self.words())
        self.assertGreater(len(self.rows()), 5)

    def test_a_read_only_file_is_read_and_not_written(self):
        self.files_of(*self.words())
        full = self.path.read_bytes()
        self.path.chmod(0o444)
        self.folder.chmod(0o755)
        (self.folder / "out").mkdir()
        (self.folder / "out").chmod(0o777)
        # To the superuser, nothing is read-only.
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(self.words(net="out/net"), check=True, stdout=subprocess.DEVNULL, **nobody)
        self.assertEqual(self.path.read_bytes(), full)
        self.change_key()
        self.assert_refused("read-only; give another file, or make it writable", **nobody)

    def change_key(self):
        """Makes the rows those of another machine."""
        self.path.chmod(0o644)
        self.change("UPDATE layers SET machine = 'other'")
        self.path.chmod(0o444)

    def test_what_is_no_database_of_results_is_refused(self):
        self.path.write_text("no database, but long enough to be looked at" * 30)
        self.assert_refused("no SQLite database; give another file")
        self.path.unlink()
        self.change("CREATE TABLE other (a)")
        self.assert_refused("a database of something else; give another file")
        self.path.unlink()
        self.files_of(*self.words())
        (version,) = sqlite3.connect(self.path).execute(VERSION).fetchone()
        self.change(f"{VERSION} = 1")
        before = self.path.read_bytes()
        self.assert_refused("version 1, and this Fovea reads version", f"reads version {version}; give another file")
        self.assertEqual(self.path.read_bytes(), before)
        self.path = self.folder / "none/results.sqlite"
        self.assert_refused("cannot be opened; give a file in a folder that is there")

    def test_rows_that_can_be_no_answer_are_refused(self):
        self.files_of(*self.words())
        for change in (
            "mapping = replace(mapping, '\"e\":', '\"none\":')",
            "mapping = '', search_cycles = 0",
            "search_cycles = search_cycles + 1",
            "shape = replace(shape, '\"M\":', '\"M\":1')",
            "cycles = 'many'",
        ):
            with self.subTest(change=change):
                kept = self.path.read_bytes()
                self.change(f"UPDATE layers SET {change}")
                self.assert_refused("its row of", "is damaged, or of a model that was changed since")
                self.path.write_bytes(kept)

    def test_a_network_that_is_not_compiled_leaves_no_row(self):
        done = subprocess.run(
            [FOVEAC, self.folder / "none.onnx", "--tuning", self.path], check=False, capture_output=True, text=True
        )
        self.assertEqual((done.returncode, len(done.stderr.splitlines()), self.path.exists()), (1, 1, False))


if __name__ == "__main__":
    unittest.main()
