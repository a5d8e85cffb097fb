#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does foveac quantize write what compiles, and what answers as ONNX Runtime does on the written file? Networks of the
forms that people bring: a U-Net, a detector with box decoding, a keyword spotter; and one idea each."""
import json
import shutil
import subprocess
import unittest

import numpy as np
from compiled_networks import FOLDERS, FOVEAC, ROOT, Job, apart, difference, run_all
from model_builder import ModelBuilder
from oracle import Question, ask_onnxruntime

FOLDER = FOLDERS / "quantize"
INPUTS = 6  # that a network is calibrated on
LEAST_DECIBELS = 15  # of an output beside the float network's, on those


class Net(ModelBuilder):
    """Layers with drawn weights."""

    def __init__(self, shape):
        super().__init__()
        self.random = np.random.default_rng(7)
        self.shape = shape
        self.input("x", shape)

    def floats(self, *values):
        return self.constant(np.array(values, np.float32).reshape([] if len(values) == 1 else [-1]))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def weights(self, *shape):
        deviation = 1 / np.sqrt(np.prod(shape[1:]))
        return self.constant((self.random.standard_normal(shape) * deviation).astype(np.float32))

    def conv(self, x, m, c, *kernel, relu=True, groups=1, **attributes):
        pads = [(side - 1) // 2 for side in kernel] * 2
        w, b = self.weights(m, c // groups, *kernel), self.constant(
            (self.random.standard_normal(m) * 0.1).astype(np.float32)
        )
        y = self.node("Conv", [x, w, b], pads=attributes.pop("pads", pads), group=groups, **attributes)
        return self.node("Relu", [y]) if relu else y

    def end(self, *outputs):
        for name in outputs:
            self.output(name)
        return self


def unet():
    net = Net([1, 3, 16, 16])
    fine = net.conv("x", 8, 3, 3, 3)
    middle = net.conv(net.node("MaxPool", [fine], kernel_shape=[2, 2], strides=[2, 2]), 12, 8, 3, 3)
    coarse = net.conv(net.node("MaxPool", [middle], kernel_shape=[2, 2], strides=[2, 2]), 16, 12, 3, 3)
    up = net.node("ConvTranspose", [coarse, net.weights(16, 12, 2, 2)], strides=[2, 2])
    up = net.conv(net.node("Concat", [up, middle], axis=1), 12, 24, 3, 3)
    up = net.node(
        "Resize", [up, "", net.floats(1, 1, 2, 2)], mode="linear", coordinate_transformation_mode="half_pixel"
    )
    up = net.conv(net.node("Concat", [up, fine], axis=1), 8, 20, 3, 3)
    return net.end(net.conv(up, 4, 8, 1, 1, relu=False))


def detector():
    """Boxes as YOLO has them: places (2 sigmoid - 0.5 + grid) * stride, sizes (2 sigmoid)^2 * anchors, scores."""
    net, side = Net([1, 3, 32, 32]), 8
    x = net.conv(net.conv("x", 8, 3, 3, 3, strides=[2, 2]), 16, 8, 3, 3, strides=[2, 2])
    x = net.conv(x, 16, 16, 3, 3, groups=16)
    x = net.conv(x, 2 * 7, 16, 1, 1, relu=False)
    x = net.node("Transpose", [net.node("Reshape", [x, net.ints(1, 2, 7, side * side)])], perm=[0, 1, 3, 2])
    x = net.node("Sigmoid", [x])
    place, size, score = (
        net.node("Slice", [x, net.ints(begin), net.ints(end), net.ints(3)]) for begin, end in ((0, 2), (2, 4), (4, 7))
    )
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape([1, 1, side * side, 2])
    place = net.node("Sub", [net.node("Mul", [place, net.floats(2)]), net.floats(0.5)])
    place = net.node("Mul", [net.node("Add", [place, net.constant(grid.astype(np.float32))]), net.floats(4)])
    anchors = net.constant(np.array([[4, 6], [9, 7]], np.float32).reshape([1, 2, 1, 2]))
    size = net.node("Mul", [net.node("Pow", [net.node("Mul", [size, net.floats(2)]), net.floats(2)]), anchors])
    boxes = net.node("Concat", [place, size, score], axis=3)
    return net.end(net.node("Reshape", [boxes, net.ints(1, -1, 7)]))


def keyword_spotter():
    """On 40 coefficients of 49 frames, along the time."""
    net = Net([1, 40, 49])
    x = net.conv("x", 24, 40, 3, strides=[2])
    for _ in range(2):
        x = net.conv(net.conv(x, 24, 24, 5, groups=24), 24, 24, 1)
    x = net.node("Flatten", [net.node("GlobalAveragePool", [x])])
    return net.end(net.node("Gemm", [x, net.weights(12, 24)], transB=1))


def spectrum():
    """1-D convolutions of what other operators make of three dimensions."""
    net = Net([1, 49, 40])
    x = net.node("Transpose", [net.node("Sub", ["x", net.floats(0.3)])], perm=[0, 2, 1])
    x = net.node("Softmax", [net.conv(x, 24, 40, 3, strides=[2])], axis=-1)
    return net.end(net.conv(net.conv(x, 24, 24, 5), 8, 24, 1, relu=False))


def pool_before_relu():
    net = Net([1, 3, 12, 12])
    x = net.conv("x", 6, 3, 3, 3, relu=False)
    x = net.node("Relu", [net.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])])
    x = net.node("Clip", [net.node("Transpose", [net.conv(x, 6, 6, 3, 3, relu=False)], perm=[0, 1, 3, 2])])
    return net.end(net.conv(x, 4, 6, 1, 1, relu=False))


def constant_outputs():
    net = Net([1, 3, 8, 8])
    anchors = net.constant(np.arange(8, dtype=np.float32).reshape(4, 2))
    x = net.conv("x", 4, 3, 3, 3)
    return net.end(x, net.node("Mul", [anchors, net.floats(2)]))


def shared_constant():
    """A constant that is read on integers and as float."""
    net = Net([1, 3, 8, 8])
    constant = net.constant(np.linspace(-1, 2, 8, dtype=np.float32))
    x = net.node("Add", [net.conv("x", 4, 3, 3, 3), constant])
    return net.end(net.node("Pow", [net.node("Exp", [x]), constant]))


def prelu():
    net = Net([1, 3, 8, 8])
    slope = net.constant(np.array([0.1, 0.3, -0.2, 0.7], np.float32).reshape([4, 1, 1]))
    x = net.node("PRelu", [net.conv("x", 4, 3, 3, 3, relu=False), slope])
    return net.end(net.conv(x, 4, 4, 3, 3, relu=False))


NETWORKS = (unet, detector, keyword_spotter, pool_before_relu, constant_outputs, shared_constant, prelu)
FLOAT_ENDS = (shared_constant,)  # They end in functions of float32, which may differ a little.
# The float network's layers that compare finds in the quantized one too.
COMPARED = {
    unet: "v0 v2 v3 v5 v6 v8_2 v10 v12 v14 v16",
    detector: "v0 v2 v4 v6 v8 v9 v16 v11 v19 v12 v20",
    keyword_spotter: "v0 v2 v4 v6 v8 v10 v12",
    spectrum: "v0 v1 v3 v4 v5 v7",
}


def decibels(actual, expected):
    noise = np.sum((actual - expected) ** 2, dtype=np.float64)
    return 10 * np.log10(np.sum(expected**2, dtype=np.float64) / noise) if noise else np.inf


def quantize(make):
    """The folder of float.onnx and q.onnx, and what it was calibrated on, in inputs.f32 too."""
    place, net = FOLDER / make.__name__, make()
    net.save(place / "float.onnx")
    inputs = net.random.standard_normal([INPUTS, *net.shape[1:]]).astype(np.float32)
    inputs.tofile(place / "inputs.f32")
    words = [FOVEAC, "quantize", place / "float.onnx", "-o", place / "q.onnx", "--calibrate"]
    subprocess.run([*words, place / "inputs.f32"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return place, inputs


class Quantize(unittest.TestCase):
    def test_compare_finds_the_layers_of_the_float_network(self):
        for make, layers in COMPARED.items():
            with self.subTest(make.__name__):
                place, inputs = quantize(make)
                inputs[:1].tofile(place / "x.f32")
                words = [FOVEAC, "compare", "float.onnx", "q.onnx", "--input", "x.f32", "--json"]
                ran = subprocess.run(words, cwd=place, check=True, stdout=subprocess.PIPE)
                pairs = json.loads(ran.stdout)["layers"]
                self.assertEqual(" ".join(pair["layer"] for pair in pairs), layers)
                for pair in pairs:
                    self.assertGreater(pair["sqnr_db"] or np.inf, LEAST_DECIBELS, pair["layer"])

    def test_what_is_written_compiles_and_answers_as_onnxruntime_does(self):
        jobs, questions = [], []
        for make in NETWORKS:
            place, inputs = quantize(make)
            feeds = {"x": inputs[:1]}
            questions += [Question(place / "q.onnx", feeds), Question(place / "float.onnx", feeds)]
            jobs.append(Job(place / "q.onnx", place / "out", feeds))
        answers, results = ask_onnxruntime(questions, FOLDER), run_all(jobs, FOLDER)
        for i, (make, result) in enumerate(zip(NETWORKS, results)):
            with self.subTest(make.__name__):
                quantized, real = answers[2 * i : 2 * i + 2]
                self.assertEqual((result.error, quantized.error, real.error), ("", "", ""))
                if make in FLOAT_ENDS:
                    pairs = zip(result.outputs.values(), quantized.outputs.values(), strict=True)
                    self.assertLessEqual(max(apart(actual, expected) for actual, expected in pairs), 1e-5)
                else:
                    self.assertEqual(difference(result.outputs, quantized.outputs), "")
                for actual, expected in zip(result.outputs.values(), real.outputs.values(), strict=True):
                    self.assertGreater(decibels(actual, expected.reshape(-1)), LEAST_DECIBELS)


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    unittest.main()
