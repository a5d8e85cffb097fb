# SPDX-License-Identifier: Apache-2.0
"""Conv, with a fused max-pool now and then; Gemm and MatMul, with a Flatten before them where one is needed."""
import math

import numpy as np
from node import F32, Node, Window, quantize

MOST_MACS, MOST_INPUTS = 100_000, 1500


class Weighted(Node):
    """Sums of products with weights of 8 bits, at one scale or one a filter; and int32 biases, if any, at the products'
    scale."""

    weights = biases = None  # weights less their zero point
    weight_zero = None  # the zero point that they are written with, in the type in which they are; None is 0 of int8
    weight_scales = np.ones(1, F32)
    float_biases = None  # what the biases are in float32, where they are written so
    window = Window()
    has_quantized_biases = True  # whether ONNX Runtime takes float32 ones at the products' scale

    def sums(self):
        """Integers, exact in float64: [N, M, ...]."""

    def per_filter(self, numbers):
        """Numbers, one a filter or one in all, as they meet the sums."""
        return np.reshape(numbers, (1, -1) + (1,) * (len(self.shape) - 2))

    def product_scales(self):
        return F32(self.inputs[0].scale) * self.weight_scales

    def centred(self, taps):
        """The operand less its zero point, in the type in which sums of so many products are exact."""
        x, is_small = self.inputs[0], taps * 255 * 255 < 1 << 24
        return x.elements.astype(F32 if is_small else np.float64) - F32(x.zero_point)

    def biased(self, sums):
        """Modulo 2^32."""
        if self.biases is None:
            return sums.astype(np.float64)
        return (sums.astype(np.int64) + self.per_filter(self.biases)).astype(np.int32).astype(np.float64)

    def reals(self):
        return self.sums() * self.per_filter(self.product_scales().astype(np.float64))

    def evaluate(self):
        return self.requantize(self.sums())

    def requantize(self, sums):
        scales = self.per_filter(self.steps(self.product_scales()))
        return quantize(sums.astype(F32) * scales, self.zero_point)

    def details(self):
        biases = "" if self.biases is None else "; biases" if self.float_biases is None else "; float biases"
        zero = "" if self.weight_zero is None else f"; {self.weight_zero.dtype} weights around {self.weight_zero}"
        return ("; a scale a filter" if len(self.weight_scales) > 1 else "") + zero + biases

    def parameters(self, form, weights, axis):
        """Names of weights and biases as float32."""
        names = [form.float_parameter(f"{self.name}_weights", weights, self.weight_scales, axis, self.weight_zero)]
        if self.float_biases is not None:
            names.append(form.constant(self.float_biases, f"{self.name}_float_biases"))
        elif self.biases is not None:
            names.append(form.float_parameter(f"{self.name}_biases", self.biases, self.product_scales(), 0))
        return names

    def integer_parameters(self, form, weights):
        """Names of weights, their scales and zero points; and of biases, if any."""
        biases = [] if self.biases is None else [form.constant(self.biases, f"{self.name}_biases")]
        return form.parameter(f"{self.name}_weights", weights, self.weight_scales, self.weight_zero), biases


class Conv(Weighted):
    """Weights are [M, C / groups, R, S]."""

    kind, weight = "conv", 6
    groups = 1

    def sums(self):
        filters, channels = self.weights.shape[:2]
        x = self.centred(self.weights[0].size)
        weights = self.weights.reshape(self.groups, filters // self.groups, channels, *self.window.kernel)
        sums = 0
        for (r, s), taps in self.window.taps(x, 0):
            size = taps.shape[2:]
            tap = np.ascontiguousarray(weights[..., r, s], x.dtype)
            sums = sums + tap @ taps.reshape(len(taps), self.groups, channels, -1)
        return self.biased(sums.reshape(len(sums), filters, *size))

    @classmethod
    def draw(cls, drawing):
        node = cls.placed(drawing)
        if node:
            drawing.draw_weights(node, node.weights_shape())
            drawing.add(node)

    @classmethod
    def placed(cls, drawing, most=MOST_MACS):
        """One without weights, of at most so many MACs; None where no value fits."""
        x = drawing.pick(lambda node: len(node.shape) == 4)
        if not x:
            return None
        channels, groups, filters = x.shape[1], 1, drawing.between(1, 16)
        window = draw_window(drawing, x.shape)
        if drawing.one_in(10):
            groups, filters = channels, channels * drawing.between(1, 2)
        shape, taps = window.shape(x.shape, filters), channels // groups * math.prod(window.kernel)
        if min(shape) < 1 or math.prod(shape) * taps > most:
            return None
        node = cls([x], shape, window=window, groups=groups, relu=not drawing.one_in(3))
        pool = draw_fused_pool(drawing, shape)
        if min(pool.shape(shape, filters)) >= 1 and drawing.one_in(4):
            node.pool, node.shape = pool, pool.shape(shape, filters)
        return node

    def weights_shape(self):
        return self.shape[1], self.inputs[0].shape[1] // self.groups, *self.window.kernel

    def attributes(self):
        return self.window.attributes() | {"group": self.groups}

    def write_float(self, form, inputs):
        return form.call(self, "Conv", inputs + self.parameters(form, self.weights, 0), **self.attributes())

    def write_uint8(self, form, inputs):
        weights, biases = self.integer_parameters(form, self.weights)
        words = form.triples(self, inputs) + weights + form.quantization(self) + biases
        return form.call(self, "QLinearConv", words, **self.attributes())

    def details(self):
        return describe_window(self.window) + f" groups {self.groups}" + super().details()


def describe_window(window):
    rows, columns = window.kernel
    words = f"; {rows}x{columns} strides {window.strides} dilations {window.dilations} pads {window.pads}"
    return words + " ceil" * window.ceil_mode + " with padding" * window.count_include_pad


def draw_window(drawing, x):
    """Often what most networks have: equal strides and pads."""
    kernel = tuple(min(drawing.between(1, 5), size) for size in x[2:])
    stride = 2 if drawing.one_in(4) else 1
    pad = drawing.between(0, 3) if drawing.one_in(10) else 0 if drawing.one_in(3) else min(kernel) // 2
    is_uneven = drawing.one_in(3)
    return Window(
        kernel,
        tuple(drawing.between(1, 3) if is_uneven else stride for _ in kernel),
        tuple(2 if drawing.one_in(12) else 1 for _ in kernel),
        tuple(drawing.between(0, size - 1) if is_uneven else pad for size in kernel * 2),
    )


def draw_fused_pool(drawing, x):
    """Most are pools that the accelerator has behind a convolution: square ones of 2 and 3 at such strides."""
    if drawing.one_in(3):
        return Window((2, 2), (2, 2))
    kernel, stride = drawing.between(2, 3), drawing.between(1, 3) if drawing.one_in(2) else 2
    pads = tuple(0 if drawing.one_in(2) else drawing.between(0, kernel - 1) for _ in range(4))
    pool = Window((kernel,) * 2, (stride,) * 2, pads=pads)
    return pool._replace(ceil_mode=drawing.one_in(3) and not pool.leaves_out(x))


class Gemm(Weighted):
    """Weights are [M, C]."""

    kind, weight = "gemm", 1
    is_transposed = True  # weights are written as [M, C]; else [C, M], and without biases as MatMul

    def sums(self):
        x = self.centred(self.weights.shape[1])
        blocks = np.array_split(self.weights, 16)  # as large as a few are in float64
        return self.biased(np.concatenate([x @ block.T.astype(x.dtype) for block in blocks], axis=1))

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: math.prod(node.shape) <= MOST_INPUTS)
        if not x:
            return
        if len(x.shape) > 2:
            flatten = Flatten([x], (x.shape[0], math.prod(x.shape[1:])), is_on_integers=drawing.one_in(3))
            x = drawing.add(flatten)
        draw_fully_connected(drawing, x, drawing.between(1, 24))

    def write_float(self, form, inputs):
        weights, axis = (self.weights, 0) if self.is_transposed else (self.weights.T, 1)
        parameters = self.parameters(form, weights, axis)
        if self.biases is None and not self.is_transposed:
            return form.call(self, "MatMul", inputs + parameters)
        return form.call(self, "Gemm", inputs + parameters, transB=int(self.is_transposed))

    def write_uint8(self, form, inputs):
        is_turned = self.is_transposed and self.biases is not None
        weights, biases = self.integer_parameters(form, self.weights if is_turned else self.weights.T)
        words = form.triples(self, inputs) + weights + biases + form.quantization(self)
        if not biases:
            return form.call(self, "QLinearMatMul", words)
        return form.call(self, "QGemm", words, domain="com.microsoft", transB=int(is_turned))


class Flatten(Node):
    kind, keeps_scale = "flatten", True

    def evaluate(self):
        return self.inputs[0].elements.reshape(self.shape)

    def write_float(self, form, inputs):
        return form.call(self, "Flatten", inputs, axis=1)

    write_uint8 = write_float


def draw_fully_connected(drawing, x, outputs):
    node = Gemm([x], (x.shape[0], outputs))
    drawing.draw_weights(node, (outputs, x.shape[1]))
    node.is_transposed, node.relu = drawing.one_in(2), drawing.one_in(2)
    return drawing.add(node)


def draw_branch(drawing, x, channels):
    """For Add and Concat to join: a convolution that keeps rows and columns, or a fully connected layer; of other
    shapes None."""
    if len(x.shape) == 2:
        return draw_fully_connected(drawing, x, channels)
    if len(x.shape) != 4:
        return None
    is_small = channels * math.prod(x.shape) * 9 <= MOST_MACS
    pad = drawing.between(0, 1) if is_small else 0
    window = Window((2 * pad + 1,) * 2, pads=(pad,) * 4)
    node = Conv([x], window.shape(x.shape, channels), window=window, relu=drawing.one_in(2))
    drawing.draw_weights(node, (channels, x.shape[1], *window.kernel))
    return drawing.add(node)
