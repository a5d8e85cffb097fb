# SPDX-License-Identifier: Apache-2.0
"""Operators of two operands: branches of one shape or broadcast, a value and itself, constants."""
import math
from typing import NamedTuple

import numpy as np
from node import F32, Node, dequantize, quantize, saturate
from operators.convolution import draw_branch
from operators.parts import Parts

FUNCTIONS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Min": np.minimum,
    "Max": np.maximum,
}


class Constant(NamedTuple):
    """An operand that is known: uint8, or float32 and not quantized."""

    place: int  # among the operands
    scale: np.float32
    zero_point: int
    elements: np.ndarray
    reals: np.ndarray  # what it is if it is float
    is_float: bool
    is_quantized_here: bool  # written as what it stands for, with a QuantizeLinear
    parts: Parts = None  # what `reals` are dequantized of, in the file

    @property
    def shape(self):
        return self.elements.shape

    def real(self):
        return self.reals if self.is_float else dequantize(self.elements, self.scale, self.zero_point)


def joined(*shapes):
    """Shape of tensors together; None where they don't fit."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def is_exchanged(a, b):
    """Whether ONNX Runtime exchanges the operands of a sum: the first is the same along the innermost axis of more than
    one element, of those that both have."""
    both = list(zip(reversed(a), reversed(b)))
    size = next((x for x, y in both if max(x, y) > 1), (both[-1][0] if both else 1 if not a else a[-1]))
    return size == 1


def fma(a, b, c):
    """a * b + c, rounded once."""
    return (np.asarray(a, np.longdouble) * np.longdouble(b) + c).astype(F32)


class Binary(Node):
    op, constant = None, None
    ops = ()  # that are drawn

    def sides(self):
        sides = list(self.inputs)
        if self.constant:
            sides.insert(self.constant.place, self.constant)
        return sides

    def is_quantized(self):
        return not (self.constant and self.constant.is_float)

    def reals(self):
        return FUNCTIONS[self.op](*(side.real().astype(np.float64) for side in self.sides()))

    def evaluate(self):
        return quantize(self.steps(FUNCTIONS[self.op](*(side.real() for side in self.sides()))), self.zero_point)

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick()
        if not x:
            return
        node = cls([x], x.shape, op=cls.ops[drawing.between(0, len(cls.ops) - 1)])
        if node.op == "Div" or drawing.one_in(3):
            node.constant = draw_constant(drawing, x.shape, node.op == "Div")
            node.shape = joined(x.shape, node.constant.shape)
        else:
            partner = draw_partner(drawing, x)
            if not partner:
                return
            node.inputs.append(partner)
            node.shape = joined(x.shape, partner.shape)
            if drawing.one_in(2):
                node.inputs.reverse()
        node.relu = drawing.one_in(2 if node.op == "Add" else 6)
        drawing.add(node)

    def write_float(self, form, inputs):
        if self.constant:
            inputs.insert(self.constant.place, self.write_constant(form))
        return form.call(self, self.op, inputs)

    def write_constant(self, form):
        """Name of the constant operand as float32."""
        name, constant = f"{self.name}_constant", self.constant
        if constant.is_float and constant.parts:
            return constant.parts.write(form, name)
        if constant.is_float or form.is_float:
            return form.constant(constant.real(), name)
        return form.node("DequantizeLinear", self.write_quantized_constant(form), f"{name}_real")

    def write_quantized_constant(self, form):
        """Names of the constant operand, its scale and zero point."""
        name, constant = f"{self.name}_constant", self.constant
        quantization = form.scale(name, constant.scale, constant.zero_point)
        if constant.is_quantized_here:
            return [
                form.node("QuantizeLinear", [form.constant(constant.real(), f"{name}_real_q"), *quantization], name)
            ] + quantization
        return [form.activation(constant.elements, name), *quantization]

    def has_uint8(self):
        return False

    def details(self):
        return f"; {self.op}" + ("; a constant" if self.constant else "")


class QuantizedBinary(Binary):
    """ONNX Runtime has kernels for quantized sums and products, where the zero point is inside the rounding."""

    def evaluate(self):
        return self.evaluate_uint8(*self.sides()) if self.is_quantized() else super().evaluate()

    def evaluate_uint8(self, a, b):
        """By these kernels."""

    def has_uint8(self):
        return self.is_quantized()

    def write_uint8(self, form, inputs):
        words = [form.triple(node, name) for node, name in zip(self.inputs, inputs)]
        if self.constant:
            words.insert(self.constant.place, self.write_quantized_constant(form))
        return form.call(self, f"QLinear{self.op}", sum(words, []) + form.quantization(self), domain="com.microsoft")


class Add(QuantizedBinary):
    kind, weight, ops = "add", 4, ["Add"]
    op = "Add"

    def evaluate_uint8(self, a, b):
        """The second operand is the first that is added to the zero point."""
        if is_exchanged(a.shape, b.shape):
            a, b = b, a
        ra, rb = self.steps(F32(a.scale)), self.steps(F32(b.scale))
        fixed = F32(self.zero_point) - fma(ra, F32(a.zero_point), rb * F32(b.zero_point))
        return saturate(fma(a.elements, ra, fma(b.elements, rb, fixed)))

    def rounding_steps(self):
        """It adds bytes and zero points, each times a scale, one after another. They cancel, and where an operand's
        scale is far above the sum's, their last bits are steps."""
        roundings, scales = 4, sum(float(side.scale) for side in self.sides())
        return roundings * 2**-24 * 255 * scales / float(self.scale) if self.is_quantized() else 0


class Mul(QuantizedBinary):
    kind, weight, ops = "mul", 3, ["Mul"]

    def evaluate_uint8(self, a, b):
        scale = self.steps(F32(a.scale) * F32(b.scale))
        product = (a.elements.astype(np.int32) - a.zero_point) * (b.elements.astype(np.int32) - b.zero_point)
        return saturate(product.astype(F32) * scale + F32(self.zero_point))


class Combine(Binary):
    kind, weight, ops = "combine", 3, ["Sub", "Sub", "Div", "Min", "Max"]


def draw_constant(drawing, x, is_divisor):
    """A shape that fits `x`, often with fewer dimensions; where x has a dimension of 1, it may have more elements.
    Divisors are kept away from 0. No number is 1, by which ONNX Runtime drops a product and merges the conversions
    around it."""
    shape = []
    for axis, size in enumerate(x):
        is_wider = axis > 0 and size == 1 and drawing.one_in(3)
        shape.append(drawing.between(1, 4) if is_wider else 1 if drawing.one_in(2) else size)
    while shape and shape[0] == 1 and not drawing.one_in(3):
        shape = shape[1:]
    signs = drawing.source.choice([-1, 1], shape)
    parts, reals = None, ((drawing.integers(300, 1499, shape) + 0.5) * signs / 1000).astype(F32)
    if drawing.one_in(3):  # of a type that no operator on integers takes
        element, least = drawing.choice([("int32", 3000), ("int16", 3000), ("int8", 30)])
        parts = Parts(element, drawing.integers(least, 4 * least, shape) * signs, F32(drawing.one_to_two() / 3 / least))
        reals = parts.real()
    return Constant(
        1 if is_divisor else drawing.between(0, 1),
        F32(drawing.between(1000, 2000) / 100_000),
        0 if is_divisor else drawing.between(0, 255),
        drawing.integers(64 if is_divisor else 0, 255, shape).astype(np.uint8),
        reals,
        drawing.one_in(2),
        drawing.one_in(2),
    )


def draw_partner(drawing, x):
    """A value to meet `x`: itself, one of the same shape, one that is broadcast, or a branch of either kind."""
    if drawing.one_in(8):
        return x

    def fits(node):
        together = joined(node.shape, x.shape)
        is_asked = node is not x and (node.shape == x.shape or drawing.one_in(2))
        return is_asked and together and math.prod(together) <= 4096

    partner = drawing.pick(fits)
    if partner and drawing.one_in(2):
        return partner
    return draw_branch(drawing, x, 1 if drawing.one_in(4) else x.shape[1])
