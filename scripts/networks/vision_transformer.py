# SPDX-License-Identifier: Apache-2.0
"""A quantized vision transformer with weights from a seed, as exporters write one: MatMul and Add between
QuantizeLinear and DequantizeLinear, attention over all tokens in one block and within windows in the next."""
import math

import numpy as np
from model_builder import ModelBuilder
from node import F32

HEADS, WINDOW, EPSILON = 3, 4, F32(1e-5)


class Value:
    """A float32 value by its name, and what it is for the picture that scales are chosen by."""

    def __init__(self, name, array):
        self.name, self.array = name, np.asarray(array, F32)


class QdqBuilder(ModelBuilder):
    """Computes in float32 what it writes."""

    def __init__(self, seed):
        super().__init__(opset=20)
        self.source = np.random.default_rng(seed)

    def quantized(self, value):
        """At a scale that takes in all that the picture gives."""
        low, high = min(0.0, float(value.array.min())), max(0.0, float(value.array.max()))
        scale = F32((high - low) / 255)
        zero_point = np.uint8(round(-low / float(scale)))
        words = [self.constant(scale), self.constant(zero_point)]
        name = self.node("DequantizeLinear", [self.node("QuantizeLinear", [value.name, *words]), *words])
        steps = np.clip(np.rint(value.array / scale) + zero_point, 0, 255)
        return Value(name, (steps - zero_point) * scale)

    def weights(self, shape, axis):
        """int8, a scale for each index of the axis."""
        real = self.source.standard_normal(shape) / math.sqrt(math.prod(shape) / shape[axis])
        scales = (np.abs(real).max(axis=tuple(i for i in range(len(shape)) if i != axis)) / 127).astype(F32)
        column = scales.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        steps = np.rint(real / column).astype(np.int8)
        words = [self.constant(steps), self.constant(scales), self.constant(np.zeros(len(scales), np.int8))]
        return Value(self.node("DequantizeLinear", words, axis=axis), steps * column)

    def float_constant(self, array):
        return Value(self.constant(np.asarray(array, F32)), array)

    def drawn(self, *shape, spread=0.1):
        return self.float_constant(self.source.standard_normal(shape) * spread)

    def call(self, op, inputs, array, **attributes):
        return Value(self.node(op, [x.name for x in inputs], **attributes), array)

    def reshape(self, x, *shape):
        return Value(self.node("Reshape", [x.name, self.constant(np.int64(shape))]), x.array.reshape(shape))

    def transpose(self, x, *perm):
        return self.call("Transpose", [x], x.array.transpose(perm), perm=perm)

    def add(self, a, b):
        return self.quantized(self.call("Add", [a, b], a.array + b.array))

    def matmul(self, a, b):
        return self.quantized(self.call("MatMul", [a, b], a.array @ b.array))

    def linear(self, x, outputs):
        """As PyTorch's on tokens."""
        w, bias = self.weights((x.array.shape[-1], outputs), 1), self.drawn(outputs)
        product = self.call("MatMul", [x, w], x.array @ w.array)
        return self.quantized(self.call("Add", [product, bias], product.array + bias.array))

    def norm(self, x):
        size = x.array.shape[-1]
        gain, offset = self.float_constant(1 + 0.1 * self.source.standard_normal(size)), self.drawn(size)
        middle = x.array.mean(axis=-1, keepdims=True)
        spread = np.sqrt(((x.array - middle) ** 2).mean(axis=-1, keepdims=True) + EPSILON)
        y = (x.array - middle) / spread * gain.array + offset.array
        return self.quantized(self.call("LayerNormalization", [x, gain, offset], y, epsilon=float(EPSILON)))

    def gelu(self, x):
        y = np.vectorize(lambda number: number / 2 * math.erfc(-number / math.sqrt(2)))(x.array.astype(float))
        return self.quantized(self.call("Gelu", [x], y))

    def softmax(self, x):
        powers = np.exp(x.array - x.array.max(axis=-1, keepdims=True))
        return self.quantized(self.call("Softmax", [x], powers / powers.sum(axis=-1, keepdims=True), axis=-1))

    def attention(self, x):
        """Within each of the sequences of x [N, T, C]."""
        count, tokens, channels = x.array.shape
        size = channels // HEADS

        def heads(*perm):
            return self.transpose(self.reshape(self.linear(x, channels), count, tokens, HEADS, size), *perm)

        queries, keys, values = heads(0, 2, 1, 3), heads(0, 2, 3, 1), heads(0, 2, 1, 3)
        factor = self.float_constant(size**-0.5)
        scaled = self.call("Mul", [queries, factor], queries.array * factor.array)
        weights = self.softmax(self.matmul(self.quantized(scaled), keys))
        joined = self.transpose(self.matmul(weights, values), 0, 2, 1, 3)
        return self.linear(self.reshape(joined, count, tokens, channels), channels)

    def window_attention(self, x, side):
        """Of WINDOW x WINDOW tokens of x [1, side * side, C]."""
        channels, windows = x.array.shape[-1], side // WINDOW
        x = self.reshape(x, 1, windows, WINDOW, windows, WINDOW, channels)
        x = self.reshape(self.transpose(x, 0, 1, 3, 2, 4, 5), windows**2, WINDOW**2, channels)
        y = self.reshape(self.attention(x), 1, windows, windows, WINDOW, WINDOW, channels)
        return self.reshape(self.transpose(y, 0, 1, 3, 2, 4, 5), 1, side * side, channels)

    def block(self, x, attention):
        """Pre-norm, as in Dosovitskiy et al., "An Image is Worth 16x16 Words", ICLR 2021, figure 1."""
        x = self.add(x, attention(self.norm(x)))
        hidden = self.gelu(self.linear(self.norm(x), 4 * x.array.shape[-1]))
        return self.add(x, self.linear(hidden, x.array.shape[-1]))


def vision_transformer(seed=1, size=32, patch=4, channels=96, classes=10):
    """A QdqBuilder with patches, a block of global attention, one of windows, a mean and a head. Its input is x [1, 3,
    size, size], its output y [1, classes]."""
    net, side = QdqBuilder(seed), size // patch
    net.input("x", (1, 3, size, size))
    picture = net.source.standard_normal((1, 3, size, size)).astype(F32)
    x = net.quantized(Value("x", picture))
    w = net.weights((channels, 3, patch, patch), 0)
    patches = x.array.reshape(3, side, patch, side, patch).transpose(1, 3, 0, 2, 4).reshape(side * side, -1)
    y = (patches @ w.array.reshape(channels, -1).T).T.reshape(1, channels, side, side)
    y = net.quantized(net.call("Conv", [x, w], y, kernel_shape=[patch] * 2, strides=[patch] * 2))
    tokens = net.transpose(net.reshape(y, 1, channels, side * side), 0, 2, 1)
    tokens = net.add(tokens, net.quantized(net.drawn(1, side * side, channels)))
    tokens = net.block(tokens, net.attention)
    tokens = net.block(tokens, lambda x: net.window_attention(x, side))
    tokens = net.norm(tokens)
    mean = net.call(
        "ReduceMean", [tokens, Value(net.constant(np.int64([1])), [])], tokens.array.mean(axis=1), keepdims=0
    )
    net.node("Identity", [net.linear(net.quantized(mean), classes).name], "y")
    net.output("y", (1, classes))
    return net
