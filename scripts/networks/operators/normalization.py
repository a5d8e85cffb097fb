# SPDX-License-Identifier: Apache-2.0
"""LayerNormalization along the last axes, of a value or of a sum of two; and Gelu of a sum with a bias."""
import math

import numpy as np
from node import CLEAR, OfFloats
from operators.attention import as_tokens
from operators.functions import MICROSOFT, gelu, gelu_tanh, step_of_x
from operators.training_aware import MOST_CLEAR

EPSILON = 1e-5


class LayerNorm(OfFloats):
    kind, weight = "layer_norm", 3
    gain, offset, axis = None, None, -1
    skip_bias = None  # of SkipLayerNormalization

    def reals(self):
        x = sum(node.real().astype(np.float64) for node in self.inputs)
        x = x if self.skip_bias is None else x + self.skip_bias.astype(np.float64)
        axes = tuple(range(self.axis, 0))
        middle = x.mean(axis=axes, keepdims=True)
        spread = np.sqrt(((x - middle) ** 2).mean(axis=axes, keepdims=True) + EPSILON)
        return (x - middle) / spread * self.gain.astype(np.float64) + self.offset.astype(np.float64)

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: len(node.shape) > 1 and math.prod(node.shape) <= MOST_CLEAR)
        if x and len(x.shape) == 4 and drawing.one_in(2):
            x = as_tokens(drawing, x)
        if not x or x.shape[-1] == 1:
            return
        axis = -drawing.between(1, len(x.shape) - 1)
        node = cls([x], x.shape, axis=axis, relu=drawing.one_in(6))
        if len(x.shape) == 3 and drawing.one_in(2):
            other = drawing.pick(lambda node: node.shape == x.shape)
            node.inputs.append(other)
            node.axis = axis = -1
            node.skip_bias = drawing.draw_reals(x.shape[-1]) if drawing.one_in(2) else None
        node.gain, node.offset = (drawing.draw_reals(x.shape[axis:]) for _ in range(2))
        if node.spread_is_clear():
            drawing.add(node)

    def spread_is_clear(self):
        """Whether no variance is nearly nothing, where the last digits of what is beside the mean would count."""
        x = sum(node.real().astype(np.float64) for node in self.inputs)
        return bool(np.all(x.std(axis=tuple(range(self.axis, 0))) > 1e-3 * np.abs(x).max()))

    def write_float(self, form, inputs):
        words = [
            *inputs,
            form.constant(self.gain, f"{self.name}_gain"),
            form.constant(self.offset, f"{self.name}_offset"),
        ]
        if len(self.inputs) == 2:
            words += [] if self.skip_bias is None else [form.constant(self.skip_bias, f"{self.name}_bias")]
            return form.call(self, "SkipLayerNormalization", words, MICROSOFT, epsilon=EPSILON)
        form.need_opset(17)
        return form.call(self, "LayerNormalization", words, axis=self.axis, epsilon=EPSILON)

    def details(self):
        return f"; from axis {self.axis}" + " with a bias" * (self.skip_bias is not None)


class BiasGelu(OfFloats):
    """Of a number for each place along the last axis added."""

    kind, weight = "bias_gelu", 2
    op, bias = None, None

    def sums(self):
        return self.inputs[0].real().astype(np.float64) + self.bias.astype(np.float64)

    def reals(self):
        x = self.sums()
        return (gelu if self.op == "BiasGelu" else gelu_tanh)(x).astype(np.float64)

    def is_sure(self):
        """No step may be so small that ONNX Runtime's 1 + erf, of nearly opposite numbers, is off by as much."""
        return self.is_clear() and step_of_x(self.sums()).max() < CLEAR * self.scale

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: math.prod(node.shape) <= MOST_CLEAR)
        if x:
            op, bias = drawing.choice(["BiasGelu", "FastGelu"]), drawing.draw_reals(x.shape[-1])
            drawing.add(cls([x], x.shape, op=op, bias=bias))

    def write_float(self, form, inputs):
        return form.call(self, self.op, [*inputs, form.constant(self.bias, f"{self.name}_bias")], MICROSOFT)

    def details(self):
        return f"; {self.op}"
