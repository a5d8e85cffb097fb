#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does float32 in a network answer as ONNX Runtime's? Random networks of float operators, some with quantized values
among them: FLOAT_CASES=n draws n of them, SEED=n others. And networks of one idea each, CASES / 50 of each: one float
operator between or behind quantized ones, dynamically quantized products, 8-bit ends, ArgMax, ConvTranspose."""
import shutil
import unittest

import numpy as np
from compiled_networks import FOLDERS, Job, apart, number, run_all
from drawing import draw_network
from float_network import FloatDrawing, FloatNetwork
from onnx import TensorProto, mapping
from onnx_forms import Form
from oracle import Question, ask_onnxruntime

SEED, CASES, FLOAT_CASES = number("SEED", 2024), number("CASES", 100), number("FLOAT_CASES", 40)
# Of the largest value of an answer: float32 sums in another order differ by less. Of LEAST_SUM where all are smaller,
# in one of 1,000 networks: their sums of larger terms cancel.
MICROSOFT = "com.microsoft"
MOST_APART, LEAST_SUM = 1e-5, 1 / 16


class FloatTest(unittest.TestCase):
    def compare(self, networks, check):
        """Calls check(ours, ONNX Runtime's) with the outputs of each network. Keeps the files where one fails.
        :param networks: (words, model that ONNX Runtime is asked about, the one that is compiled)."""
        folder = FOLDERS / "float_networks" / type(self).__name__
        shutil.rmtree(folder, ignore_errors=True)
        jobs, questions = [], []
        for i, (_, asked, net) in enumerate(networks):
            place = folder / f"{i}"
            asked.save(place / "asked.onnx")
            net.save(place / "net.onnx")
            questions.append(Question(place / "asked.onnx", asked.feeds))
            jobs.append(Job(place / "net.onnx", place / "out", net.feeds))
        passed = 0
        answers, results = ask_onnxruntime(questions, folder), run_all(jobs, folder)
        for (words, _, _), job, result, answer in zip(networks, jobs, results, answers):
            with self.subTest(f"{words}, kept in {job.folder.parent}"):
                self.assertEqual((result.error, answer.error), ("", ""))
                pairs = list(zip(result.outputs.values(), answer.outputs.values(), strict=True))
                for actual, expected in pairs:
                    self.assertEqual(actual.size, expected.size)
                check(pairs)
                passed += 1
        if passed == len(networks):
            shutil.rmtree(folder)

    def compare_within(self, networks, least=1e-30):
        """... which may be MOST_APART of `least`. Returns of each output how far apart the answers are, of `least` and
        of its own largest value; and its size."""
        rows = []

        def check(pairs):
            for actual, expected in pairs:
                rows.append((apart(actual, expected, least), apart(actual, expected), actual.size))
                self.assertLessEqual(rows[-1][0], MOST_APART)

        self.compare(networks, check)
        return np.array(rows).reshape(-1, 3).T


class RandomFloatNetworks(FloatTest):
    def test_answer_as_onnxruntime(self):
        drawn = [(seed, FloatNetwork(seed)) for seed in range(SEED, SEED + FLOAT_CASES)]
        networks = [(f"SEED={seed}: {net.operators()}", net, net) for seed, net in drawn]
        distances, own, sizes = self.compare_within(networks, LEAST_SUM)
        cancelled = np.count_nonzero(own > MOST_APART)
        print(
            f"random float networks: {len(networks)} networks, {sizes.sum():g} elements, at most"
            f" {np.max(distances, initial=0):.1e} apart; {cancelled} answers of sums that cancel"
        )
        self.assertLessEqual(cancelled, FLOAT_CASES // 1000, "sums that cancel are rare")


class FloatForms(FloatTest):
    """Of quantized networks: but for those of functions that have steps, or that divide by nearly nothing."""

    def test_answer_as_onnxruntime(self):
        networks, near = [], []
        for seed in range(SEED, SEED + CASES // 4):
            drawn = draw_network(seed, any_scales=True)
            model = Form(drawn, "float")
            model.feeds = drawn.feeds()
            networks.append((f"SEED={seed}\n{drawn.describe()}", model, model))
        self.compare(networks, lambda pairs: near.extend(apart(a, e, LEAST_SUM) <= MOST_APART for a, e in pairs))
        self.assertGreaterEqual(sum(near), 0.9 * len(near))


class Net(FloatDrawing):
    """The input quantized and dequantized is "x_f"; the output is "y". Only what ONNX Runtime is asked has float32
    ends everywhere."""

    def __init__(self, seed, is_asked, shape=None):
        super().__init__(seed, shape=shape)
        self.is_asked, self.channels, self.output_type = is_asked, self.shape[1], TensorProto.FLOAT
        self.dequantize("x_q", "x_f")

    def cast(self, value, element):
        """A constant of a type."""
        return self.constant(np.array(value, mapping.TENSOR_TYPE_TO_NP_TYPE[element]))

    def per_channel(self, most, least=0.0):
        return self.floats((self.channels, 1, 1), most, least)

    def conv(self, x, output, filters, channels):
        """By int8 weights, one scale a filter, and float32 biases."""
        kernel = self.between(1, 3)
        scales, zeros = self.floats((filters,), 0.011, 0.001), self.constant(np.zeros(filters, np.int8))
        weights = [self.int8s((filters, channels, kernel, kernel)), scales, zeros]
        words = [x, self.node("DequantizeLinear", weights, axis=0), self.floats((filters,), 1)]
        pads, strides = [self.between(0, 1), 1, 1, self.between(0, 1)], [self.between(1, 2), 1]
        return self.node("Conv", words, output, pads=pads, strides=strides)

    def batch_normalization(self, x, output, variance):
        parameters = [self.floats((self.channels,), 2) for _ in range(3)]
        parameters.append(self.constant(np.full(self.channels, variance, np.float32)))
        return self.node("BatchNormalization", [x, *parameters], output)

    def second(self):
        """quantize(dequantize) of another scale, so that the second operand is another."""
        scale = self.constant(np.float32(0.021))
        quantized = self.node("QuantizeLinear", ["x_f", scale, "zero"])
        return self.node("DequantizeLinear", [quantized, scale, "zero"])

    def integer_product(self, op, x, weights, output):
        """ConvInteger or MatMulInteger of x, quantized dynamically; cast, and scaled to floats."""
        self.node("DynamicQuantizeLinear", [x], f"{x}_u8")
        self.nodes[-1].output.extend([f"{x}_scale", f"{x}_zero"])
        zero, scale = self.constant(np.int8(self.between(-3, 3))), self.constant(np.float32(0.02))
        product = self.node(op, [f"{x}_u8", self.int8s(weights), f"{x}_zero", zero])
        real = self.node("Cast", [product], to=TensorProto.FLOAT)
        return self.node("Mul", [real, self.node("Mul", [f"{x}_scale", scale])], output)


def conv_relu_quantize_on(net):
    relu = net.node("Relu", [net.conv("x", "first", 4, net.channels)])  # of floats that nothing quantized
    net.conv(net.dequantize(net.quantize(relu)), "y", 3, 4)


def conv_relu_pool_softmax(net):
    relu = net.node("Relu", [net.conv("x_f", "conv", 5, net.channels)])
    net.node("Softmax", [net.node("Flatten", [net.node("GlobalAveragePool", [relu])])], "y")


def max_pool(net):
    x = net.conv("x_f", "conv", 3, net.channels)
    strides, ceil_mode = [net.between(1, 2), 2], net.between(0, 1)
    net.node("MaxPool", [x], "y", kernel_shape=[2, 3], pads=[1, 1, 0, 1], strides=strides, ceil_mode=ceil_mode)


def average_pool(net):
    x, flags = net.conv("x_f", "conv", 3, net.channels), {"strides": [net.between(1, 2), 2]}
    flags |= {flag: net.between(0, 1) for flag in ("count_include_pad", "ceil_mode")}
    net.node("AveragePool", [x], "y", kernel_shape=[2, 2], pads=[1, 0, 0, 1], **flags)


def concat_and_slice(net):
    parts = [net.node("Sigmoid", ["x_f"]), "x_f", net.node("Tanh", ["x_f"])]
    joined = net.node("Concat", parts, axis=net.between(1, 3))
    net.node("Slice", [joined, net.integers(1), net.integers(3), net.integers(net.between(1, 3))], "y")


def integers_in_other_places(net):
    element, integer = net.choice([(TensorProto.INT32, np.int32), (TensorProto.INT64, np.int64)])
    turned = net.node("Transpose", [net.node("Cast", ["x_f"], to=element)], perm=[0, 3, 1, 2])
    pads, fill = net.integers(0, 0, 1, 0, 0, 2, 0, net.between(0, 2)), net.constant(integer(net.between(-90000, 90000)))
    net.node("Cast", [net.node("Pad", [turned, pads, fill])], "y", to=TensorProto.FLOAT)


def clip_and_prelu(net):
    bounds = [net.constant(np.float32(bound)) for bound in (-1.5, 2.25)]
    net.node("PRelu", [net.node("Clip", ["x", *bounds]), net.per_channel(1)], "y")


def instance_normalization(net):
    parameters = [net.floats((net.channels,), 2) for _ in range(2)]
    net.node("LogSoftmax", [net.node("InstanceNormalization", ["x", *parameters])], "y", axis=net.between(1, 3))


def layer_normalization(net):
    net.opset = 17
    net.node("LayerNormalization", ["x", *(net.floats(net.shape[3:], 2) for _ in range(2))], "y")


def reductions(net):
    extremes = [net.node(op, ["x"], axes=[2]) for op in ("ReduceMax", "ReduceMin")]
    net.node("ReduceSum", [net.node("Sub", extremes), net.integers(3)], "y")


def powers_magnitudes_means(net):
    power = net.node("Pow", [net.node("Abs", ["x"]), net.constant(np.float32(1.7))])
    net.node("Mean", [net.node("Sum", [power, net.node("Sign", ["x"]), "x"]), "x"], "y")


def functions_in_a_row(net):
    net.opset = 14
    scaled = net.node("Mul", [net.node("Tanh", ["x"]), net.per_channel(2)])
    net.node("Softplus", [net.batch_normalization(net.node("HardSwish", [scaled]), "normal", 1.7)], "y")


def elu_leaky_relu_hard_sigmoid(net):
    leaky = net.node("LeakyRelu", [net.node("Elu", ["x_f"], alpha=0.7)], alpha=0.2)
    net.node("HardSigmoid", [leaky], "y", alpha=0.3)


def product_quotient_difference(net):
    gate = net.node("Sigmoid", [net.second()])
    less = net.node("Sub", [net.node("Mul", ["x_f", gate]), net.per_channel(2)])
    net.node("Div", [less, gate], "y")


def quantized_behind_floats(net):
    conv = net.conv("x_f", "conv", 4, net.channels)
    net.dequantize(net.quantize(net.node("Mul", [conv, net.node("Sigmoid", [conv])])), "y")


def dynamically_quantized_convolution(net):
    conv = net.integer_product("ConvInteger", "x", (3, net.channels, 2, 2), "conv")
    net.node("Relu", [net.node("Add", [conv, net.floats((1, 3, 1, 1), 1)])], "y")


def dynamically_quantized_layers(net):
    relu = net.node("Relu", [net.integer_product("ConvInteger", "x_f", (4, net.channels, 1, 1), "conv")])
    net.node("Flatten", [net.node("GlobalAveragePool", [relu])], "flat")
    net.node("Softmax", [net.integer_product("MatMulInteger", "flat", (4, 6), "dense")], "y")


def eight_bit_ends(net):
    element, zero = net.choice([(TensorProto.INT8, np.int8(-5)), (TensorProto.UINT8, np.uint8(100))])
    net.input("e", (1, 4), TensorProto.FLOAT if net.is_asked else element)
    net.feeds["e"] = np.float32([[1, 17, 100, 120]])
    zero, quantized = net.constant(zero), net.node("Cast", ["e"], to=element) if net.is_asked else "e"
    end = net.node("DequantizeLinear", [quantized, "scale", zero])
    flat = net.node("Flatten", [net.node("GlobalMaxPool", ["x_f"])])  # Exact, so that no tie hangs on a rounding.
    words = [net.node("Concat", [flat, end], axis=1), "scale", zero]
    y = net.node("QuantizeLinear", words, "y_q" if net.is_asked else "y")
    if net.is_asked:
        net.node("Cast", [y], "y", to=TensorProto.FLOAT)
    else:
        net.output_type = element


def many_dimensions(net):
    """Moved, elementwise, joined, and added to itself, broadcast, in six dimensions and with a batch of 1 nine."""
    rows, columns = net.shape[2:]
    split = (1, 2, net.channels // 2, rows, 1, columns)
    wide = net.node("Reshape", [net.choice(["x_f", "x"]), net.integers(*split)])
    moved = net.node("Transpose", [wide], perm=[0, 3, 1, 5, 4, 2])
    mean = net.node("ReduceMax", [moved], axes=[3, 5])
    added = net.dequantize(net.quantize(net.node("Add", [moved, mean])))
    y = net.node("Concat", [net.node("Sigmoid", [added]), net.node("Relu", [moved])], axis=4)
    if net.between(0, 1):
        y = net.node("Unsqueeze", [y, net.integers(0, 2, 5)])
    net.node("Neg", [y], "y")


def microsoft_functions(net):
    """What ONNX Runtime's optimizer writes, of float32."""
    bias = net.floats(net.shape[-1:], 1)
    values = [
        net.node("Gelu", ["x_f"], domain=MICROSOFT),
        net.node("BiasGelu", ["x_f", bias], domain=MICROSOFT),
        net.node("FastGelu", ["x_f", bias], domain=MICROSOFT),
        net.node("FastGelu", ["x_f"], domain=MICROSOFT),
        net.node("QuickGelu", ["x_f"], domain=MICROSOFT, alpha=1.25),
        net.node("QuickGelu", ["x_f"], domain=MICROSOFT),
    ]
    net.node("Concat", values, "y", axis=1)


def microsoft_convolution(net):
    activation, parameters = net.choice(
        [
            ("Relu", []),
            ("Sigmoid", []),
            ("Tanh", []),
            ("LeakyRelu", [0.25]),
            ("HardSigmoid", [0.3, 0.4]),
            ("Clip", [-1.0, 1.5]),
        ]
    )
    words = ["x_f", net.floats((net.channels, net.channels, 3, 3), 0.3), net.floats((net.channels,), 1)]
    given = {"activation_params": parameters} if parameters else {}
    words += ["x_f"] if net.between(0, 1) else []
    net.node("FusedConv", words, "y", domain=MICROSOFT, pads=[1] * 4, activation=activation, **given)


def microsoft_products(net):
    weights = net.floats((5, net.shape[3]), 1)
    by_weights = net.node("FusedMatMul", ["x_f", weights], domain=MICROSOFT, transB=1, alpha=0.5)
    net.node("FusedMatMul", ["x_f", by_weights], "y", domain=MICROSOFT, transA=1)


def microsoft_skip_layer_normalization(net):
    channels, tokens = net.shape[1], net.shape[2] * net.shape[3]
    x = net.node("Reshape", ["x_f", net.integers(1, channels, tokens)])
    words = [x, net.node("Tanh", [x]), net.floats((tokens,), 2), net.floats((tokens,), 1) if net.between(0, 1) else ""]
    words += [net.floats((tokens,), 1)] if net.between(0, 1) else []
    normal = net.node("SkipLayerNormalization", words, domain=MICROSOFT, epsilon=1e-5)
    net.nodes[-1].output.extend(["", "", "sum"])
    net.node("Concat", [normal, "sum"], "y", axis=1)


def drawn_tokens(net, *shape):
    """The input's numbers, again and again, in any shape."""
    flat = net.node("Reshape", ["x_f", net.integers(-1)])
    places = np.arange(np.prod(shape)).reshape(shape) * net.between(1, 9) % np.prod(net.shape)
    return net.node("Gather", [flat, net.constant(places)])


def flat_concat(net, *values):
    net.node("Concat", [net.node("Reshape", [value, net.integers(1, -1)]) for value in values], "y", axis=1)


def rms_normalization(net):
    net.opset, axis = 23, net.between(1, 3)
    net.node("RMSNormalization", ["x_f", net.floats(net.shape[axis:], 2)], "y", axis=axis - 4, epsilon=1e-3)


def rotary_embedding(net):
    net.opset, heads, rows, size = 23, net.between(1, 3), net.between(1, 6), 8
    is_flat, turned = net.between(0, 1), net.choice([0, 4, 6])
    x = drawn_tokens(net, *((1, rows, heads * size) if is_flat else (1, heads, rows, size)))
    has_places = net.between(0, 1)
    caches = [net.floats((9, turned // 2 or 4) if has_places else (1, rows, turned // 2 or 4), 1) for _ in "ab"]
    places = [net.constant(net.source.integers(0, 9, (1, rows)))] if has_places else []
    flags = {"interleaved": net.between(0, 1), "rotary_embedding_dim": turned} | (
        {"num_heads": heads} if is_flat else {}
    )
    net.node("RotaryEmbedding", [x, *caches, *places], "y", **flags)


def attention(net):
    net.opset, rows, keys, size, groups = 23, net.between(1, 5), net.between(1, 6), net.between(1, 8), net.between(1, 2)
    heads, is_flat, flags = groups * net.between(1, 2), net.between(0, 1), {}
    is_causal = net.between(0, 1)
    keys = rows if is_causal else keys
    if is_flat:
        words = [drawn_tokens(net, 1, n, h * size) for n, h in ((rows, heads), (keys, groups), (keys, groups))]
        flags = {"q_num_heads": heads, "kv_num_heads": groups}
    else:
        words = [drawn_tokens(net, 1, h, n, size) for n, h in ((rows, heads), (keys, groups), (keys, groups))]
    mask = net.choice(["", "bool", "float"])
    past = net.choice([0, 3])
    shape = (rows, past + keys)
    kept = net.source.integers(0, 2, shape).astype(bool)
    kept[:, 0] = True
    words.append(net.constant(kept) if mask == "bool" else net.floats(shape, 1) if mask == "float" else "")
    if past:
        words += [drawn_tokens(net, 1, groups, past, size) for _ in "kv"]
    if net.between(0, 1):
        flags["scale"] = 0.3
    if net.between(0, 1):
        flags["softcap"] = 2.0
    mode = net.between(-1, 3) if not is_causal and mask != "bool" else -1
    flags |= {"qk_matmul_output_mode": mode} if mode >= 0 else {}
    y = net.node("Attention", words, is_causal=is_causal, **flags)
    others = [*(["present_key", "present_value"] if past else ["", ""]), *(["scores"] if mode >= 0 else [])]
    net.nodes[-1].output.extend(others if any(others) else [])
    flat_concat(net, y, *filter(None, others))


def microsoft_attention(net):
    """Of com.microsoft, by float32 or 8-bit weights, with a mask of keys."""
    rows, heads, size, width = net.between(2, 5), net.between(1, 3), net.between(1, 4), 6
    hidden, is_quantized = heads * size, net.between(0, 1)
    x = drawn_tokens(net, 1, rows, width)
    form = net.between(0, 3)
    kept = net.source.integers(0, 2, (1, rows, rows)[:form] if form > 1 else (1,)).astype(np.int32)
    kept[..., :1] = 1
    mask = net.constant(kept if form > 1 else np.array([rows - 1], np.int32)) if form else ""
    bias, flags = net.floats((3 * hidden,), 1), {"num_heads": heads, "unidirectional": net.between(0, 1)}
    if not is_quantized:
        words = [x, net.floats((width, 3 * hidden), 1), bias, mask]
        return net.node("Attention", words, "y", domain=MICROSOFT, **flags)
    one_a_column = net.between(0, 1)
    scale = net.floats((3 * hidden,), 0.02, 0.01) if one_a_column else net.constant(np.float32(0.02))
    quantized = net.node("QuantizeLinear", [x, "scale", "zero"])
    words = [quantized, net.int8s((width, 3 * hidden)), bias, "scale", scale, mask, "zero"]
    return net.node("QAttention", words, "y", domain=MICROSOFT, **flags)


def integer_ends(net):
    """Whole numbers enter and leave, of one type in the file, with arithmetic of integers between."""
    element = net.choice([TensorProto.INT32, TensorProto.INT64])
    net.input("e", (1, 4), TensorProto.FLOAT if net.is_asked else element)
    net.feeds["e"] = np.float32([[-7, 0, 3, 1 << 20]])
    e = net.node("Cast", ["e"], to=element) if net.is_asked else "e"
    places = net.node("Cast", [net.node("Flatten", [net.node("GlobalMaxPool", ["x_f"])])], to=element)
    joined = net.node(
        "Concat", [places, net.node("Mul", [e, e if net.between(0, 1) else net.cast(3, element)])], axis=1
    )
    y = net.node("Sub", [joined, net.cast(5, element)], "y_i" if net.is_asked else "y")
    if net.is_asked:
        net.node("Cast", [y], "y", to=TensorProto.FLOAT)
    else:
        net.output_type = element


def one_function(op, x="x_f", opset=13):
    """A network of one function, of positive numbers where it has no others."""

    def add(net):
        net.opset = opset
        net.node(op, [net.node("Sigmoid", ["x"]) if x == "positive" else x], "y")

    add.__name__ = op
    return add


IDEAS = [
    lambda net: net.conv("x_f", "y", net.between(1, 5), net.channels),
    conv_relu_quantize_on,
    conv_relu_pool_softmax,
    max_pool,
    average_pool,
    concat_and_slice,
    integers_in_other_places,
    lambda net: net.node("Softmax", ["x_f"], "y", axis=net.between(1, 3)),
    *map(one_function, ("Sigmoid Tanh Exp Ceil Erf Floor Neg Round Selu Softplus Softsign ThresholdedRelu").split()),
    *(one_function(op, "positive") for op in ("Log", "Reciprocal", "Sqrt")),
    *(one_function(op, "x", opset) for op, opset in (("Gelu", 20), ("Mish", 18))),
    one_function("HardSwish", opset=14),
    clip_and_prelu,
    lambda net: net.batch_normalization(net.node("Tanh", ["x"]), "y", 0.7),
    lambda net: net.node("LRN", ["x"], "y", size=2 * net.between(0, 2) + 1, alpha=0.02),  # ONNX Runtime: odd sizes
    instance_normalization,
    layer_normalization,
    reductions,
    powers_magnitudes_means,
    functions_in_a_row,
    elu_leaky_relu_hard_sigmoid,
    lambda net: net.node("Relu", [net.node("Add", ["x_f", net.second()])], "y"),
    product_quotient_difference,
    quantized_behind_floats,
    dynamically_quantized_convolution,
    dynamically_quantized_layers,
    eight_bit_ends,
    integer_ends,
    many_dimensions,
    microsoft_functions,
    microsoft_convolution,
    microsoft_products,
    microsoft_skip_layer_normalization,
    rms_normalization,
    rotary_embedding,
    attention,
    microsoft_attention,
]


def draw(idea, seed, is_asked):
    net = Net(seed, is_asked)
    idea(net)
    net.output("y", element=net.output_type)
    return net


class FloatNetworks(FloatTest):
    def test_answer_as_onnxruntime(self):
        networks = []
        for idea in IDEAS:
            for seed in range(SEED, SEED + CASES // 50 + 1):
                asked, net = (draw(idea, seed, is_asked) for is_asked in (True, False))
                networks.append((f"{idea.__name__}, SEED={seed}: {asked.operators()}", asked, net))
        distances, _, sizes = self.compare_within(networks)
        print(
            f"floats: {len(networks)} networks, {sizes.sum():g} elements, at most {distances.max():.1e} of the largest"
            " value apart"
        )


class ArgMax(FloatTest):
    """As ONNX Runtime's, whose int64 indices are float32 here: along any axis, first and last of equal ones, on floats
    and on integers."""

    def test_answers_as_onnxruntime(self):
        networks = []
        for i in range(24):
            attributes = {"axis": i % 3 + 1 - i % 2 * 4, "keepdims": i // 3 % 2, "select_last_index": i // 6 % 2}
            asked, net = (self.net("x_q" if i >= 12 else "x_f", casts, attributes) for casts in (True, i % 5 == 0))
            networks.append((f"{i}", asked, net))
        distances, _, _ = self.compare_within(networks)
        self.assertEqual(distances.max(), 0)

    @staticmethod
    def net(x, casts, attributes):
        net = Net(1, casts, (1, 5, 4, 6))
        net.feeds["x"] = (net.source.integers(0, 4, net.shape) / 2).astype(np.float32)  # Many are equal.
        net.node("ArgMax", [x], "indices" if casts else "y", **attributes)
        if casts:
            net.node("Cast", ["indices"], "y", to=TensorProto.FLOAT)
        net.output("y", element=TensorProto.FLOAT if casts else TensorProto.INT64)
        return net


class TopK(FloatTest):
    """Values and places as ONNX Runtime's, the first of equal ones first, on floats and on integers."""

    def test_answers_as_onnxruntime(self):
        networks = []
        for i in range(24):
            net = self.net(i)
            networks.append((f"{i}", net, net))
        distances, _, _ = self.compare_within(networks)
        self.assertEqual(distances.max(), 0)

    @staticmethod
    def net(i):
        net = Net(1, True, (1, 5, 4, 6))
        net.opset = 13 if i % 4 else 10
        net.feeds["x"] = (net.source.integers(0, 4, net.shape) / 2).astype(np.float32)  # Many are equal.
        x = net.node("Cast", ["x_f"], to=TensorProto.INT64) if i % 4 == 3 else "x_f"
        largest = {"largest": i // 2 % 2} if i % 4 else {}
        values = net.node("TopK", [x, net.integers(i % 3 + 2)], axis=i % 3 + 1 - i % 2 * 4, **largest)
        net.nodes[-1].output.append("places")
        net.output(values, element=TensorProto.INT64 if i % 4 == 3 else TensorProto.FLOAT)
        net.output("places", element=TensorProto.INT64)
        return net


class Indexed(FloatTest):
    """CumSum, CastLike and Mod; OneHot, GatherND, ScatterElements and ScatterND by computed and constant indices."""

    def test_answers_as_onnxruntime(self):
        networks = []
        for i in range(20):
            net = self.net(i)
            networks.append((f"{i}", net, net))
        distances, _, _ = self.compare_within(networks)
        self.assertLess(distances.max(), 2**-23, "only products of several updates are rounded once, not each")
        self.assertEqual(np.count_nonzero(distances.reshape(-1, 6)[:, :5]), 0)

    @staticmethod
    def net(i):
        net = Net(i, True, (1, 5, 4, 6))
        net.opset = 18
        axis, reduction = i % 3 + 1, ("none", "add", "mul", "min", "max")[i % 5]
        net.output(net.node("CumSum", ["x_f", net.integers(axis - 4)], exclusive=i % 2, reverse=i // 2 % 2))
        divisors = net.constant(np.int32([-7, -3, -1, 2, 5, 9]))
        whole = net.node("CastLike", [net.node("Mul", ["x_f", net.floats((), 99, 98)]), divisors])
        net.output(net.node("Mod", [whole, divisors], fmod=i % 2), element=TensorProto.INT32)
        places = net.node("ArgMax", ["x_f"], axis=1, keepdims=0)
        net.output(net.node("OneHot", [places, net.integers(4), net.constant(np.float32([-1, 2]))], axis=axis - 4))
        pairs = net.node("Unsqueeze", [places, net.integers(-1)])
        net.output(net.node("GatherND", ["x_f", pairs], batch_dims=1))
        values = net.node("TopK", ["x_f", net.integers(2)], axis=axis)
        net.nodes[-1].output.append("ranked")
        updates = net.node("Neg", [values])
        net.output(net.node("ScatterElements", ["x_f", "ranked", updates], axis=axis, reduction=reduction))
        # The index of 4 is there twice, but where the order would count.
        constant = net.constant(np.int64([[0, 4], [-1, 1], [0, -1 if reduction != "none" else 0]]))
        rows = net.node("Gather", [net.node("Squeeze", ["x_f", net.integers(0)]), net.integers(1, 0, 2)])
        net.output(net.node("ScatterND", ["x_f", constant, rows], reduction=reduction))
        return net


class ConvTranspose(FloatTest):
    """Between quantized values, which ONNX Runtime computes in float32 and so may be a step apart at a tie."""

    SCALE = np.float32(1 / 37)  # at which hardly a sum is near half a step

    def test_answers_as_onnxruntime_but_for_ties(self):
        networks, differ = [], []
        for seed in range(SEED, SEED + CASES // 10 + 1):
            net = self.net(seed)
            networks.append((f"SEED={seed}", net, net))

        def check(pairs):
            ((actual, expected),) = pairs
            steps = np.abs(actual - expected.reshape(-1)) / self.SCALE
            self.assertLess(steps.max(), 1.5)
            differ.extend(steps > 0.5)

        self.compare(networks, check)
        print(f"ConvTranspose: {sum(differ)} of {len(differ)} elements differ, by a step")
        self.assertLessEqual(sum(differ), len(differ) // 1000)

    def net(self, seed):
        source = np.random.default_rng(seed)
        groups, channels, rows, columns = source.integers(1, (3, 4, 7, 7)).tolist()
        net = Net(seed, True, (1, groups * channels, rows, columns))
        filters, kernel, strides = net.between(1, 3), *source.integers(1, ((5, 5), (4, 4))).tolist()
        biases = net.source.integers(-500, 501, filters * groups).astype(np.int32)
        scales = [net.constant(scale) for scale in (np.float32(0.01), np.float32(0.03) * np.float32(0.01), self.SCALE)]
        zeros = [net.constant(np.int8(0)), net.constant(np.int32(0))]
        words = ["x_f"]
        for parameter, scale, zero in zip(
            [net.int8s((net.channels, filters, *kernel)), net.constant(biases)], scales, zeros
        ):
            words.append(net.node("DequantizeLinear", [parameter, scale, zero]))
        pads = [*(source.integers(0, (*kernel, kernel[0])) // 2).tolist(), 0]
        padding = source.integers(0, strides).tolist()
        up = net.node("ConvTranspose", words, group=groups, strides=strides, pads=pads, output_padding=padding)
        quantized = net.node("QuantizeLinear", [up, scales[2], "zero"])
        net.node("DequantizeLinear", [quantized, scales[2], "zero"], "y")
        net.output("y")
        return net


if __name__ == "__main__":
    unittest.main(verbosity=0)
