# SPDX-License-Identifier: Apache-2.0
"""Softmax, along any axis. QLinearSoftmax takes 1 as a whole number of steps, so Softmax of floats is another function
at most scales."""
import numpy as np
from node import F32, Node, quantize


class Softmax(Node):
    kind, weight = "softmax", 1
    axis = 1

    def reals(self):
        x = self.inputs[0].real().astype(np.float64)
        powers = np.exp(x - x.max(axis=self.axis, keepdims=True))
        return powers / powers.sum(axis=self.axis, keepdims=True)

    float_reals = reals

    def evaluate(self):
        """Numerators and their sum are multiples of e^x, as large as a float32 sum of them allows."""
        x, scale = self.inputs[0].elements.astype(np.int32), np.float64(self.inputs[0].scale)
        most = np.log(np.float64(np.finfo(F32).max / F32(self.shape[self.axis]))).astype(F32)
        shift = max(0.0, np.float64(most) - 5) / scale
        powers = np.exp((x - x.max(axis=self.axis, keepdims=True) + shift) * scale).astype(F32)
        total = np.take(np.cumsum(powers, axis=self.axis), [-1], axis=self.axis)  # one after another
        return quantize(powers * np.floor(self.steps(F32(1))) / total, self.zero_point)

    def is_sure(self):
        """The largest exponential times the output's steps may overflow in ONNX Runtime, for few elements and a small
        scale."""
        return self.steps(F32(1)) < 147 * self.shape[self.axis]

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: node.shape[1] > 1)
        if x:
            axis = drawing.between(1, len(x.shape) - 1)
            drawing.add(cls([x], x.shape, axis=axis if x.shape[axis] > 1 else 1))

    def write_float(self, form, inputs):
        return form.call(self, "Softmax", inputs, axis=self.axis)

    def write_uint8(self, form, inputs):
        words = form.triples(self, inputs) + form.quantization(self)
        return form.call(self, "QLinearSoftmax", words, domain="com.microsoft", axis=self.axis, opset=13)
