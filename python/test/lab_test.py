# SPDX-License-Identifier: Apache-2.0
"""The AI-on-Chip lab's page, followed in Python with the tutorial's fuse.py, on the lab's own network: its composites,
its C and its percentages."""
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from programs import ROOT, run_program

LAB = ROOT.parent / "shared/models/alexnetbn_v2-power2.onnx"
PICTURES = ROOT.parent / "shared/data/cifar10_test100_input.bin"
# The page's table of composites, by layer, and its percentages of picture 9 of class 4.
COMPOSITES = {
    "quantize": "quantize",
    "conv1": "qconv2d_relu_maxpool",
    "conv2": "qconv2d_relu_maxpool",
    "conv3": "qconv2d_relu",
    "conv4": "qconv2d_relu",
    "conv5": "qconv2d_relu_maxpool",
    "flatten": "flatten",
    "fc6": "qlinear_relu",
    "fc7": "qlinear_relu",
    "fc8": "qlinear",
    "dequantize": "dequantize",
}
PERCENTAGES = "5.203 0.058 0.621 0.333 20.578 0.484 0.058 71.826 0.090 0.750".split()
# The page shows 12 lines of the table, 14 of the one pattern that it spells out, and has six more patterns written.
MOST_LINES = 12 + 14 + 6 * 3


def fuse_py():
    """The file that the tutorial has its reader write."""
    page = (ROOT / "docs/tutorials/patterns.md").read_text()
    [text] = re.findall(r"^```python file \S*/fuse\.py\n(.*?)^```", page, re.M | re.S)
    return text


def picture(category, index):
    """As the network takes it: normalized."""
    pixels = np.frombuffer(PICTURES.read_bytes()[-100 * 3072 * 4 :], np.float32).reshape(10, 10, 3, 32, 32)
    mean, deviation = np.float32([[0.4914, 0.4822, 0.4465], [0.247, 0.243, 0.261]])[..., None, None]
    return (pixels[category, index] - mean) / deviation


class LabTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        names = {}
        exec(compile(fuse_py(), "fuse.py", "exec"), names)  # pylint: disable=exec-used
        cls.table = names["PATTERN_TABLE"]

    def setUp(self):
        if not LAB.exists() or not PICTURES.exists():
            self.skipTest("the lab's network and pictures, which are not ours to ship, are not beside the repository")

    def test_as_few_lines_as_the_page(self):
        lines = [line for line in fuse_py().splitlines() if line.strip() and not line.startswith('"""')]
        self.assertLessEqual(len(lines), MOST_LINES)

    def test_composites_and_percentages(self):
        net = fovea.compile(LAB, rounding="floor", fusions=self.table)
        self.assertEqual([each.why for each in net.fusions], [""] * len(COMPOSITES))
        self.assertEqual({layer.name: layer.kind for layer in net.layers}, COMPOSITES)
        for backend in ("cpu", "systemc"):
            weights = np.exp(net.run(picture(4, 9), backend=backend).output.astype(np.float64))
            self.assertEqual([f"{100 * share:.3f}" for share in weights / weights.sum()], PERCENTAGES)

    def test_the_labs_code(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "fused").mkdir()
            fused = folder / "fused" / f"{LAB.stem}.fovea"
            fovea.PassContext(fusions=self.table).run(fovea.ir.load(LAB), "merge-composites", target="dla").save(fused)
            for model, made in ((fused, "ours"), (LAB, "own")):
                run_program("foveac", model, "--style", "lab", "-o", folder / made)
            for file in ("model.c", "weight.c", "weight.h", "weight.bin"):
                ours, own = [(folder / made / file).read_bytes() for made in ("ours", "own")]
                self.assertEqual(ours, own, file)
                self.assertGreater(len(own), 100)


if __name__ == "__main__":
    unittest.main()
