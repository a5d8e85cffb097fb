# SPDX-License-Identifier: Apache-2.0
"""Pools: maximum and average under any window, and the average of each channel."""
import math

import numpy as np
from node import F32, Node, Window, quantize, saturate
from operators.convolution import describe_window


def draw_window(drawing, is_average):
    """Half of them 2x2 with stride 2. ONNX Runtime's average pool on uint8 has no dilations."""
    if drawing.one_in(2):
        return Window((2, 2), (2, 2))
    if not is_average and drawing.one_in(3):  # one that the accelerator has: square, at one stride
        kernel, stride = drawing.between(2, 3), drawing.between(1, 3)
        return Window((kernel,) * 2, (stride,) * 2, pads=tuple(drawing.between(0, kernel - 1) for _ in range(4)))
    kernel = tuple(drawing.between(1, 4) for _ in range(2))
    return Window(
        kernel,
        tuple(drawing.between(1, 3) for _ in kernel),
        tuple(2 if not is_average and drawing.one_in(4) else 1 for _ in kernel),
        tuple(drawing.between(0, size - 1) for size in kernel * 2),
        drawing.one_in(3),
        is_average and drawing.one_in(3),
    )


class Pool(Node):
    window = None

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: len(node.shape) == 4)
        if not x:
            return
        window = draw_window(drawing, not cls.keeps_scale)
        window = window._replace(ceil_mode=window.ceil_mode and not window.leaves_out(x.shape))
        shape = window.shape(x.shape, x.shape[1])
        if min(shape) >= 1:
            drawing.add(cls([x], shape, window=window, is_on_integers=cls.keeps_scale and drawing.one_in(3)))

    def details(self):
        return describe_window(self.window)


class MaxPool(Pool):
    kind, weight, keeps_scale = "maxpool", 2, True

    def evaluate(self):
        return self.window.largest(self.inputs[0].elements, 0)

    def write_float(self, form, inputs):
        return form.call(self, "MaxPool", inputs, **self.window.attributes())

    write_uint8 = write_float


class AveragePool(Pool):
    kind, weight = "avgpool", 2

    def averages(self, real):
        """Sums of the dequantized values under each position, added one after another, divided by how many there
        are. :param real: the type."""
        x = self.inputs[0].real().astype(real)
        total = 0
        for _, taps in self.window.taps(x, 0):
            total = total + taps
        if self.window.count_include_pad:
            return total / real(math.prod(self.window.kernel))
        return total / self.counted(self.window, x.shape).astype(real)

    def counted(self, window, x):
        """How many places of x are under each position."""
        return sum(taps for _, taps in window.taps(np.ones((1, 1, *x[2:])), 0, self.shape[2:]))

    def reals(self):
        return self.averages(np.float64)

    def float_reals(self):
        """With ceil_mode a last window may reach beyond the padding. QLinearAveragePool counts the places there;
        AveragePool, as ONNX defines it, does not."""
        window = self.window
        if not (window.ceil_mode and window.count_include_pad):
            return None
        x, pads = self.inputs[0].shape, window.pads
        padded = (1, 1, x[2] + pads[0] + pads[2], x[3] + pads[1] + pads[3])
        return self.reals() * math.prod(window.kernel) / self.counted(window._replace(pads=(0,) * 4), padded)

    def evaluate(self):
        """The zero point is inside the rounding; not where the window is the whole plane, which is a global average."""
        if self.window.kernel == self.inputs[0].shape[2:] and not any(self.window.pads):
            return GlobalAveragePool.evaluate(self)
        return saturate(self.steps(self.averages(F32)) + F32(self.zero_point))

    def write_float(self, form, inputs):
        return form.call(self, "AveragePool", inputs, **self.window.attributes())

    def write_uint8(self, form, inputs):
        words = form.triples(self, inputs) + form.quantization(self)
        return form.call(self, "QLinearAveragePool", words, domain="com.microsoft", **self.window.attributes())


class GlobalAveragePool(Node):
    kind, weight = "global_avgpool", 1

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: len(node.shape) == 4)
        if x:
            drawing.add(cls([x], (*x.shape[:2], 1, 1)))

    def channel_sums(self):
        """Of each channel, the sum of what its values are above the zero point; and how many they are."""
        x = self.inputs[0]
        sums = (x.elements.astype(np.int64) - x.zero_point).sum(axis=(2, 3), keepdims=True)
        return sums, math.prod(x.shape[2:])

    def reals(self):
        sums, count = self.channel_sums()
        return sums * np.float64(self.inputs[0].scale) / count

    def evaluate(self):
        sums, count = GlobalAveragePool.channel_sums(self)
        scale = F32(self.inputs[0].scale) / (F32(self.scale) * F32(count))
        return quantize(sums.astype(F32) * scale, self.zero_point)

    def write_float(self, form, inputs):
        return form.call(self, "GlobalAveragePool", inputs)

    def write_uint8(self, form, inputs):
        words = form.triples(self, inputs) + form.quantization(self)
        return form.call(self, "QLinearGlobalAveragePool", words, domain="com.microsoft", channels_last=0)
