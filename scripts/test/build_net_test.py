# SPDX-License-Identifier: Apache-2.0
"""scripts/build_net compiles a network again when, and only when, something it follows from has changed."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE_FOVEAC = """#!/bin/sh
echo "$@" >>"$(dirname "$0")/calls"
grep -q broken "$1" && { echo "$1: broken" >&2; exit 1; }
mkdir -p "$3" && echo "int dla_model;" >"$3/model.c"
"""


class BuildNetTest(unittest.TestCase):
    def setUp(self):
        """A build folder with a foveac that writes its calls down, and a network of a name that no other has."""
        self.folder = tempfile.TemporaryDirectory(prefix="fovea_net_")
        self.build = pathlib.Path(self.folder.name)
        self.model = self.build / (self.build.name + ".onnx")
        self.model.write_text("a network")
        (self.build / "bin").mkdir()
        self.calls = self.build / "bin" / "calls"
        self.calls.touch()
        foveac = self.build / "bin" / "foveac"
        foveac.write_text(FAKE_FOVEAC)
        foveac.chmod(0o755)

    def tearDown(self):
        for net in self.nets():
            shutil.rmtree(net)
        self.folder.cleanup()

    def nets(self):
        return sorted((ROOT / "build/nets").glob(self.build.name + "-*"))

    def compile(self, target="dla", **variables):
        """Runs the script; returns its exit status and how often foveac was called by then."""
        environment = {"PATH": os.environ["PATH"], "BUILD": str(self.build), "MODEL": str(self.model), **variables}
        done = subprocess.run([ROOT / "scripts/build_net", target], env=environment, capture_output=True, text=True)
        return done.returncode, len(self.calls.read_text().splitlines())

    def test_a_second_time_does_nothing(self):
        self.assertEqual(self.compile(), (0, 1))
        self.assertEqual(self.compile(), (0, 1))
        self.assertTrue((self.nets()[0] / "model.so").exists())

    def test_a_change_of_an_input_compiles_again(self):
        self.compile()
        self.model.write_text("another network")
        self.assertEqual(self.compile(), (0, 2))
        with (self.build / "bin" / "foveac").open("a") as foveac:
            foveac.write("# a new version\n")
        self.assertEqual(self.compile(), (0, 3))
        (self.nets()[0] / "model.so").unlink()
        self.assertEqual(self.compile(), (0, 4))

    def test_each_set_of_options_has_its_folder(self):
        self.compile()
        self.compile(ROUNDING="floor")
        self.compile(MAPPING="lab")
        self.compile(MACHINE="eyeriss_12x14")
        self.compile(target="cpu")
        ends = {net.name[len(self.build.name):] for net in self.nets()}
        self.assertEqual(ends, {"-eyeriss_6x8-nearest_even-search-dla", "-eyeriss_6x8-floor-search-dla", "-eyeriss_6x8-nearest_even-lab-dla",
                                "-eyeriss_12x14-nearest_even-search-dla", "-nearest_even-cpu"})
        self.assertEqual(len(self.calls.read_text().splitlines()), 5)
        self.assertIn("--target dla --machine sim/spec/machines/eyeriss_12x14.json --rounding nearest_even --mapping search", self.calls.read_text())

    def test_a_failure_is_not_taken_for_a_network(self):
        self.compile()
        self.model.write_text("a broken network")
        self.assertEqual(self.compile(), (1, 2))
        self.model.write_text("a network")
        self.assertEqual(self.compile(), (0, 3))


if __name__ == "__main__":
    unittest.main()
