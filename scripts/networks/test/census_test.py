# SPDX-License-Identifier: Apache-2.0
"""scripts/census: how refusals are grouped, and what it says of files that compile, answer wrongly, are refused or are
no networks."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/networks"))
import census


def write_case(folder, operator, expected=None, elements=3):
    """A network of one operator, the input [0, 1, ...], and the answer that onnx's layout says."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, elements]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"], name="n")], "net", ends[:1], ends[1:])
    model = helper.make_model(graph, producer_name="a person", opset_imports=[helper.make_opsetid("", 13)])
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    if expected is not None:
        (folder / "test_data_set_0").mkdir()
        for file, values in (("input_0.pb", np.arange(elements)), ("output_0.pb", expected)):
            tensor = numpy_helper.from_array(np.array([values], np.float32))
            (folder / "test_data_set_0" / file).write_bytes(tensor.SerializeToString())


class Reasons(unittest.TestCase):
    def test_names_and_numbers_make_no_reason_of_their_own(self):
        for message, node, reason in (
            ("conv1: weights must be int8, not uint8; export them so", "conv1", "weights must be int8, not uint8"),
            ("x: a batch of 3 is not supported; export", "x", "a batch of N is not supported"),
            ("/a/Conv: its result has the shape (1, 4)", "/a/Conv", "its result has the shape SHAPE"),
            ("b: a bias at 5e-24 of /layer/w.q", "b", "a bias at N of NAME"),
            ("n5: stands before n4, which it reads", "n5", "stands before NAME, which it reads"),
            ("q: training_mode=1 is not supported", "q", "training_mode=N is not supported"),
        ):
            self.assertEqual(census.grouped(message, node), (reason, ""))
        self.assertEqual(
            census.grouped("y: operator Det is not supported; see", "y"), ("operator NAME is not supported", "Det")
        )


class Census(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def entries(self, *options):
        said = subprocess.run(
            [ROOT / "scripts/census", self.folder, "--json", *options], capture_output=True, text=True, check=True
        ).stdout
        return {entry["path"]: entry for entry in json.loads(said)}

    def test_each_kind_of_file(self):
        write_case(self.folder / "right", "Neg", [0, -1, -2])
        write_case(self.folder / "near", "Exp", [1, 2.718281, 7.389056])
        write_case(self.folder / "wrong", "Neg", [0, -1, 2])
        write_case(self.folder / "refused", "Det")
        (self.folder / "text.onnx").write_text("no network")
        entries = self.entries()
        self.assertEqual(
            [(path, entry["outcome"], entry["answer"]) for path, entry in sorted(entries.items())],
            [
                ("near/model.onnx", "compiles", "near"),
                ("refused/model.onnx", "refused", ""),
                ("right/model.onnx", "compiles", "equal"),
                ("text.onnx", "refused", ""),
                ("wrong/model.onnx", "compiles", "differs"),
            ],
        )
        self.assertEqual(entries["refused/model.onnx"]["reasons"], [["operator NAME is not supported", "Det"]])
        self.assertEqual(entries["right/model.onnx"]["exporter"], "a person")

    def test_a_file_has_only_so_long(self):
        write_case(self.folder / "right", "Neg", [0, -1, -2])
        entry = self.entries("--seconds", "0")["right/model.onnx"]
        self.assertEqual((entry["outcome"], entry["reasons"]), ("failed", [["takes too long", ""]]))

    def test_a_page_is_compared_and_written(self):
        write_case(self.folder / "right", "Neg", [0, -1, -2])
        page = self.folder / "page.md"
        page.write_text(
            f"# Page\n\n<!-- census {self.folder} -->\n<!-- end -->\n\n<!-- census none -->kept<!-- end -->\n"
        )
        for rebase, status in (("", 1), ("1", 0), ("", 0)):
            ran = subprocess.run(
                [ROOT / "scripts/census", "--page", page],
                env={**census.os.environ, "FOVEA_REBASE": rebase},
                capture_output=True,
                text=True,
            )
            self.assertEqual(ran.returncode, status, ran.stderr)
        self.assertIn("| a person | 1 | 1 | 1 | 0 | 0 | 0 | 0 | - |", page.read_text())
        self.assertIn("kept", page.read_text())


if __name__ == "__main__":
    unittest.main()
