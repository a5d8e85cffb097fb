# SPDX-License-Identifier: Apache-2.0
"""Concat along the channels, and Requantize, a change of scale and zero point alone."""
import math

import numpy as np
from node import F32, Node, quantize
from operators.convolution import draw_branch

MOST_CHANNELS = 32


class Concat(Node):
    kind, weight = "concat", 3

    def reals(self):
        return np.concatenate([x.real() for x in self.inputs], axis=1).astype(np.float64)

    def evaluate(self):
        return np.concatenate([quantize(self.steps(x.real()), self.zero_point) for x in self.inputs], axis=1)

    @classmethod
    def draw(cls, drawing):
        first = drawing.pick()
        most = MOST_CHANNELS if first and len(first.shape) == 4 else 100
        if not first or first.shape[1] >= most:
            return
        inputs, channels = [first], first.shape[1]
        for _ in range(drawing.between(1, 3)):
            left = most - channels
            if left == 0:
                break
            x = drawing.pick(
                lambda node: len(node.shape) == len(first.shape)
                and node.shape[0] == first.shape[0]
                and node.shape[2:] == first.shape[2:]
                and node.shape[1] <= left
                and (node not in inputs or drawing.one_in(8))
            ) or draw_branch(drawing, first, drawing.between(1, 1 if left < 6 else 6))
            if not x:
                break
            inputs.append(x)
            channels += x.shape[1]
        drawing.add(cls(inputs, (first.shape[0], channels, *first.shape[2:])))

    def write_float(self, form, inputs):
        return form.call(self, "Concat", inputs, axis=1)

    def write_uint8(self, form, inputs):
        words = form.quantization(self) + form.triples(self, inputs)
        return form.call(self, "QLinearConcat", words, domain="com.microsoft", axis=1)


class Requantize(Concat):
    """A concat of one input: of a pair of conversions behind another ONNX Runtime makes one."""

    kind, weight = "requantize", 1

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick()
        if x:
            drawing.add(cls([x], x.shape, relu=drawing.one_in(3)))


class Whole(Requantize):
    """... to whole numbers, or to those of uint8."""

    kind, weight = "whole", 2

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: float(node.scale) * float(np.ptp(node.elements.astype(np.int32))) > 16)
        if not x:
            return
        span = float(x.scale) * float(np.ptp(x.elements.astype(np.int32)))
        scale = (
            F32(2.0 ** max(0, math.ceil(math.log2(span / 255)))) if drawing.one_in(2) else F32(math.ceil(span / 255))
        )
        is_byte = scale == 1 and drawing.one_in(3)
        drawing.add(cls([x], x.shape, scale=scale, zero_point=0 if is_byte else drawing.between(0, 255)))
