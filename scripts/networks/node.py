# SPDX-License-Identifier: Apache-2.0
"""An operator of a quantized network, the uint8 value that it makes, and the float32 formulas that ONNX Runtime
follows."""
from typing import NamedTuple

import numpy as np

F32 = np.float32
# Steps from a tie within which float32 operations in another order may round to the other side; and steps far beyond
# either end.
CLEAR, BEYOND = 5e-4, 300


def saturate(steps):
    """The nearest integers, ties to even, within 0 to 255."""
    return np.clip(np.rint(steps), 0, 255).astype(np.uint8)


def quantize(steps, zero_point):
    """... with the zero point outside the rounding; what is no number is 0."""
    return np.nan_to_num(np.clip(np.rint(steps) + F32(zero_point), 0, 255)).astype(np.uint8)


def is_near_tie(steps, margin):
    return (np.abs(steps - np.floor(steps) - 0.5) < margin) & (np.abs(steps) < BEYOND)


def dequantize(elements, scale, zero_point):
    """scale * (x - zero point), float32."""
    return F32(scale) * (elements.astype(np.int32) - zero_point).astype(F32)


def common_range(a, b, first_element=0):
    """Scale and zero point of what two pairs both have, in ONNX Runtime's order of operations.
    :param first_element: that is 0 of their type."""
    ends = [[dequantize(np.uint8(end), *pair) for pair in (a, b)] for end in (0, 255)]
    first, last = max(ends[0]), min(ends[1])
    scale = (last - first) / F32(255)
    zero_point = -F32(first_element) - first / scale
    zero_point = np.floor(np.abs(zero_point) + F32(0.5)) * np.sign(zero_point) + first_element
    return F32(scale), int(np.clip(zero_point, 0, 255))


class Window(NamedTuple):
    """How a window moves: rows and columns; pads at the top, left, bottom and right."""

    kernel: tuple = (1, 1)
    strides: tuple = (1, 1)
    dilations: tuple = (1, 1)
    pads: tuple = (0, 0, 0, 0)
    ceil_mode: bool = False  # of a pool: a last window may reach beyond the padding
    count_include_pad: bool = False  # of an average pool

    def _free(self, size, axis):
        return size + self.pads[axis] + self.pads[axis + 2] - self.dilations[axis] * (self.kernel[axis] - 1) - 1

    def positions(self, size, axis):
        """Along rows (axis 0) or columns (axis 1)."""
        free, stride = self._free(size, axis), self.strides[axis]
        if free < 0:
            return 0
        whole = free // stride + 1
        return whole + (self.ceil_mode and free % stride != 0 and whole * stride < size + self.pads[axis])

    def leaves_out(self, x):
        """Whether ceil_mode leaves out a last window that starts in the padding of x [N, C, H, W]: ONNX Runtime's
        kernels do, its shape inference does not."""
        in_full = self._replace(ceil_mode=True)
        return any(
            -(-self._free(size, axis) // self.strides[axis]) + 1 != in_full.positions(size, axis)
            for axis, size in enumerate(x[2:])
        )

    def shape(self, x, channels):
        """Of the window's results on x; no element where it does not fit."""
        return (x[0], channels, *(self.positions(size, axis) for axis, size in enumerate(x[2:])))

    def taps(self, x, fill, size=None):
        """For each place (r, s) of the window: that place, and the elements [N, C, E, F] of x there; `fill` in the
        padding. :param size: (E, F), other than the window's own."""
        size = size or self.shape(x.shape, 1)[2:]
        ends = [
            (count - 1) * stride + (kernel - 1) * dilation + 1
            for count, stride, kernel, dilation in zip(size, self.strides, self.kernel, self.dilations)
        ]
        pads = self.pads
        behind = [max(0, end - extent - before) for end, extent, before in zip(ends, x.shape[2:], pads)]
        around = ((0, 0), (0, 0), (pads[0], behind[0]), (pads[1], behind[1]))
        padded = np.pad(x, around, constant_values=fill)
        for r in range(self.kernel[0]):
            for s in range(self.kernel[1]):
                first = (r * self.dilations[0], s * self.dilations[1])
                rows, columns = (
                    slice(at, at + stride * (count - 1) + 1, stride)
                    for at, stride, count in zip(first, self.strides, size)
                )
                yield (r, s), padded[:, :, rows, columns]

    def largest(self, x, fill):
        """The maximum under each position."""
        result = None
        for _, taps in self.taps(x, fill):
            result = taps.copy() if result is None else np.maximum(result, taps, out=result)
        return result

    def attributes(self):
        """As ONNX calls them; without those of pools that are as by default."""
        attributes = {"kernel_shape": self.kernel, "strides": self.strides, "pads": self.pads}
        if self.dilations != (1, 1):
            attributes["dilations"] = self.dilations
        return attributes | {flag: 1 for flag in ("ceil_mode", "count_include_pad") if getattr(self, flag)}


class Node:
    """An operator as far as its own arithmetic goes: ReLU, Clip, a fused max-pool and quantization are the same for
    all. A subclass is an operator; `kind` is its name here, and `weight` how often it is drawn beside the others."""

    kind, weight = None, 0
    keeps_scale = False  # whether the value has its operand's scale and zero point
    name = None
    scale = zero_point = elements = None  # of the value: scale * (elements - zero_point), [N, C, H, W] or [N, C]
    relu = False
    clip = None  # (low, high), before the value is quantized
    pairs = None  # two scales and zero points, of which the value's are what both have
    narrow = None  # the first of 16 elements to which it is clipped: 0 for those of uint4, 120 of int4
    pool = None  # a max-pool's window, before the value is quantized
    # How the form under test is written, which changes no answer.
    is_on_integers = False  # an operator that keeps its scale, on uint8 and not between floats
    shares_dequantize = True  # reads the DequantizeLinear of a value that others read too, or one of its own

    def __init__(self, inputs, shape, **fields):
        self.inputs, self.shape = list(inputs), tuple(shape)
        self.__dict__.update(fields)

    # What a subclass defines, and one that is drawn besides: draw(drawing), which adds the operator and what it needs;
    # nothing where no value fits.

    def reals(self):
        """Exact results before quantization, float64, which a scale is chosen by; not where it keeps its scale."""

    def float_reals(self):
        """The same of ONNX Runtime's float operator, where that is another function than its integer one; else None."""

    def evaluate(self):
        """Quantized results, by the float32 formulas that ONNX Runtime follows."""

    def is_sure(self):
        """Whether ONNX Runtime is sure to follow the formulas at the value's scale."""
        return True

    def is_on_grid(self):
        """Whether its real numbers are its operand's, so that quantization changes none."""
        return self.keeps_scale

    def is_clear(self):
        """Whether no result is near a tie, so that it is the same in whatever order float32 operations come."""
        return not np.any(is_near_tie(self.finish_reals(self.reals()) / np.float64(self.scale), CLEAR))

    def rounding_steps(self):
        """How many steps of the result its own roundings on integers may move it."""
        return 0

    def may_be_no_number(self):
        """Whether a result may be NaN."""
        return False

    def write_float(self, form, inputs):
        """Writes it as a float operator. Returns the name of its result."""

    def write_uint8(self, form, inputs):
        """Writes it as ONNX Runtime's own operator on uint8. Returns the name of its result."""

    def has_uint8(self):
        """Whether there is such an operator; else it is float in either form."""
        return True

    def is_fused(self):
        """Whether ONNX Runtime makes that operator of its QDQ form."""
        return self.has_uint8()

    def details(self):
        """What describe() says of it."""
        return ""

    # The same for all.

    def real(self):
        """What the elements stand for, float32."""
        return dequantize(self.elements, self.scale, self.zero_point)

    def steps(self, x):
        """Reals of float32 in steps of the scale."""
        return x / F32(self.scale)

    def clip_elements(self):
        low, high = self.clip
        return [quantize(self.steps(F32(bound)), self.zero_point) for bound in (low, high)]

    def finish(self, elements):
        """ReLU, Clip and pool on quantized results."""
        if self.relu:
            elements = np.maximum(elements, np.uint8(self.zero_point))
        if self.clip:
            elements = np.clip(elements, *self.clip_elements())
        return self.pool.largest(elements, 0) if self.pool else elements

    def finish_reals(self, reals):
        """The same on exact results."""
        reals = np.maximum(reals, 0) if self.relu else reals
        reals = np.clip(reals, *map(np.float64, self.clip)) if self.clip else reals
        return self.pool.largest(reals, -np.inf) if self.pool else reals

    def compute(self):
        self.elements = self.finish(self.evaluate())


class Input(Node):
    """A network's input: its float32 numbers `data`, quantized."""

    kind = "input"
    data = None
    port = None  # name of the float32 input

    def evaluate(self):
        return quantize(self.steps(self.data), self.zero_point)


def given(node):
    """An input in the place of a node, which holds the same."""
    return Input(
        [],
        node.shape,
        name=node.name,
        port=f"{node.name}_x",
        scale=node.scale,
        zero_point=node.zero_point,
        data=node.real(),
        elements=node.elements,
    )


class OfFloats(Node):
    """What is float32 in either form, and near no tie."""

    def evaluate(self):
        return quantize(self.steps(self.reals().astype(F32)), self.zero_point)

    def is_sure(self):
        return self.is_clear()

    def has_uint8(self):
        return False

    def is_fused(self):
        return False
