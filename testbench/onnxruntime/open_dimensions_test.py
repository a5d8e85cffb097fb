#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Networks whose files leave dimensions open answer as ONNX Runtime. Sizes are from --shape, or from what a run is
given; where they follow from neither, a message says what to type. Shapes are enough for check and map."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import numpy as np
import onnx
from compiled_networks import BUILD, FOLDERS
from model_builder import ModelBuilder
from onnx import TensorProto
from oracle import Question, ask_onnxruntime

FOLDER = FOLDERS / "open_dimensions"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def network(path, *shapes):
    """The mean of all that each input's convolution makes, added, between QuantizeLinear and DequantizeLinear."""
    model, parts = ModelBuilder(), []
    weights = np.random.default_rng(3).integers(-9, 9, (4, 3, 3, 3)).astype(np.int8)
    scale, zero = model.constant(np.float32(1 / 64)), model.constant(np.uint8(128))
    w = model.node("DequantizeLinear", [model.constant(weights), scale, model.constant(np.int8(0))])
    for place, shape in enumerate(shapes):
        model.input(f"x{place}", shape)
        q = model.node("QuantizeLinear", [f"x{place}", scale, zero])
        parts.append(model.node("Conv", [model.node("DequantizeLinear", [q, scale, zero]), w]))
    whole = parts[0] if len(parts) == 1 else model.node("Add", parts)
    y = model.node("GlobalAveragePool", [whole])
    q = model.node("QuantizeLinear", [y, scale, zero])
    model.node("DequantizeLinear", [q, scale, zero], "y")
    model.output("y")
    model.save(path)
    return path


class OpenDimensions(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, FOLDER)
        self.random = np.random.default_rng(1)

    def drawn(self, *shape):
        return self.random.uniform(-2, 2, shape).astype(np.float32)

    def fovea(self, *words):
        return subprocess.run(
            [BUILD / "bin/fovea", *map(str, words)],
            env={**os.environ, "FOVEA_CACHE": str(FOLDER / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )

    def answers(self, model, feeds, *words, file=None):
        """Asserts that `fovea run` gives ONNX Runtime's answer. :param file: of the only input, instead of raw ones."""
        files = [str(file)] if file else []
        for name, array in feeds.items() if not file else ():
            raw = FOLDER / f"{name}.f32"
            array.tofile(raw)
            files.append(str(raw) if len(feeds) == 1 else f"{name}={raw}")
        given = ["--input-raw", ",".join(files), "--output-raw", FOLDER / "y.f32"]
        ran = self.fovea("run", model, "--backend", "cpu", *given, *words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        expected = ask_onnxruntime([Question(model, feeds)], FOLDER)[0].first()
        np.testing.assert_array_equal(np.fromfile(FOLDER / "y.f32", np.float32), expected.reshape(-1))

    def test_are_as_the_shape_says(self):
        model = network(FOLDER / "net.onnx", ["n", 3, "h", "w"])
        for height, width in ((8, 8), (5, 9), (9, 5)):  # the same file: each is compiled by itself
            self.answers(model, {"x0": self.drawn(1, 3, height, width)}, "--shape", f"x0=1x3x{height}x{width}")

    def test_of_one_name_have_one_size(self):
        model = network(FOLDER / "net.onnx", [1, 3, "h", 6], [1, 3, "h", 6])
        self.answers(model, {"x0": self.drawn(1, 3, 7, 6), "x1": self.drawn(1, 3, 7, 6)}, "--shape", "x1=1x3x7x6")

    def test_follow_from_raw_inputs(self):
        model = network(FOLDER / "net.onnx", ["n", 3, 6, "w"], [1, 3, None, 7])
        self.answers(model, {"x0": self.drawn(1, 3, 6, 7), "x1": self.drawn(1, 3, 6, 7)})

    def test_follow_from_npy_files(self):
        model = network(FOLDER / "net.onnx", ["n", 3, "h", "w"])
        for shape in ((1, 3, 6, 8), (3, 8, 6)):
            np.save(FOLDER / "x.npy", self.drawn(*shape))
            ran = self.fovea("compare", model, model, "--input", FOLDER / "x.npy", "--expect-equal")
            self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_follow_from_npy_files_of_a_run(self):
        model, x = network(FOLDER / "net.onnx", ["n", 3, "h", "w"]), self.drawn(1, 3, 6, 8)
        np.save(FOLDER / "x.npy", x)
        self.answers(model, {"x0": x}, file=FOLDER / "x.npy")

    def test_follow_from_a_picture(self):
        model = network(FOLDER / "net.onnx", ["n", 3, "h", "w"])
        (FOLDER / "x.ppm").write_bytes(b"P6 6 7 255\n" + bytes(range(6 * 7 * 3)))
        ran = self.fovea("run", model, "--backend", "cpu", "--image", FOLDER / "x.ppm")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_batch_has_the_answers_of_its_pictures(self):
        x = self.drawn(4, 3, 6, 8)
        open_batch, one = (network(FOLDER / f"{batch}.onnx", [batch, 3, 6, 8]) for batch in ("n", 1))
        self.answers(open_batch, {"x0": x}, "--batch", 4)
        several = np.fromfile(FOLDER / "y.f32", np.float32)
        self.answers(open_batch, {"x0": x})  # the batch follows from the file, raw or not
        np.save(FOLDER / "x.npy", x)
        self.answers(open_batch, {"x0": x}, file=FOLDER / "x.npy")
        x.tofile(FOLDER / "x.f32")
        given = ["--input-raw", FOLDER / "x.f32", "--output-raw", FOLDER / "y.f32", "--batch", 4]
        ran = self.fovea("run", one, "--backend", "cpu", *given)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        np.testing.assert_array_equal(np.fromfile(FOLDER / "y.f32", np.float32), several)

    def test_inputs_of_float64_and_int64_are_read(self):
        model, x = ModelBuilder(), self.drawn(1, 8).astype(np.float64)
        model.input("x", [1, 8], TensorProto.DOUBLE)
        model.node("Relu", ["x"], "y")
        model.output("y", element=TensorProto.DOUBLE)
        model.save(FOLDER / "net.onnx")
        np.save(FOLDER / "x.npy", x)
        given = ["--input-raw", FOLDER / "x.npy", "--output-raw", FOLDER / "y.f32"]
        ran = self.fovea("run", FOLDER / "net.onnx", "--backend", "cpu", *given)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        np.testing.assert_array_equal(np.fromfile(FOLDER / "y.f32", np.float32), np.maximum(x, 0).reshape(-1))
        np.save(FOLDER / "x.npy", np.arange(16777216, 16777224).reshape(1, 8))
        ran = self.fovea("run", FOLDER / "net.onnx", "--backend", "cpu", *given)
        self.assertIn("holds 16777217, which is rounded where inputs are float32", ran.stderr)
        self.assertEqual(ran.returncode, 1)

    def test_are_enough_where_weights_are_missing(self):
        whole, bare = ROOT / "models/resnet8_cifar10_power2.onnx", FOLDER / "bare.onnx"
        model = onnx.load(whole)
        weights = [constant for constant in model.graph.initializer if len(constant.dims) == 4]
        for constant in weights:
            constant.ClearField("raw_data")
        onnx.save(model, bare)
        missing = f"{bare}: {weights[0].name} and {len(weights) - 1} other constants have no data"
        layers = [self.fovea("check", "--json", path) for path in (whole, bare)]
        found = [json.loads(said.stdout) for said in layers]
        self.assertEqual(found[1].pop("missing_data"), f"{missing}; figures are of shapes only")
        self.assertEqual(found[0] | {"model": "bare"}, found[1])
        self.assertIn(f"{missing}; figures are of shapes only\nits shapes compile\n", self.fovea("check", bare).stdout)
        mapped = [self.fovea("map", path).stdout for path in (whole, bare)]
        self.assertEqual(f"{mapped[0]}\n{missing}; figures are of shapes only\n", mapped[1])
        for whole_network in ([], ["--network"]):
            said = json.loads(self.fovea("map", *whole_network, "--json", bare).stdout)
            self.assertEqual(said["missing_data"], f"{missing}; figures are of shapes only")
        ran = self.fovea("run", bare, "--backend", "cpu")
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(
            ran.stderr,
            f"fovea: {missing}; export the model with its weights,"
            " or look at shapes only: foveac check and foveac map\n",
        )

    def test_are_named_where_they_are_unknown(self):
        model = network(FOLDER / "net.onnx", ["n", 3, "h", "w"])
        self.drawn(1, 3, 6, 6).tofile(FOLDER / "x.f32")
        ran = self.fovea("run", model, "--backend", "cpu", "--input-raw", FOLDER / "x.f32")
        self.assertEqual(
            ran.stderr,
            "fovea: x0: dimensions 2 (h), 3 (w) have no size in the file; give the input's shape, such as --shape"
            " x0=1x3x224x224\n",
        )
        self.assertNotEqual(ran.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=0)
