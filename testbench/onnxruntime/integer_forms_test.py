#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does a network that is written in whole float32 numbers answer bit for bit as ONNX Runtime: convolutions and dense
layers, then Mul, Add, Div, Floor and Clip, as exporters of integer networks have them? Or in the operators RequantShift
and BipolarQuant, about which ONNX Runtime is asked written out? On the CPU and on SystemC, and on the accelerator
wherever one scale and an integer bias give the same."""
import shutil
import unittest
from typing import Callable, NamedTuple

import numpy as np
from compiled_networks import FOLDERS, Job, difference, run_all
from model_builder import ModelBuilder
from onnx import TensorProto, numpy_helper
from oracle import Question, ask_onnxruntime

FOLDER = FOLDERS / "integer_forms"


class Form(ModelBuilder):
    """A network of one input "x" [1, 4, 8, 8], float32, and one output "y". :param is_asked: of ONNX operators only."""

    def __init__(self, seed, is_asked):
        super().__init__(opset=13)
        self.is_asked = is_asked
        self.source = np.random.default_rng(seed)
        self.input("x", (1, 4, 8, 8))

    def numbers(self, shape, least, most):
        """Whole numbers in float32."""
        return self.constant(self.source.integers(least, most + 1, shape).astype(np.float32))

    def number(self, value):
        return self.constant(np.asarray(value, np.float32))

    def clip(self, x, least=0, most=255):
        return self.node("Clip", [x, self.number(least), self.number(most)])

    def whole(self, x="x", least=0, most=255):
        """Any numbers as whole ones of 8 bits: on the CPU."""
        return self.clip(self.node("Floor", [x]), least, most)

    def conv(self, x, filters=6, channels=4, size=3, least=-8, most=7, groups=1, **attributes):
        w = self.numbers((filters, channels // groups, size, size), least, most)
        return self.node("Conv", [x, w], pads=[size // 2] * 4, group=groups, **attributes)

    def a_filter(self, least, most, filters=6):
        return self.numbers((1, filters, 1, 1), least, most)

    def requantize(self, x, mul, add=None, div=2**10, least=0, most=255, rounding="Floor"):
        x = self.node("Mul", [x, mul])
        x = self.node("Add", [x, add]) if add else x
        return self.clip(self.node(rounding, [self.node("Div", [x, self.number(div)])]), least, most)

    def requant_shift(self, x, mul, add, div=2**12, levels=256, is_signed=False):
        """:param mul, add: arrays of whole numbers."""
        mul, add = np.float32(mul), np.float32(add)
        if self.is_asked:
            least = -levels // 2 if is_signed else 0
            half = self.constant(add + np.float32(div // 2))
            return self.requantize(x, self.constant(mul), half, div, least, least + levels - 1)
        words = {"div": div, "signed": is_signed, "n_levels_out": levels}
        words = {name: numpy_helper.from_array(np.float32(number)) for name, number in words.items()}
        return self.node("RequantShift", [x, self.constant(mul), self.constant(add)], domain="PACTOps", **words)

    def bipolar(self, x, scale=1.0):
        scale = np.float32(scale)
        if self.is_asked:
            is_positive = self.node("GreaterOrEqual", [x, self.number(0)])
            return self.node("Where", [is_positive, self.constant(scale), self.constant(-scale)])
        return self.node("BipolarQuant", [x, self.constant(scale)], domain="qonnx.custom_op.general")


def one_layer(rounding="Floor", least=0, most=255, weights=(-8, 7), mul=(1, 500), **conv):
    def write(form):
        x = form.conv(form.whole(), least=weights[0], most=weights[1], **conv)
        return form.requantize(x, form.a_filter(*mul), least=least, most=most, rounding=rounding)

    return write


def one_number(div=4096, mul=37):
    """One multiplier and divisor for all filters, which may be no powers of 2."""

    def write(form):
        return form.requantize(form.conv(form.whole()), form.number(mul), div=div)

    return write


def with_offset(levels, weights, multiples=False):
    """Offsets that are multiples of the multipliers are biases; others need few levels, or small weights."""

    def write(form):
        mul = form.source.integers(300, 500, (1, 6, 1, 1)).astype(np.float32)
        add = form.source.integers(-9, 10, mul.shape) * mul if multiples else form.source.integers(-999, 999, mul.shape)
        x = form.conv(form.whole(), least=weights[0], most=weights[1])
        add = form.constant(add.astype(np.float32))
        return form.requantize(x, form.constant(mul), add, div=2**12, most=levels - 1)

    return write


def turned(form):
    """A multiplier below 0 turns the order of numbers."""
    mul = form.constant((np.array([3, -5, 7, -9, 11, 0]).reshape(1, 6, 1, 1) * 40).astype(np.float32))
    return form.requantize(form.conv(form.whole()), mul, least=-128, most=127)


def biased(form):
    """A bias of the convolution itself, and a ReLU before the rest."""
    w, bias = form.numbers((6, 4, 3, 3), -8, 7), form.numbers(6, -900, 900)
    x = form.node("Relu", [form.node("Conv", [form.whole(), w, bias])])
    return form.requantize(x, form.a_filter(100, 200), div=2**11)


def network(form):
    """Layers of all kinds: pools, a residual, depthwise and dense layers."""
    x = form.requantize(form.conv(form.whole()), form.a_filter(50, 300))
    a = form.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
    b = form.requantize(form.conv(a, 6, 6, groups=6), form.a_filter(100, 600), least=-128, most=127)
    c = form.requantize(form.conv(a, 6, 6, 1), form.a_filter(100, 600), least=-128, most=127)
    x = form.clip(form.node("Add", [b, c]), 0, 127)
    x = form.node("Flatten", [form.requantize(form.conv(x, 6, 6), form.a_filter(50, 300))])
    x = form.node("Gemm", [x, form.numbers((10, 96), -50, 50)], transB=1)
    x = form.requantize(x, form.number(3), div=2**12, least=-128, most=127)
    return form.node("MatMul", [x, form.numbers((10, 5), -128, 127)])


def tokens(form):
    x = form.node("Reshape", [form.whole(least=-128, most=127), form.constant(np.array([1, 16, 16], np.int64))])
    x = form.node("MatMul", [x, form.numbers((16, 12), -90, 90)])
    return form.requantize(x, form.number(5), div=2**13, least=-128, most=127, rounding="Round")


def in_one_row(form):
    x = form.node("Reshape", [form.whole(), form.constant(np.array([1, 4, 64], np.int64))])
    x = form.node("Conv", [x, form.numbers((6, 4, 5), -60, 60)], pads=[2, 2])
    return form.requantize(x, form.numbers((1, 6, 1), 1, 200), div=2**14)


def from_a_quantized_value(form):
    one, zero = form.number(1), form.constant(np.uint8(7))
    x = form.node("DequantizeLinear", [form.node("QuantizeLinear", ["x", one, zero]), one, zero])
    return form.requantize(form.conv(x), form.a_filter(1, 500))


def behind_a_cast(element):
    """8-bit integers that are cast to float32."""

    def write(form):
        q = form.node("QuantizeLinear", ["x", form.number(2), form.constant(element(3))])
        x = form.conv(form.node("Cast", [q], to=TensorProto.FLOAT))
        return form.requantize(x, form.a_filter(1, 500))

    return write


def unbounded(form):
    """Numbers without a Clip may be any: on the CPU."""
    return form.requantize(form.conv(form.node("Floor", ["x"])), form.a_filter(1, 500))


def wide(form):
    """Sums beyond 2^24 are rounded in float32: on the CPU."""
    x = form.node("Reshape", [form.whole(), form.constant(np.array([1, 256], np.int64))])
    x = form.node("Concat", [x] * 8, axis=1)
    w = form.constant(np.tile(np.arange(120, 128, dtype=np.float32), (2048, 1)))
    return form.requantize(form.node("MatMul", [x, w]), form.number(1), div=2**18)


def shifted(**words):
    """A RequantShift of each filter, its offset a bias, then one for all. Odd multipliers make no ties."""

    def write(form):
        mul = 2 * form.source.integers(150, 450, (6, 1, 1)) + 1
        x = form.requant_shift(form.conv(form.whole()), mul, mul * form.source.integers(-9, 9, (6, 1, 1)), **words)
        x = form.node("MatMul", [form.node("Flatten", [x]), form.numbers((384, 20), -9, 9)])
        return form.requant_shift(x, [3], [0], div=16 * words.get("levels", 256), **words)

    return write


def shifted_anywhere(form):
    mul, add = form.source.integers(100, 900, (6, 1, 1)), form.source.integers(-9999, 9999, (6, 1, 1))
    return form.requant_shift(form.conv(form.whole()), mul, add)


def bipolar(normalizes, scale=1.0):
    """Signs of signs by signs, with a batch normalization before them or without."""

    def write(form):
        x = form.bipolar(form.node("Sub", ["x", form.number(128)]), scale)
        for channels in (4, 8):
            w = form.bipolar(form.numbers((8, channels, 3, 3), -3, 2), form.source.choice((scale, 1), (8, 1, 1, 1)))
            x = form.node("Conv", [x, w], pads=[1] * 4)
            if normalizes:
                numbers = [form.source.uniform(0.5, 2, 8) * form.source.choice((-1, 1), 8)]
                numbers += [form.source.uniform(-1, 1, 8), form.source.uniform(-2, 2, 8), form.source.uniform(1, 2, 8)]
                x = form.node("BatchNormalization", [x, *(form.constant(n.astype(np.float32)) for n in numbers)])
            x = form.bipolar(x, scale)
        return form.node("Conv", [x, form.numbers((5, 8, 3, 3), -8, 7)])

    return write


class Case(NamedTuple):
    write: Callable
    device_layers: int  # as many are on the accelerator
    is_exact: bool = True  # else ONNX Runtime's order of sums counts, or what its optimizer makes of a product


CASES = {
    "down": Case(one_layer(), 1),
    "to nearest": Case(one_layer("Round", -128, 127), 1),
    "up": Case(one_layer("Ceil", 0, 254), 0),
    "down, with a sign": Case(one_layer("Floor", -128, 127), 1),
    "of few levels": Case(one_layer("Floor", 0, 15, mul=(1, 40)), 1),
    "weights of 8 bits": Case(one_layer(weights=(-128, 127), mul=(1, 31)), 1),
    "strides and groups": Case(one_layer(groups=2, strides=[2, 1]), 1),
    "one shift": Case(one_number(2**9, 1), 1),
    "one scale": Case(one_number(), 1),
    "a quotient by no power of 2": Case(one_number(99, 1), 1),
    "offsets that are biases": Case(with_offset(256, (-8, 7), True), 1),
    "offsets of 4 bits": Case(with_offset(16, (-2, 2)), 1),
    "offsets of 8 bits": Case(with_offset(256, (-128, 127)), 0),
    "multipliers below 0": Case(turned, 1),
    "a bias and a ReLU": Case(biased, 1),
    "a network": Case(network, 5),
    "tokens": Case(tokens, 1),
    "one row": Case(in_one_row, 1),
    "behind DequantizeLinear": Case(from_a_quantized_value, 1),
    "behind a Cast from uint8": Case(behind_a_cast(np.uint8), 1),
    "behind a Cast from int8": Case(behind_a_cast(np.int8), 1),
    "without a Clip": Case(unbounded, 0),
    "beyond 2^24": Case(wide, 0, False),
    "RequantShift": Case(shifted(), 2),
    "RequantShift with a sign": Case(shifted(is_signed=True), 2),
    "RequantShift of 4 bits": Case(shifted(levels=16), 2),
    "RequantShift of any offsets": Case(shifted_anywhere, 0),
    "BipolarQuant": Case(bipolar(False), 2),
    "BipolarQuant behind BatchNormalization": Case(bipolar(True), 2),
    "BipolarQuant at other scales": Case(bipolar(False, 0.5), 0),
}


class IntegerForms(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        self.feeds = {"x": np.random.default_rng(1).uniform(-30, 280, (1, 4, 8, 8)).astype(np.float32)}
        questions, self.models = [], []
        for seed, case in enumerate(CASES.values()):
            for is_asked in (True, False):
                form = Form(seed, is_asked)
                form.node("Identity", [case.write(form)], "y")
                form.output("y")
                form.save(FOLDER / f"{seed}" / ("asked.onnx" if is_asked else "net.onnx"))
            questions.append(Question(FOLDER / f"{seed}" / "asked.onnx", self.feeds))
            self.models.append(FOLDER / f"{seed}" / "net.onnx")
        self.answers = ask_onnxruntime(questions, FOLDER)

    def run_on(self, place, target):
        jobs = [Job(model, model.parent / place, self.feeds, place, target) for model in self.models]
        for (name, case), result, answer in zip(CASES.items(), run_all(jobs, FOLDER), self.answers):
            with self.subTest(name):
                self.assertFalse(answer.error or result.error)
                actual, expected = result.first(), answer.first().reshape(-1)
                self.assertGreater(len(np.unique(expected)), 3)
                if case.is_exact:
                    self.assertEqual(difference({"": actual}, {"y": expected}), "")
                else:
                    self.assertLessEqual(np.max(np.abs(actual - expected)), 1)
                if target == "dla":
                    self.assertEqual(result.device_layers, case.device_layers)

    def test_answer_as_onnxruntime_on_the_host(self):
        self.run_on("host", "cpu")

    def test_answer_as_onnxruntime_on_systemc(self):
        self.run_on("systemc", "dla")


if __name__ == "__main__":
    unittest.main(verbosity=0)
