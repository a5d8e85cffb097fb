# SPDX-License-Identifier: Apache-2.0
"""Draws networks of operators on float32, some with quantized values among them: an operator is a function of ROWS."""
import math
from typing import NamedTuple

import numpy as np
from model_builder import ModelBuilder
from onnx import TensorProto

MOST_SIZE, MOST_ELEMENTS, ROWS = 20, 4096, []


def row(function):
    ROWS.append(function)
    return function


class Value(NamedTuple):
    """Float32, with a batch of 1."""

    name: str
    shape: tuple
    # Whether each element is the same number whoever computes it: no sum in another order, no function's last digit.
    # What has steps, compares, or divides by what nearly is nothing reads only such.
    is_exact: bool = True
    # About how large its numbers are. Large ones are not read: beside them a last digit is much to a function.
    size: float = 4


class FloatDrawing(ModelBuilder):
    """A model of an input "x" [1, C, H, W] that is quantized, "x_q", and random numbers for what is to come."""

    def __init__(self, seed, opset=13, shape=None):
        super().__init__(opset)
        self.source = np.random.default_rng(seed)
        self.shape = shape or (1, 2 * self.between(1, 4), self.between(3, 8), self.between(3, 8))
        self.input("x", self.shape)
        self.feeds = {"x": self.reals(self.shape, 4)}
        self.constant(np.float32(0.03), "scale")
        self.constant(np.uint8(128), "zero")
        self.quantize("x", "x_q")

    def between(self, first, last):
        return int(self.source.integers(first, last + 1))

    def choice(self, options):
        return options[self.between(0, len(options) - 1)]

    def reals(self, shape, most):
        return self.source.uniform(-most, most, shape).astype(np.float32)

    def floats(self, shape, most, least=0.0):
        """A constant of numbers of at most that size; positive ones, if there is a least."""
        numbers = self.reals(shape, most) if not least else self.source.uniform(least, most, shape)
        return self.constant(np.float32(numbers))

    def int8s(self, shape):
        return self.constant(self.source.integers(-127, 128, shape).astype(np.int8))

    def integers(self, *values):
        return self.constant(np.int64(values))

    def quantize(self, x, output=None):
        return self.node("QuantizeLinear", [x, "scale", "zero"], output)

    def dequantize(self, x, output=None):
        return self.node("DequantizeLinear", [x, "scale", "zero"], output)

    def operators(self):
        return " ".join(node.op_type for node in self.nodes)


class FloatNetwork(FloatDrawing):
    """Up to ten operators, each of which reads values that are there; its outputs are some of them, also such that
    depend on no input. The same seed draws the same network."""

    def __init__(self, seed):
        super().__init__(seed, opset=20)
        self.values = [Value("x", self.shape)]
        for _ in range(self.between(2, 10)):
            self.choice(ROWS)(self)
        while len(self.values) < 2:  # A network computes something.
            self.choice(ROWS)(self)
        outputs = {len(self.values) - 1}
        while self.between(0, 2) == 0:
            outputs.add(self.between(1, len(self.values) - 1))
        for output in sorted(outputs):
            self.output(self.values[output].name)

    def pick(self, fits):
        """A value that fits, often the newest; the input is exact and of four axes."""
        found = [value for value in self.values if value.size <= MOST_SIZE and fits(value)]
        return found[-1] if self.between(0, 1) else self.choice(found)

    def any(self):
        return self.pick(lambda value: True)

    def any_exact(self):
        return self.pick(lambda value: value.is_exact)

    def any_plane(self):
        return self.pick(lambda value: len(value.shape) == 4)

    def any_of(self, shape):
        return self.pick(lambda value: value.shape == shape)

    def axis(self, x):
        """One other than the batch."""
        return self.between(1, len(x.shape) - 1)

    def keep(self, name, shape, is_exact, size):
        """Adds what a node makes as a value."""
        if math.prod(shape) <= MOST_ELEMENTS:
            self.values.append(Value(name, tuple(shape), is_exact, size))

    def gate(self, x):
        """A number of 0.2 to 0.8 that hangs on x."""
        return self.node("Sigmoid", [self.node("Tanh", [x.name])])


def resized(shape, axis, size):
    """A shape with another size along an axis."""
    return (*shape[:axis], size, *shape[axis + 1 :])


SMOOTH = "Sigmoid Tanh Elu Selu Softplus Softsign HardSigmoid HardSwish Erf Gelu Mish".split()
REDUCTIONS = "ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSumExp".split()


@row
def add_function(net):
    """Smooth functions: what is nearly the same stays so."""
    x = net.any()
    net.keep(net.node(net.choice(SMOOTH), [x.name]), x.shape, False, max(1, x.size))


@row
def add_exact_function(net):
    x = net.any()
    net.keep(net.node(net.choice(["Abs", "Neg", "Relu", "LeakyRelu"]), [x.name]), *x[1:])


@row
def add_step(net):
    """Functions that have steps."""
    x = net.any_exact()
    net.keep(net.node(net.choice(["Round", "Floor", "Ceil", "Sign", "ThresholdedRelu"]), [x.name]), *x[1:])


@row
def add_of_positive(net):
    """Functions of positive numbers, or of small ones."""
    x = net.any()
    net.keep(net.node(net.choice(["Log", "Sqrt", "Exp", "Reciprocal"]), [net.gate(x)]), x.shape, False, 4)


@row
def add_binary(net):
    """Two values of a shape, or one and a constant that is broadcast."""
    a = net.any()
    b = net.any_of(a.shape)
    if net.between(0, 1):
        b = Value(net.floats((a.shape[1], 1, 1) if len(a.shape) == 4 else (), 2), (), True, 2)
    op = net.choice(["Add", "Sub", "Mul", "Min", "Max"])
    size = a.size * b.size if op == "Mul" else a.size + b.size
    net.keep(net.node(op, [a.name, b.name]), a.shape, a.is_exact and b.is_exact, size)


@row
def add_quotient(net):
    a = net.any()
    net.keep(net.node("Div", [a.name, net.gate(net.any_of(a.shape))]), a.shape, False, 4 * a.size)


@row
def add_of_many(net):
    a = net.any()
    values = [a, net.any_of(a.shape), net.any_of(a.shape)]
    y = net.node(net.choice(["Sum", "Mean", "Min", "Max"]), [value.name for value in values])
    net.keep(y, a.shape, False, sum(value.size for value in values))


@row
def add_power(net):
    x = net.any()
    y = net.node("Pow", [net.node("Abs", [x.name]), net.floats((), 2.5, 0.5)])
    net.keep(y, x.shape, False, (x.size + 1) ** 2.5)


@row
def add_clip(net):
    x = net.any()
    net.keep(net.node("Clip", [x.name, net.floats((), 1), net.floats((), 3, 1)]), x.shape, x.is_exact, 2)


@row
def add_prelu(net):
    x = net.any_plane()
    net.keep(net.node("PRelu", [x.name, net.floats((x.shape[1], 1, 1), 1)]), *x[1:])


@row
def add_where(net):
    """A comparison or two, and what they choose."""
    a = net.any_exact()
    comparison = net.choice(["Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"])
    condition = net.node(comparison, [a.name, net.floats((), 1)])
    if net.between(0, 1):
        other = net.node("Less", [a.name, net.floats(a.shape[-1:], 2)])
        condition = net.node(net.choice(["And", "Or", "Xor"]), [condition, other])
    if net.between(0, 2) == 0:
        condition = net.node("Not", [condition])
    b = net.any_of(a.shape)
    y = net.node("Where", [condition, b.name, a.name if net.between(0, 1) else net.floats((), 2)])
    net.keep(y, a.shape, b.is_exact, max(a.size, b.size, 2))


@row
def add_cast_condition(net):
    a = net.any_exact()
    condition = net.node("Greater", [a.name, net.floats((), 1)])
    net.keep(net.node("Cast", [condition], to=TensorProto.FLOAT), a.shape, True, 1)


@row
def add_arg(net):
    x = net.any_exact()
    axis = net.axis(x)
    place = net.node(net.choice(["ArgMax", "ArgMin"]), [x.name], axis=axis)
    net.keep(net.node("Cast", [place], to=TensorProto.FLOAT), resized(x.shape, axis, 1), True, x.shape[axis])


@row
def add_constant(net):
    shape = net.any().shape
    net.values.append(Value(net.floats(shape, 4), shape))


@row
def add_gather(net):
    """By an index that is computed."""
    x = net.any()
    axis, flat = net.axis(x), net.node("Flatten", [net.any_exact().name])
    place = net.node("ArgMax", [flat], axis=1, keepdims=0)
    inside = net.node("Min", [place, net.integers(x.shape[axis] - 1)])
    net.keep(net.node("Gather", [x.name, inside], axis=axis), resized(x.shape, axis, 1), x.is_exact, x.size)


@row
def add_top_k(net):
    """The values, or where they are; and elements that are taken there from another value."""
    x = net.any_exact()
    axis = net.axis(x)
    k = net.between(1, x.shape[axis])
    values = net.node("TopK", [x.name, net.integers(k)], axis=axis, largest=net.between(0, 1))
    places = net.new_name() + "_places"
    net.nodes[-1].output.append(places)
    shape = resized(x.shape, axis, k)
    if net.between(0, 1):
        net.keep(values, shape, True, x.size)
    else:
        other = net.any_of(x.shape)
        net.keep(net.node("GatherElements", [other.name, places], axis=axis), shape, other.is_exact, other.size)


@row
def add_cum_sum(net):
    x = net.any()
    axis = net.axis(x)
    y = net.node("CumSum", [x.name, net.integers(axis)], exclusive=net.between(0, 1), reverse=net.between(0, 1))
    net.keep(y, x.shape, False, x.size * x.shape[axis])


@row
def add_remainder(net):
    x = net.any_exact()
    divisors = net.integers(*net.source.integers(1, 9, x.shape[-1]) * net.source.choice([-1, 1], x.shape[-1]))
    y = net.node("Mod", [net.node("Cast", [x.name], to=TensorProto.INT64), divisors], fmod=net.between(0, 1))
    net.keep(net.node("Cast", [y], to=TensorProto.FLOAT), x.shape, True, 9)


@row
def add_scatter(net):
    x = net.any()
    axis = net.axis(x)
    shape = resized(x.shape, axis, net.between(1, x.shape[axis]))
    places = np.argsort(net.source.random(x.shape), axis=axis).take(range(shape[axis]), axis=axis)
    other = net.any_of(x.shape)
    updates = net.node("Gather", [other.name, net.integers(*range(shape[axis]))], axis=axis)
    words = [x.name, net.constant(np.int64(places)), updates]
    y = net.node("ScatterElements", words, axis=axis, reduction=net.choice(["none", "add"]))
    net.keep(y, x.shape, False, x.size + other.size)


@row
def add_conv(net):
    x, kernel, filters = net.any_plane(), net.between(1, 3), net.between(1, 6)
    _, channels, rows, columns = x.shape
    words = [x.name, net.floats((filters, channels, kernel, kernel), 0.3), net.floats((filters,), 1)]
    shape = (1, filters, rows + 3 - kernel, columns + 3 - kernel)
    net.keep(net.node("Conv", words, pads=[1] * 4), shape, False, x.size * 0.3 * math.sqrt(channels) * kernel)


@row
def add_conv_transpose(net):
    x, filters = net.any_plane(), net.between(1, 4)
    _, channels, rows, columns = x.shape
    y = net.node("ConvTranspose", [x.name, net.floats((channels, filters, 2, 2), 0.3)], strides=[2, 2])
    net.keep(y, (1, filters, 2 * rows, 2 * columns), False, x.size * 0.3 * math.sqrt(channels))


@row
def add_pool(net):
    x = net.any_plane()
    _, channels, rows, columns = x.shape
    if min(rows, columns) >= 2:
        is_max = net.between(0, 1)
        y = net.node("MaxPool" if is_max else "AveragePool", [x.name], kernel_shape=[2, 2], strides=[1, 1])
        net.keep(y, (1, channels, rows - 1, columns - 1), is_max and x.is_exact, x.size)


@row
def add_global_pool(net):
    x = net.any_plane()
    y = net.node(net.choice(["GlobalAveragePool", "GlobalMaxPool"]), [x.name])
    net.keep(y, (1, x.shape[1], 1, 1), False, x.size)


@row
def add_batch_normalization(net):
    x = net.any_plane()
    channels = x.shape[1:2]
    parameters = [net.floats(channels, 2) for _ in range(3)] + [net.floats(channels, 2, 0.5)]
    net.keep(net.node("BatchNormalization", [x.name, *parameters]), x.shape, False, 2 * x.size + 2)


@row
def add_normalization(net):
    """By their own variance, which is not nearly nothing for the input."""
    op, axis = net.choice([("InstanceNormalization", 1), ("LayerNormalization", 3)])
    parameters = [net.floats(net.shape[axis : axis + 1], 2) for _ in range(2)]
    net.keep(net.node(op, ["x", *parameters]), net.shape, False, 6)


@row
def add_lrn(net):
    x = net.any_plane()
    net.keep(net.node("LRN", [x.name], size=2 * net.between(0, 2) + 1, alpha=0.02), x.shape, False, x.size)


@row
def add_softmax(net):
    x = net.any_exact()
    net.keep(net.node(net.choice(["Softmax", "LogSoftmax"]), [x.name], axis=net.axis(x)), x.shape, False, x.size + 4)


@row
def add_reduction(net):
    x = net.any()
    axis = net.axis(x)
    y = net.node(net.choice(REDUCTIONS), [x.name, net.integers(axis)])
    net.keep(y, resized(x.shape, axis, 1), False, x.size**2 * x.shape[axis])


@row
def add_product(net):
    a = net.any_plane()
    b, (_, channels, rows, columns) = net.any_of(a.shape), a.shape
    y = net.node("MatMul", [a.name, net.node("Transpose", [b.name], perm=[0, 1, 3, 2])])
    net.keep(y, (1, channels, rows, rows), False, a.size * b.size * math.sqrt(columns))


@row
def add_dense(net):
    x, outputs = net.any(), net.between(1, 6)
    inputs, flat = math.prod(x.shape), net.node("Flatten", [x.name])
    y = net.node("Gemm", [flat, net.floats((inputs, outputs), 0.2), net.floats((outputs,), 1)], alpha=0.5, beta=2.0)
    net.keep(y, (1, outputs), False, x.size * 0.1 * math.sqrt(inputs) + 2)


@row
def add_transpose(net):
    x, perm = net.any_plane(), net.choice([(0, 2, 1, 3), (0, 3, 1, 2)])
    net.keep(net.node("Transpose", [x.name], perm=perm), [x.shape[axis] for axis in perm], x.is_exact, x.size)


@row
def add_slice(net):
    x = net.any()
    axis = net.axis(x)
    first = net.between(0, x.shape[axis] - 1)
    last = net.between(first + 1, x.shape[axis])
    y = net.node("Slice", [x.name, net.integers(first), net.integers(last), net.integers(axis)])
    shape = resized(x.shape, axis, last - first)
    if (x.name, shape) != ("x", x.shape):  # foveac refuses the input as an output.
        net.keep(y, shape, x.is_exact, x.size)


@row
def add_concat(net):
    a = net.any()
    b, axis = net.any_of(a.shape), net.axis(a)
    shape = resized(a.shape, axis, 2 * a.shape[axis])
    y = net.node("Concat", [a.name, b.name], axis=axis)
    net.keep(y, shape, a.is_exact and b.is_exact, max(a.size, b.size))


@row
def add_pad(net):
    x = net.any_plane()
    _, channels, rows, columns = x.shape
    y = net.node("Pad", [x.name, net.integers(0, 0, 1, 0, 0, 0, 0, 2), net.floats((), 1)])
    net.keep(y, (1, channels, rows + 1, columns + 2), x.is_exact, x.size)


@row
def add_resize(net):
    x = net.any_plane()
    shape, mode = (*x.shape[:2], net.between(1, 9), net.between(1, 9)), net.choice(["linear", "nearest"])
    coordinates = net.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    words = [x.name, "", "", net.integers(*shape)]
    y = net.node("Resize", words, mode=mode, coordinate_transformation_mode=coordinates)
    net.keep(y, shape, mode == "nearest" and x.is_exact, x.size)


@row
def add_quantization(net):
    """The value as 8 bits, and back."""
    x = net.any_exact()
    net.keep(net.dequantize(net.quantize(x.name)), x.shape, True, 4)


@row
def add_quantized_conv(net):
    """A convolution of the input on integers."""
    _, channels, rows, columns = net.shape
    filters = net.between(1, 6)
    weights = [net.int8s((filters, channels, 1, 1)), net.floats((), 0.02, 0.01), net.constant(np.int8(0))]
    y_scale = net.floats((), 0.06, 0.03)
    y = net.node("QLinearConv", ["x_q", "scale", "zero", *weights, y_scale, "zero"])
    net.keep(net.node("DequantizeLinear", [y, y_scale, "zero"]), (1, filters, rows, columns), True, 8)
