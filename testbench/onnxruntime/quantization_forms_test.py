#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does a network answer as ONNX Runtime whatever the form in which exporters write its parameters and conversions? A
small network for each form, on the CPU and on SystemC. Where ONNX Runtime computes in float32 what the accelerator
computes on integers, or adds in another order, a result may be a step apart."""
import shutil
import unittest
from typing import Callable, NamedTuple

import numpy as np
import onnx
from compiled_networks import FOLDERS, Job, difference, run_all
from model_builder import ModelBuilder
from onnx import TensorProto
from oracle import Question, ask_onnxruntime

FOLDER = FOLDERS / "quantization_forms"
UINT4, INT4 = 21, 22  # onnx 1.12 has no names for them
NARROW = {
    "uint4": (UINT4, 0, 15),
    "int4": (INT4, -8, 7),
    "uint16": (TensorProto.UINT16, 0, 65535),
    "int16": (TensorProto.INT16, -32768, 32767),
}
SCALE = np.float32(0.05)  # of results


class Form(ModelBuilder):
    """A network of one input "x" [1, 4, 6, 6], float32, and one output "y"."""

    def __init__(self, seed):
        super().__init__(opset=21)
        self.source = np.random.default_rng(seed)
        self.input("x", (1, 4, 6, 6))

    def integers(self, element, shape, least=None, most=None):
        """Any of a type of 8 bits or more, or within bounds."""
        info = np.iinfo(element)
        least, most = info.min if least is None else least, info.max if most is None else most
        return self.source.integers(least, most + 1, shape).astype(element)

    def narrow(self, name, array):
        """A constant of 4 or 16 bits by its bytes, those of 4 packed two a byte."""
        element, _, _ = NARROW[name]
        array = np.asarray(array)
        tensor = onnx.TensorProto(name=f"c{len(self.constants)}", data_type=element, dims=array.shape)
        flat = array.reshape(-1).astype(np.int64)
        if name.endswith("16"):
            tensor.raw_data = (flat & 0xFFFF).astype("<u2").tobytes()
        else:
            nibbles = np.append(flat & 15, [0] * (flat.size % 2)).astype(np.uint8)
            tensor.raw_data = (nibbles[::2] | nibbles[1::2] << 4).tobytes()
        self.constants.append(tensor)
        return tensor.name

    def scale(self, value):
        return self.constant(np.asarray(value, np.float32))

    def convert(self, x, scale, zero_point=None, **attributes):
        """QuantizeLinear and DequantizeLinear. :param zero_point: a name, or None for none."""
        words = [self.scale(scale)] + ([zero_point] if zero_point else [])
        axis = {key: value for key, value in attributes.items() if key != "output_dtype"}
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, *words], **attributes), *words], **axis)

    def activation(self, x="x", scale=0.02, zero_point=np.uint8(128)):
        return self.convert(x, scale, self.constant(zero_point))

    def dequantized(self, q, scale, zero_point=None, **attributes):
        words = [q, self.scale(scale)] + ([zero_point] if zero_point else [])
        return self.node("DequantizeLinear", words, **attributes)

    def weights(self, shape=(5, 4, 3, 3)):
        return self.dequantized(self.constant(self.integers(np.int8, shape, -127)), 0.01)

    def conv(self, x, w, *bias, **attributes):
        return self.node("Conv", [x, w, *bias], pads=[1, 1, 1, 1], **attributes)

    def quantized_conv(self, w, *bias):
        """Between uint8 values: what is on the accelerator."""
        return self.activation(self.conv(self.activation(), w, *bias), SCALE)


def weights_around(element, zero_point, groups=1):
    def write(form):
        w = form.constant(form.integers(element, (8, 4 // groups, 3, 3)))
        w = form.dequantized(w, 0.01, form.constant(element(zero_point)))
        return form.activation(form.conv(form.activation(), w, group=groups), SCALE)

    return write


def weights_around_in_a_dense_layer(form):
    x = form.activation(form.node("Flatten", ["x"]))
    w = form.constant(form.integers(np.uint8, (144, 7)))
    return form.activation(form.node("MatMul", [x, form.dequantized(w, 0.001, form.constant(np.uint8(40)))]), SCALE)


def byte_biases(scale, element=np.int8):
    """At 2^-5 and 2^-7 of input and weights sums are exact in float32, as ONNX Runtime computes them."""

    def write(form):
        w = form.dequantized(form.constant(form.integers(np.int8, (5, 4, 3, 3))), 2.0**-7)
        bias = form.dequantized(form.constant(form.integers(element, (5,))), scale)
        return form.activation(form.conv(form.activation(scale=2.0**-5), w, bias), 2.0**-4)

    return write


def byte_biases_of_tokens(form):
    x = form.node("Reshape", ["x", form.constant(np.array([1, 24, 6], np.int64))])
    w = form.dequantized(form.constant(form.integers(np.int8, (6, 7))), 2.0**-7)
    y = form.node("MatMul", [form.activation(x, 2.0**-5), w])
    bias = form.dequantized(form.constant(form.integers(np.int8, (7,))), 2.0**-9)
    return form.activation(form.node("Add", [y, bias]), 2.0**-5)


def dead_filter(form):
    scales = np.array([0.01, 1e-22, 1e-12, 0.01, 0.01], np.float32)
    w = form.dequantized(form.constant(form.integers(np.int8, (5, 4, 3, 3))), scales, axis=0)
    return form.quantized_conv(w, form.constant(np.array([1, 2, -3, 4, 5], np.float32)))


def int8_activations(form):
    zero = form.constant(np.int8(3))
    x = form.convert(form.conv(form.convert("x", 0.02, zero), form.weights()), SCALE, zero)
    return form.convert(form.node("Relu", [x]), SCALE, zero)


def no_zero_points(form):
    return form.convert(form.conv(form.convert("x", 0.02), form.weights()), SCALE)


def output_dtype(form):
    x = form.convert("x", 2.0**-6, output_dtype=TensorProto.INT8)
    w = form.dequantized(form.constant(form.integers(np.int8, (5, 4, 3, 3))), 2.0**-7)
    return form.convert(form.conv(x, w), 2.0**-4, output_dtype=TensorProto.INT8)


def tiny_scales(form):
    w = form.dequantized(form.constant(form.integers(np.int8, (5, 4, 3, 3))), 1e-30)
    x = form.activation(form.node("Mul", ["x", form.scale(1e-9)]), 1e-11)
    return form.activation(form.node("Mul", [form.conv(x, w), form.scale(1e30)]), 1e-10)


def dequantized_constant(element):
    def write(form):
        q = form.integers(
            element, (1, 4, 6, 6), -999 if element == np.int32 else None, 999 if element == np.int32 else None
        )
        return form.node("Add", ["x", form.dequantized(form.constant(q), 0.02)])

    return write


def weights_moved_behind(op):
    """DequantizeLinear, then Transpose or Reshape, of weights and activations."""

    def write(form):
        if op == "Transpose":
            w = form.dequantized(
                form.constant(form.integers(np.int8, (3, 3, 4, 5))), np.linspace(0.01, 0.03, 5), axis=3
            )
            w = form.node("Transpose", [w], perm=[3, 2, 0, 1])
            x = form.node("Transpose", [form.activation()], perm=[0, 1, 3, 2])
        else:
            w = form.dequantized(form.constant(form.integers(np.int8, (5, 36))), np.linspace(0.01, 0.03, 5), axis=0)
            w = form.node("Reshape", [w, form.constant(np.array([5, 4, 3, 3], np.int64))])
            x = form.node("Reshape", [form.activation(), form.constant(np.array([1, 4, 4, 9], np.int64))])
        return form.activation(form.conv(x, w), SCALE)

    return write


def narrow_weights(name, least=None, most=None, zero_point=None, axis=None):
    def write(form):
        _, low, high = NARROW[name]
        low, high = low if least is None else least, high if most is None else most
        w = form.narrow(name, form.source.integers(low, high + 1, (5, 4, 3, 3)))
        scale = np.linspace(0.01, 0.05, 5) if axis == 0 else 0.02
        zero = [form.narrow(name, np.full(np.shape(scale), zero_point))] if zero_point is not None else []
        return form.quantized_conv(form.dequantized(w, scale, *zero, **({"axis": 0} if axis == 0 else {})))

    return write


def narrow_activations(name, scale, zero_point):
    def write(form):
        zero = form.narrow(name, zero_point)
        x = form.convert("x", scale, zero)
        return form.convert(form.conv(x, form.weights()), 4 * scale, zero)

    return write


def blocked_weights(form):
    x = form.activation(form.node("Flatten", ["x"]))
    w = form.constant(form.integers(np.int8, (144, 7)))
    scales = form.source.uniform(0.001, 0.002, (9, 7)).astype(np.float32)
    w = form.dequantized(w, scales, form.constant(form.integers(np.int8, (9, 7))), axis=0, block_size=16)
    return form.activation(form.node("MatMul", [x, w]), SCALE)


def blocked_activations(form):
    scales = form.source.uniform(0.01, 0.02, (1, 4, 6, 2)).astype(np.float32)
    x = form.convert("x", scales, form.constant(form.integers(np.uint8, (1, 4, 6, 2))), axis=3, block_size=3)
    return form.node("Relu", [x])


def scales_a_channel(form):
    zero = form.constant(np.array([1, 128, 100, 3], np.uint8))
    return form.node("Relu", [form.convert("x", [0.01, 0.02, 0.03, 0.04], zero, axis=1)])


def prelu(form):
    w = form.dequantized(form.constant(form.integers(np.int8, (4, 4, 3, 3))), 0.01)
    slopes = form.constant(form.source.random((4, 1, 1), np.float32))
    return form.activation(form.node("PRelu", [form.quantized_conv(w), slopes]), 0.03, np.uint8(64))


def training_aware(*operators):
    """A convolution, then what training-aware exports have between it and QuantizeLinear: a quotient, a product, a
    sum and a batch normalization, one number a filter."""

    def write(form):
        y = form.conv(form.activation(), form.weights())
        for op in operators:
            signs = form.source.choice((-1, 1), 5)
            numbers = (form.source.uniform(0.5, 2, 5) * signs).astype(np.float32)
            if op == "BatchNormalization":
                others = [form.source.uniform(0.5, 2, 5).astype(np.float32) for _ in range(3)]
                y = form.node(op, [y, *map(form.constant, [numbers, *others])])
            else:
                y = form.node(op, [y, form.constant(numbers.reshape(1, 5, 1, 1))])
        return form.activation(form.node("Relu", [y]), SCALE, np.uint8(0))

    return write


class Case(NamedTuple):
    write: Callable
    device_layers: int  # at least so many are on the accelerator
    steps: float = 0  # of the result's scale that it may be apart
    is_optimized: bool = True  # else ONNX Runtime's optimizer makes a network of it that it then refuses


CASES = {
    **{
        f"{element.__name__} weights around {zero} in groups of {groups}": Case(
            weights_around(element, zero, groups), 1
        )
        for element, zero, groups in (
            (np.uint8, 0, 1),
            (np.uint8, 113, 1),
            (np.uint8, 128, 1),
            (np.uint8, 255, 2),
            (np.int8, 5, 1),
            (np.int8, -128, 4),
        )
    },
    "weights around a zero point in a dense layer": Case(weights_around_in_a_dense_layer, 1),
    "biases of int8": Case(byte_biases(2.0**-6), 1),
    "biases of uint8": Case(byte_biases(2.0**-10, np.uint8), 1),
    "biases of int8 between steps": Case(byte_biases(0.013), 0, 1),
    "biases of int8 of tokens": Case(byte_biases_of_tokens, 1),
    "biases of int16": Case(byte_biases(2.0**-18, np.int16), 1, 1),
    "a dead filter": Case(dead_filter, 1),
    "int8 activations": Case(int8_activations, 1, 1),
    "no zero points": Case(no_zero_points, 1, 1),
    "output_dtype": Case(output_dtype, 1),
    "tiny scales": Case(tiny_scales, 0, 1),
    **{
        f"a dequantized constant of {element.__name__}": Case(dequantized_constant(element), 0)
        for element in (np.uint8, np.int8, np.int32)
    },
    "Transpose behind DequantizeLinear": Case(weights_moved_behind("Transpose"), 1, 1),
    "Reshape behind DequantizeLinear": Case(weights_moved_behind("Reshape"), 1, 1, False),
    "int4 weights": Case(narrow_weights("int4"), 1, 1),
    "int4 weights, a scale a filter": Case(narrow_weights("int4", axis=0, zero_point=3), 1, 1),
    "uint4 weights": Case(narrow_weights("uint4", zero_point=9), 1, 1),
    "int16 weights of 8 bits": Case(narrow_weights("int16", -128, 127), 1, 1),
    "int16 weights of nine bits": Case(narrow_weights("int16", 900, 1155, 1000), 1, 1),
    "int16 weights": Case(narrow_weights("int16", -999, 999), 0, 1),
    "uint16 weights": Case(narrow_weights("uint16", 30000, 30999, 30512), 0, 1),
    "int16 activations": Case(narrow_activations("int16", 2e-4, 100), 0, 1),
    "uint16 activations": Case(narrow_activations("uint16", 2e-4, 32768), 0, 1),
    "int4 activations": Case(narrow_activations("int4", 0.25, -1), 1, 1, False),
    "uint4 activations": Case(narrow_activations("uint4", 0.25, 8), 1, 1, False),
    "blocked weights": Case(blocked_weights, 0, 1, False),
    "blocked activations": Case(blocked_activations, 0),
    "activations with a scale a channel": Case(scales_a_channel, 0),
    **{
        f"training-aware, {', '.join(operators)}": Case(training_aware(*operators), 1, 1)
        for operators in (["BatchNormalization"], ["Div", "BatchNormalization"], ["Mul", "Add"], ["Sub"])
    },
    "PRelu with a slope a channel": Case(prelu, 1),
}


class QuantizationForms(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        feeds = {"x": np.random.default_rng(1).normal(0, 1, (1, 4, 6, 6)).astype(np.float32)}
        self.questions = []
        for seed, case in enumerate(CASES.values()):
            form = Form(seed)
            form.node("Identity", [case.write(form)], "y")
            form.output("y")
            model = FOLDER / f"{seed}" / "net.onnx"
            form.save(model)
            self.questions.append(Question(model, feeds, is_optimized=case.is_optimized))
        self.answers = ask_onnxruntime(self.questions, FOLDER)

    def run_on(self, place, target):
        jobs = [Job(q.model, q.model.parent / place, q.feeds, place, target) for q in self.questions]
        for (name, case), result, answer in zip(CASES.items(), run_all(jobs, FOLDER), self.answers):
            with self.subTest(name):
                self.assertFalse(answer.error or result.error)
                actual, expected = result.first(), answer.first()
                if case.steps == 0:
                    self.assertEqual(difference({"": actual}, {"y": expected}), "")
                else:
                    step = np.min(np.diff(np.unique(expected)))
                    self.assertLess(np.max(np.abs(actual - expected.reshape(-1))), 1.01 * case.steps * step)
                    self.assertLess(np.mean(actual != expected.reshape(-1)), 0.05)
                if target == "dla":
                    self.assertGreaterEqual(result.device_layers, case.device_layers)

    def test_answer_as_onnxruntime_on_the_host(self):
        self.run_on("host", "cpu")

    def test_answer_as_onnxruntime_on_systemc(self):
        self.run_on("systemc", "dla")


if __name__ == "__main__":
    unittest.main(verbosity=0)
