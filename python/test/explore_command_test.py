# SPDX-License-Identifier: Apache-2.0
"""fovea explore: its folder, that it resumes, and that bad input is one line before the first design."""
import csv
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import fovea
from programs import VGG8

FOVEA = Path(os.environ["BUILD"]) / "bin/fovea"
SMALL = {"base": "eyeriss_6x8", "rows": [4, 6], "psum_lanes": [1, 2, 4]}


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class ExploreCommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output = self.folder / "out"

    def words(self, space, *more, networks=(VGG8,), output=None):
        path = self.folder / "space.json"
        path.write_text(json.dumps(space))
        return [FOVEA, "explore", path, "--networks", *networks, "-o", output or self.output, "--processes", "1", *more]

    def run_words(self, words):
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=250)

    def test_writes_tables_and_machines_that_fovea_runs(self):
        minimize = ("--minimize", "cycles,area_gates,dram_bytes")
        done = self.run_words(self.words(SMALL, *minimize, "--confirm", "systemc:1", "--steps", "1"))
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1].split("\r")[-1].strip()), (0, "6 designs"))
        self.assertIn("6 designs evaluated", done.stdout)
        designs, front = rows_of(self.output / "designs.csv"), rows_of(self.output / "front.csv")
        self.assertEqual(len(designs), 6)
        found = fovea.explore(
            SMALL, [VGG8], ("cycles", "area_gates", "dram_bytes"), database=self.output / "explored.sqlite", processes=1
        )
        self.assertEqual([row["machine"] for row in front], [design.machine.name for design in found.front])
        (confirmed,) = rows_of(self.output / "confirmed.csv")
        machine = self.output / "machines" / f"{front[0]['machine']}.json"
        run = json.loads(self.run_words([FOVEA, "run", VGG8, "--machine", machine, "--json"]).stdout)
        self.assertEqual(int(confirmed["confirmed_cycles"]), run["device"]["cycles"])
        steps = rows_of(self.output / "steps.csv")
        self.assertTrue(all(row["machine"] == front[0]["machine"] for row in steps))
        for row in steps:
            (other,) = [
                each
                for each in designs
                if each[row["field"]] == row["to"]
                and all(each[name] == front[0][name] for name in ("rows", "psum_lanes") if name != row["field"])
            ]
            percent = 100 * (int(other["cycles"]) / int(front[0]["cycles"]) - 1)
            self.assertAlmostEqual(float(row["cycles_percent"]), percent)
        self.assertIn(f'"machine":"{front[0]["machine"]}"', (self.output / "index.html").read_text())
        document = json.loads((self.output / "exploration.json").read_text())
        for point in document["designs"]:
            self.assertEqual(sum(point["cycles_by_network"]["vgg8_cifar10_power2"]), point["cycles"])
            self.assertAlmostEqual(sum(point["area"].values()), point["area_gates"])

    def test_resumes_where_it_was_interrupted(self):
        space = {**SMALL, "rows": [4, 6, 8], "glb_bytes": [65536, 131072]}
        running = subprocess.Popen(list(map(str, self.words(space))), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        database = self.output / "explored.sqlite"
        for _ in range(600):
            if database.exists() and len(fovea.result_store.ResultStore(database)._all("evaluations")) >= 2:
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()
        self.assertEqual((running.returncode, said.splitlines()[-1]), (130, b"ended; the same command resumes"))
        before = fovea.result_store.ResultStore(database)._all("evaluations")
        self.assertGreater(18, len(before))
        done = self.run_words(self.words(space))
        self.assertEqual(done.returncode, 0)
        self.assertNotIn(f"\r{len(before) - 1} of 18", done.stderr)
        self.assertEqual(len(rows_of(self.output / "designs.csv")), 18)

    def test_bad_input_is_one_line_before_the_first_design(self):
        (self.folder / "other").mkdir()
        (self.folder / "other/thing").write_text("")
        base = {"base": "eyeriss_6x8"}
        for space, more, words in (
            ({**base, "rows": []}, (), "rows has no value, so the space is empty"),
            ({**base, "rows": [4, 6], "constraints": ["rows < 3"]}, (), '"rows < 3" excludes the most, 2 of 2'),
            ({**base, "rowz": [4, 6]}, (), '"rowz" is not known; known fields: '),
            ({**base, "rows": [4, 999]}, (), '"rows" is 999; it must be an integer from'),
            (base, ("--minimize", "speed"), "minimize='speed'"),
            (base, ("--confirm", "systemc"), "--confirm systemc: give a backend and how many designs"),
            (base, ("--confirm", "fpga:3"), "confirm='fpga'"),
            (base, ("--strategy", "nsga2"), "evaluations=0"),
            (base, ("--batch", "0"), "--batch: Value 0 not in range 1 to 65536"),
            ({**base, "batch": [1, 0]}, (), "batch is 0; integers from 1 to 65536 work"),
            ({**base, "batch": [1, 65536]}, (), "at most 2^31 elements work"),
            ({**base, "residency": ["none", "glb"]}, (), "residency='glb': unknown; none or chip work"),
            (base, ("--compare", self.folder / "other"), "no exploration.json; give a folder that fovea explore wrote"),
        ):
            with self.subTest(words=words):
                done = self.run_words(self.words(space, *more))
                self.assertIn(words, done.stderr)
                self.assertEqual((done.returncode in (1, 2), len(done.stderr.splitlines()), done.stdout), (True, 1, ""))
        done = self.run_words(self.words(base, output=self.folder / "other"))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
        self.assertIn("holds something that is no exploration; choose another folder", done.stderr)
        (self.folder / "bad.onnx").write_bytes(b"no network")
        done = self.run_words(self.words(base, networks=(self.folder / "bad.onnx",)))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1))
        self.assertIn("bad.onnx", done.stderr)


if __name__ == "__main__":
    unittest.main()
