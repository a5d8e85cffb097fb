# SPDX-License-Identifier: Apache-2.0
"""Quantizing and comparing give what foveac quantize and foveac compare give."""
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from programs import DEER, ROOT, VGG8, run_program

FLOAT = ROOT / "models/resnet8_cifar10_float.onnx"
SAMPLES = ROOT / "models/samples"


class NetworksTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_quantizes_as_foveac_does(self):
        printed = run_program(
            "foveac",
            "quantize",
            FLOAT,
            "--calibrate",
            SAMPLES,
            "--per-channel",
            "--inputs",
            4,
            "--method",
            "minmax",
            "-o",
            self.folder / "theirs.onnx",
        ).splitlines()
        seen = []
        made = fovea.quantize(
            FLOAT, SAMPLES, self.folder / "ours.onnx", per_channel=True, inputs=4, method="minmax", progress=seen.append
        )
        self.assertEqual(made.path.read_bytes(), (self.folder / "theirs.onnx").read_bytes())
        self.assertGreater(len(seen), 0)
        self.assertEqual(made.inputs, 4)
        for row, line in zip(made.layers.to_dict("records"), printed[1:]):
            words = line.split()
            self.assertEqual(row["value"], words[0])
            self.assertEqual((str(row["zero_point"]), row["method"]), (words[-3], words[-2]))
            if words[-1] != "exact":
                self.assertEqual(f"{row['sqnr_db']:.1f}", words[-1])
        self.assertIn(f"SQNR {made.outputs['sqnr_db'][0]:.1f} dB on 4 inputs", "\n".join(printed))

    def test_calibrates_on_an_array(self):
        net = fovea.compile(VGG8, target="cpu")
        xs = np.stack([net.read_picture(path) for path in sorted(SAMPLES.glob("*_0.png"))[:3]])
        made = fovea.quantize(FLOAT, xs, self.folder / "q.onnx")
        self.assertEqual(made.inputs, 3)
        self.assertEqual(fovea.compile(made.path).classify(DEER)[0][0], "deer")

    def test_refuses_what_cannot_be_quantized(self):
        with self.assertRaises(fovea.NetworkError):
            fovea.quantize(VGG8, SAMPLES, self.folder / "q.onnx")
        for options, words in [
            ({"method": "guess"}, "best, minmax, mse or percentile"),
            ({"percentile": 3}, "50 to 100"),
            ({"std": (0, 1, 1)}, "std above 0"),
        ]:
            with self.assertRaisesRegex(fovea.UsageError, words):
                fovea.quantize(FLOAT, SAMPLES, self.folder / "q.onnx", **options)
        for inputs, words in [
            (np.zeros((1, 3, 32, 32), np.uint8), "calibrate: an array of uint8; float32"),
            (np.full((1, 3, 32, 32), np.inf), r"calibrate: inputs\[0, 0, 0, 0\] is inf"),
        ]:
            with self.assertRaisesRegex(fovea.UsageError, words):
                fovea.quantize(FLOAT, inputs, self.folder / "q.onnx")
        self.assertFalse((self.folder / "q.onnx").exists())

    def test_finds_no_difference_between_device_and_cpu(self):
        net = fovea.compile(VGG8)
        x = net.read_picture(DEER)
        net.run(x)
        for backend in ("systemc", "cpu"):
            found = fovea.compare(net, net, x, backend_a=backend, backend_b="cpu")
            self.assertIsNone(found.first)
            self.assertTrue(found.layers["is_equal"].all())
            self.assertIn("conv5", found.layers["layer"].tolist())
        self.assertEqual(net.run(x).cycles, 3783673)

    def test_names_the_first_layer_that_differs_as_foveac_does(self):
        nearest, floor = (
            fovea.compile(VGG8, rounding=rounding, target="cpu") for rounding in ("nearest_even", "floor")
        )
        x = nearest.read_picture(DEER)
        x.tofile(self.folder / "x.f32")
        found = fovea.compare(nearest, floor, x)
        text = run_program("fovea", "compare", nearest.folder, floor.folder, "--input", self.folder / "x.f32")
        text = text.replace(str(nearest.folder), f"{nearest.name}-cpu").replace(str(floor.folder), f"{floor.name}-cpu")
        self.assertEqual(found.text, text)
        row = next(row for row in found.layers.to_dict("records") if not row["is_equal"])
        self.assertEqual(row["layer"], found.first)
        self.assertLess(row["equal"], row["elements"])
        (line,) = [line for line in text.splitlines() if "<- the first" in line]
        self.assertTrue(line.startswith(found.first))

    def test_compares_with_a_folder_of_layers(self):
        net = fovea.compile(VGG8, target="cpu")
        x = net.read_picture(DEER)
        x.tofile(self.folder / "x.f32")
        run_program(
            "test_cpu",
            "--net",
            net.folder,
            "--input-raw",
            self.folder / "x.f32",
            "--output-raw",
            self.folder / "y.f32",
            "--dump-layers",
            self.folder / "layers",
        )
        self.assertIsNone(fovea.compare(net, self.folder / "layers", x).first)
        self.assertIsNotNone(fovea.compare(net, self.folder / "layers", -x).first)

    def test_refuses_what_is_no_side(self):
        net = fovea.compile(VGG8, target="cpu")
        with self.assertRaisesRegex(fovea.UsageError, "neither a network nor a folder of layers"):
            fovea.compare(net, VGG8, net.read_picture(DEER))
        with self.assertRaisesRegex(fovea.UsageError, "x: not given"):
            fovea.compare(net, net)


if __name__ == "__main__":
    unittest.main()
