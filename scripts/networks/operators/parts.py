# SPDX-License-Identifier: Apache-2.0
"""Constants that are dequantized: of any type, by scales for all, an axis or blocks."""
import numpy as np
from node import F32


NEWER = ("int4", "uint4", "int16", "uint16")  # types of opset 21


class Parts:
    """A constant that is dequantized."""

    def __init__(self, element, numbers, scales, zero_points=None, **attributes):
        self.element, self.numbers, self.scales, self.zero_points = element, numbers, scales, zero_points
        self.attributes = attributes

    def spread(self, parameter):
        """A scale or zero point for each number."""
        shape, axis = self.numbers.shape, self.attributes.get("axis", 0)
        if np.ndim(parameter) == 0:
            return parameter
        if np.ndim(parameter) == 1:
            return np.reshape(parameter, [-1 if i == axis else 1 for i in range(len(shape))])
        return np.repeat(parameter, self.attributes["block_size"], axis).take(range(shape[axis]), axis)

    def real(self):
        zero_points = 0 if self.zero_points is None else self.spread(self.zero_points)
        return (self.numbers - zero_points).astype(F32) * self.spread(self.scales)

    def is_float(self):
        """Whether weights of it make float32 products, whatever the numbers and shape are."""
        return "16" in self.element and np.ptp(self.numbers) > 255

    def opset(self):
        """The first that has it, or 13."""
        return 21 if "block_size" in self.attributes or self.element in NEWER else 13

    def write(self, form, name):
        """Name of what it is in float32."""
        if form.is_float or form.is_qoperator:
            return form.constant(self.real(), name)
        form.need_opset(self.opset())
        words = [form.typed(self.element, self.numbers, name), form.constant(self.scales, f"{name}_scale")]
        if self.zero_points is not None:
            words.append(form.typed(self.element, self.zero_points, f"{name}_zero_point"))
        return form.node("DequantizeLinear", words, f"{name}_real", **self.attributes)


RANGES = {"int4": (-8, 7), "uint4": (0, 15), "int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}
RANGES["uint16"] = (0, 65535)


def draw_scales(drawing, shape=None):
    return F32(drawing.one_to_two(shape) * 2.0 ** drawing.between(-10, -3))


def draw_element(drawing, elements, shape, scales, has_zero_points, **attributes):
    """Numbers of one of these types."""
    element = drawing.choice(elements)
    least, most = RANGES[element]
    zero_points = drawing.integers(least, most, np.shape(scales)) if has_zero_points else None
    return Parts(element, drawing.integers(least, most, shape), scales, zero_points, **attributes)
