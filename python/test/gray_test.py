# SPDX-License-Identifier: Apache-2.0
"""Pictures of one channel, in FashionMNIST's shape: drawn, packed, quantized with, and known by a LeNet on the CPU, on
the SystemC model and on the RTL."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

import fovea
from programs import BUILD, ROOT, run_program

SCRIPT = ROOT / "scripts/training/lenet_clothes.py"
CLASSES = ["T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]


def numbers_of(path):
    """The pictures of an input.bin, [N, values]."""
    data = path.read_bytes()
    count, at = int.from_bytes(data[:4], "little"), 4
    for _ in range(count):
        at += 4 + int.from_bytes(data[at : at + 4], "little")
    per_class, size = np.frombuffer(data[at : at + 8], "<u4")
    return np.frombuffer(data[at + 8 :], "<f4").reshape(count * per_class, size)


class GrayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        subprocess.run([sys.executable, "-B", SCRIPT, cls.folder], check=True, env=os.environ)
        cls.pictures, cls.model = cls.folder / "pictures", cls.folder / "lenet_q.onnx"
        cls.printed = run_program(
            "foveac",
            "quantize",
            cls.folder / "lenet.fovea",
            "--calibrate",
            cls.pictures,
            "--scales",
            "power2",
            "-o",
            cls.model,
        )
        cls.net = fovea.compile(cls.model)
        cls.bins = {}
        for channels in (1, 3):
            cls.bins[channels] = cls.folder / f"input{channels}.bin"
            run_program("foveac", "dataset", cls.pictures, "--channels", channels, "-o", cls.bins[channels])

    def test_what_it_is_and_where_it_runs(self):
        self.assertEqual(self.net.inputs[0].shape, (1, 28, 28))
        kinds = ["qconv2d_maxpool", "qconv2d_maxpool", "flatten", "qlinear", "qlinear"]  # Quantizing clips at 0.
        self.assertEqual([layer.kind for layer in self.net.layers if layer.target == "dla"], kinds)

    def test_one_channel_is_the_first_of_three_equal_ones(self):
        one, three = numbers_of(self.bins[1]), numbers_of(self.bins[3])
        self.assertEqual((one.shape, three.shape), ((100, 784), (100, 3 * 784)))
        for channel in range(3):
            np.testing.assert_array_equal(one, three[:, channel * 784 : (channel + 1) * 784])

    def test_a_picture_is_its_pixels_with_one_mean_and_deviation(self):
        path = self.pictures / "Bag_3.pgm"
        pixels = np.frombuffer(path.read_bytes()[-784:], np.uint8).reshape(1, 28, 28)
        wanted = (pixels.astype(np.float32) / np.float32(255) - np.float32(0.286)) / np.float32(0.353)
        np.testing.assert_array_equal(self.net.read_picture(path), wanted)
        Image.fromarray(pixels[0]).save(self.folder / "bag.png")
        with Image.open(self.folder / "bag.png") as grey:
            self.assertEqual(grey.mode, "L")
        np.testing.assert_array_equal(self.net.read_picture(self.folder / "bag.png"), wanted)

    def test_all_are_known_whatever_they_come_from(self):
        for data in (self.pictures, self.bins[1], self.bins[3]):
            found = fovea.accuracy(self.net, data)
            self.assertEqual((found.pictures, found.top1.right), (100, 100), data)
        folder = self.folder / "cpu"
        fovea.compile(self.model, target="cpu", folder=folder)
        for data in self.bins.values():
            printed = run_program("test_cpu", "--net", folder, "--model", self.model, "--input", data, "--full")
            self.assertIn("Correct/Total: 100/100", printed)
            self.assertIn("[ 9 -      Ankle boot]  . .", printed)

    def test_quantizing_takes_a_file_of_one_channel(self):
        again = self.folder / "again.onnx"
        words = self.folder / "lenet.fovea", "--scales", "power2", "-o", again
        run_program("foveac", "quantize", "--calibrate", self.bins[1], *words)
        run_program("foveac", "quantize", "--calibrate", self.bins[3], *words[:-1], self.folder / "third.onnx")
        self.assertEqual(again.read_bytes(), (self.folder / "third.onnx").read_bytes())

    def test_the_accelerator_answers_as_the_cpu(self):
        paths = [self.pictures / f"{name}_0.pgm" for name in CLASSES]
        runs = self.net.run_many(paths, backend="systemc")
        for path, run, name in zip(paths, runs, CLASSES):
            np.testing.assert_array_equal(run.output, self.net.run(path, backend="cpu").output)
            self.assertEqual(self.net.classify(run, top=1)[0][0], name)
        if (BUILD / "lib/fovea/libfovea_rtl_eyeriss_6x8.so").exists():
            rtl = self.net.run(paths[0], backend="rtl")
            np.testing.assert_array_equal(rtl.output, runs[0].output)
            self.assertEqual(rtl.cycles, runs[0].cycles)

    def test_another_size_is_refused_in_one_line(self):
        run_program("foveac", "dataset", self.pictures, "--size", "14x14", "--channels", 1, "-o", self.folder / "s.bin")
        with self.assertRaisesRegex(
            fovea.Error, "s.bin: its pictures have 196 numbers; the network takes 2352, or 784 of"
        ):
            fovea.accuracy(self.net, self.folder / "s.bin")


if __name__ == "__main__":
    unittest.main()
