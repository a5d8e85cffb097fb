#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does the compiler know which operators between DequantizeLinear and QuantizeLinear ONNX Runtime computes in float32?
Small networks, one for each rule: operators with `annotation.stop_fusion` are counted against those of the graph that
ONNX Runtime's optimizer writes. At scales of powers of two, where float32 is exact and ties are many, --exact-to ort
answers bit for bit."""
import json
import shutil
import subprocess
import unittest

import numpy as np
import onnx
from compiled_networks import FOLDERS, FOVEAC, Job, difference, run_all
from model_builder import ModelBuilder
from oracle import Question, ask_onnxruntime

FOLDER = FOLDERS / "kept_in_float"
SX, SW, SY = 2.0**-4, 2.0**-6, 2.0**-2  # of inputs, weights and results
# ONNX Runtime's own fusions have names of their own.
FLOAT_FORMS = {"Conv", "FusedConv", "ConvTranspose", "Gemm", "FusedGemm", "MatMul", "Add", "Mul", "Softmax"}
FLOAT_FORMS |= {"AveragePool", "GlobalAveragePool"}


class Graph(ModelBuilder):
    """A network of one float32 input "x", whose outputs are all float32."""

    def __init__(self, shape, opset=13):
        super().__init__(opset)
        self.source = np.random.default_rng(len(shape))
        self.shape = shape
        self.input("x", shape)

    def convert(self, op, x, scale, zero_point, **attributes):
        """:param zero_point: None for none."""
        words = [] if zero_point is None else [self.constant(zero_point)]
        return self.node(op, [x, self.constant(np.float32(scale)), *words], **attributes)

    def quantize(self, x, scale=SX, zero_point=np.uint8(0), **attributes):
        return self.convert("QuantizeLinear", x, scale, zero_point, **attributes)

    def dequantize(self, q, scale=SX, zero_point=np.uint8(0), **attributes):
        return self.convert("DequantizeLinear", q, scale, zero_point, **attributes)

    def pair(self, x="x", scale=SX, zero_point=np.uint8(0)):
        return self.dequantize(self.quantize(x, scale, zero_point), scale, zero_point)

    def parameter(self, shape, scale=SW, element=np.int8, zero_point=0, **attributes):
        info = np.iinfo(element)
        q = self.constant(self.source.integers(max(info.min, -99), min(info.max, 99), shape).astype(element))
        return self.dequantize(q, scale, None if zero_point is None else element(zero_point), **attributes)

    def numbers(self, *shape):
        return self.constant((self.source.integers(-64, 64, shape) * SX * SW).astype(np.float32))

    def conv(self, x, *bias, shape=(4, 3, 3, 3), **attributes):
        return self.node("Conv", [x, self.parameter(shape), *bias], **attributes)

    def result(self, y, scale=SY, zero_point=np.uint8(0)):
        """A QuantizeLinear and a DequantizeLinear are the end."""
        self.keep(self.pair(y, scale, zero_point))

    def keep(self, y):
        self.output(y)


PICTURE, ROW, TOKENS = (1, 3, 8, 8), (1, 8), (1, 5, 8)
NETWORKS = {}


def network(shape=PICTURE, opset=13):
    """Writes a network of that name."""

    def register(write):
        def build():
            graph = Graph(shape, opset)
            write(graph)
            return graph

        NETWORKS[write.__name__] = build
        return write

    return register


def behind_conv(name, *operators, zero_point=0, bias=False, opset=13):
    """A quantized convolution and operators, each (op, further inputs, attributes), before its QuantizeLinear."""

    def write(graph):
        y = graph.conv(graph.pair(), *([graph.numbers(4)] if bias else []))
        for op, constants, attributes in operators:
            y = graph.node(op, [y, *(graph.constant(np.asarray(each)) for each in constants)], **attributes)
        graph.result(y, zero_point=np.uint8(zero_point))

    write.__name__ = name
    network(opset=opset)(write)


RELU, LEAKY = ("Relu", [], {}), ("LeakyRelu", [], {"alpha": 0.5})
POOL = ("MaxPool", [], {"kernel_shape": [2, 2]})
CLIP = ("Clip", [np.float32(0), np.float32(6)], {})
ONES = np.ones(4, np.float32)
behind_conv("alone")
behind_conv("float_bias", bias=True)
behind_conv("relu_at_zero", RELU)
behind_conv("relu_above_zero", RELU, zero_point=3)
behind_conv("clip_within", CLIP)
behind_conv("max_pool", POOL, zero_point=3)
behind_conv("relu_max_pool", RELU, POOL)
behind_conv("relu_above_zero_max_pool", RELU, POOL, zero_point=3)
behind_conv("max_pool_relu_above_zero", POOL, RELU, zero_point=3)
behind_conv("relu_reshape", RELU, ("Reshape", [np.array([1, -1])], {}))
behind_conv("flatten", ("Flatten", [], {}))
behind_conv("identity", ("Identity", [], {}))
behind_conv("transpose", ("Transpose", [], {"perm": [0, 2, 3, 1]}))
behind_conv("slice", ("Slice", [np.array([0]), np.array([2]), np.array([1])], {}))
behind_conv("leaky_relu", LEAKY)
behind_conv("batch_normalization", ("BatchNormalization", [ONES, 0 * ONES, 0 * ONES, ONES], {"epsilon": 0.0}), RELU)
behind_conv("product", ("Mul", [ONES.reshape(4, 1, 1) / 2], {}))
behind_conv("newest_opset", RELU, opset=25)


@network()
def clip_as_quantization_does(graph):
    y = graph.node("Clip", [graph.conv(graph.pair()), *(graph.constant(np.float32(n)) for n in (0, 255 * SY))])
    graph.result(y)


@network()
def scales_and_zero_points_of_one_dimension(graph):
    words = [graph.constant(np.full(1, SY, np.float32)), graph.constant(np.zeros(1, np.uint8))]
    y = graph.node("QuantizeLinear", [graph.node("Relu", [graph.conv(graph.pair())]), *words])
    graph.keep(graph.node("DequantizeLinear", [y, *words]))


@network()
def zero_point_behind_identity(graph):
    words = [graph.constant(np.float32(SX)), graph.node("Identity", [graph.constant(np.uint8(0))])]
    x = graph.node("DequantizeLinear", [graph.node("QuantizeLinear", ["x", *words]), *words])
    graph.result(graph.conv(x))


@network()
def quantized_twice(graph):
    y = graph.conv(graph.pair())
    graph.result(y)
    graph.result(y, 2 * SY)


@network()
def an_output_too(graph):
    y = graph.conv(graph.pair())
    graph.result(y)
    graph.keep(y)


@network()
def two_read_uint8(graph):
    x = graph.pair()
    graph.result(graph.conv(x))
    graph.result(graph.conv(x))


def signed(graph, x="x", scale=SX):
    return graph.pair(x, scale, np.int8(0))


@network()
def int8(graph):
    graph.result(graph.conv(signed(graph)), zero_point=np.int8(0))


@network()
def two_read_int8(graph):
    x = signed(graph)
    graph.result(graph.conv(x), zero_point=np.int8(0))
    graph.result(graph.conv(x), zero_point=np.int8(0))


@network()
def one_reads_int8_through_a_pool(graph):
    x = signed(graph)
    graph.result(graph.conv(graph.node("MaxPool", [x], kernel_shape=[2, 2])), zero_point=np.int8(0))
    graph.result(graph.conv(x), zero_point=np.int8(0))


@network(opset=21)
def int8_without_zero_point(graph):
    y = graph.quantize(graph.conv(signed(graph)), SY, None, output_dtype=onnx.TensorProto.INT8)
    graph.keep(graph.dequantize(y, SY, None))


@network()
def two_dequantize_an_int8_result(graph):
    y = graph.quantize(graph.conv(signed(graph)), SY, np.int8(0))
    for op in ("Abs", "Neg"):
        graph.keep(graph.node(op, [graph.dequantize(y, SY, np.int8(0))]))


@network()
def uint8_to_int8(graph):
    graph.result(graph.conv(graph.pair()), zero_point=np.int8(0))


@network(opset=21)
def int16(graph):
    graph.result(graph.conv(graph.pair(zero_point=np.int16(0))), zero_point=np.int16(0))


def biased(name, scale, element=np.int32):
    def write(graph):
        graph.result(graph.conv(graph.pair(), graph.parameter((4,), scale, element)))

    write.__name__ = name
    network()(write)


biased("bias_at_the_scale", SX * SW)
biased("bias_at_another_scale", SX * SW * 2)
biased("bias_of_int8", SX * SW, np.int8)


def unquantized(name, op, bias, *operators, zero_point=3, bounds=(-1, 2)):
    """A product whose weights, maybe with a bias, are float32: ONNX Runtime quantizes them where it can."""

    def write(graph):
        shape = {"Conv": (4, 3, 3, 3), "ConvTranspose": (3, 4, 2, 2), "Gemm": (8, 4)}[op]
        constants = [graph.source.uniform(*bounds, each).astype(np.float32) for each in (shape, 4)[: 1 + bias]]
        y = graph.node(op, [graph.pair(), *map(graph.constant, constants)])
        for behind, _, words in operators:
            y = graph.node(behind, [y], **words)
        graph.result(y, zero_point=np.uint8(zero_point))

    write.__name__ = name
    network(ROW if op == "Gemm" else PICTURE)(write)


unquantized("float_weights", "Conv", False)
unquantized("float_weights_and_bias", "Conv", True)
unquantized("float_weights_of_one_sign", "Conv", False, bounds=(0.5, 2))
unquantized("float_weights_max_pool", "Conv", True, RELU, POOL, zero_point=0)
unquantized("float_weights_relu_above_zero", "Conv", True, RELU)
unquantized("float_weights_transposed", "ConvTranspose", True)
unquantized("float_weights_gemm", "Gemm", True)


@network()
def float_bias_kept_in_float(graph):
    bias = graph.constant(graph.source.uniform(-1, 1, 4).astype(np.float32))
    graph.result(graph.node("Relu", [graph.conv(graph.pair(), bias)]), zero_point=np.uint8(3))


@network()
def unquantized_activation_between(graph):
    x = graph.node("Concat", [graph.pair(), graph.pair("x", SX / 2)], axis=2)
    graph.result(graph.conv(x))


@network()
def pad_before(graph):
    x = graph.node("Pad", [graph.pair(), graph.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1]))])
    graph.result(graph.conv(x))


@network()
def transposed_convolution(graph):
    y = graph.node("ConvTranspose", [graph.pair(), graph.parameter((3, 4, 2, 2))], strides=[2, 2])
    graph.result(y)


@network()
def transposed_weights(graph):
    w = graph.node("Transpose", [graph.parameter((3, 4, 3, 3))], perm=[1, 0, 2, 3])
    graph.result(graph.node("Conv", [graph.pair(), w]))


@network()
def convolution_1d(graph):
    x = graph.node("Reshape", [graph.pair(), graph.constant(np.array([1, 3, 64]))])
    graph.result(graph.conv(x, shape=(4, 3, 3)))


@network(ROW)
def gemm(graph):
    graph.result(graph.node("Gemm", [graph.pair(), graph.parameter((8, 4))]))


@network(ROW)
def gemm_relu_above_zero(graph):
    y = graph.node("Relu", [graph.node("Gemm", [graph.pair(), graph.parameter((8, 4))])])
    graph.result(y, zero_point=np.uint8(3))


@network(ROW)
def two_gemms_read_int8(graph):
    x = signed(graph)
    for _ in range(2):
        graph.result(graph.node("Gemm", [x, graph.parameter((8, 4))]), zero_point=np.int8(0))


@network(TOKENS)
def matmul(graph):
    graph.result(graph.node("MatMul", [graph.pair(), graph.parameter((8, 4))]))


@network(TOKENS)
def matmul_and_bias(graph):
    y = graph.node("MatMul", [graph.pair(), graph.parameter((8, 4))])
    graph.result(graph.node("Add", [graph.numbers(4), y]))


@network((8, 8))
def matmul_of_activations(graph):
    graph.result(graph.node("MatMul", [graph.pair(), graph.pair("x", 2 * SX)]))


def binary(name, op, zero_point=None, signs=(np.uint8, np.uint8), is_shared=False):
    """A Relu is behind it where there is a zero point."""

    def write(graph):
        a = graph.pair("x", SX, signs[0](0))
        b = a if is_shared else graph.pair("x", 2 * SX, signs[1](0))
        y = graph.node(op, [a, b])
        y = y if zero_point is None else graph.node("Relu", [y])
        graph.result(y, zero_point=signs[0](zero_point or 0))

    write.__name__ = name
    network()(write)


binary("sum", "Add")
binary("sum_relu_at_zero", "Add", 0)
binary("sum_relu_above_zero", "Add", 3)
binary("product_relu_above_zero", "Mul", 3)
binary("sum_of_int8", "Add", signs=(np.int8, np.int8))
binary("sum_of_both_signs", "Add", signs=(np.uint8, np.int8))
binary("sum_of_an_int8_and_itself", "Add", signs=(np.int8, np.int8), is_shared=True)


@network()
def int8_residual(graph):
    x = signed(graph)
    y = graph.pair(graph.conv(x, shape=(3, 3, 1, 1)), SY, np.int8(0))
    graph.result(graph.node("Add", [x, y]), zero_point=np.int8(0))


def pool(name, op, *operators, zero_point=3, **attributes):
    def write(graph):
        y = graph.node(op, [graph.pair()], **attributes)
        for behind, constants, words in operators:
            y = graph.node(behind, [y, *(graph.constant(each) for each in constants)], **words)
        graph.result(y, zero_point=np.uint8(zero_point))

    write.__name__ = name
    network()(write)


pool("average_pool", "AveragePool", kernel_shape=[2, 2])
pool("average_pool_relu", "AveragePool", RELU, kernel_shape=[2, 2])
pool("global_average_pool", "GlobalAveragePool")
pool("global_average_pool_flatten", "GlobalAveragePool", ("Flatten", [], {}))
pool("global_average_pool_squeeze", "GlobalAveragePool", ("Squeeze", [np.array([2, 3])], {}))


def kept_by_onnxruntime(path):
    """Operators that are still float32 and read what is dequantized, maybe through what moves elements."""
    nodes = onnx.load(path).graph.node
    makers = {output: node for node in nodes for output in node.output}

    def is_dequantized(value):
        maker = makers.get(value)
        if maker is None or maker.op_type == "DequantizeLinear":
            return maker is not None
        return maker.op_type in ("Reshape", "MaxPool") and is_dequantized(maker.input[0])

    return sum(node.op_type in FLOAT_FORMS and is_dequantized(node.input[0]) for node in nodes)


def kept_by_compiler(path):
    words = [FOVEAC, path, "--exact-to", "ort", "--stop-after", "float-outputs"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return text.count("annotation.stop_fusion(")


class KeptInFloat(unittest.TestCase):
    def test_as_onnxruntime(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        questions = []
        for name, build in NETWORKS.items():
            graph, path = build(), FOLDER / f"{name}.onnx"
            graph.save(path)
            x = np.random.default_rng(len(questions)).integers(-64, 64, graph.shape).astype(np.float32) / 16
            questions.append(Question(path, {"x": x}, optimized=FOLDER / f"{name}.optimized.onnx"))
        answers = ask_onnxruntime(questions, FOLDER)
        jobs = [Job(q.model, FOLDER / q.model.stem, q.feeds, options=("--exact-to", "ort")) for q in questions]
        counts = []
        for question, answer, result in zip(questions, answers, run_all(jobs, FOLDER)):
            with self.subTest(question.model.stem):
                self.assertEqual(answer.error or result.error, "")
                counts.append(kept_by_onnxruntime(question.optimized))
                self.assertEqual(kept_by_compiler(question.model), counts[-1])
                self.assertEqual(difference(result.outputs, answer.outputs), "")
        self.assertTrue(0 in counts and 1 in counts and 2 in counts)

    def test_check_says_which_and_why(self):
        for name, why in (
            ("relu_at_zero", []),
            ("relu_above_zero", ["its QuantizeLinear cuts off less than Relu does"]),
        ):
            path = FOLDER / "check" / f"{name}.onnx"
            NETWORKS[name]().save(path)
            for words in ([], ["--exact-to", "ort"]):
                said = subprocess.run([FOVEAC, "check", path, "--json", *words], check=True, capture_output=True)
                layers = json.loads(said.stdout)["float_in_onnx_runtime"]
                self.assertEqual([layer["why"] for layer in layers], [] if words else why)
        refused = subprocess.run([FOVEAC, "check", "net.txt", "--exact-to", "ort"], capture_output=True, text=True)
        self.assertIn("leave --exact-to out", refused.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=0)
