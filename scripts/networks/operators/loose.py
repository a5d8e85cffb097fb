# SPDX-License-Identifier: Apache-2.0
"""Convolutions and products that no integer operator has: of weights of 16 bits, in blocks, with a scale a channel of
the input, with biases at any scale, of values of 16 bits; and ConvTranspose."""
import math

import numpy as np
from node import F32, OfFloats, Window
from operators.convolution import Conv, Weighted
from operators.parts import RANGES, Parts, draw_element, draw_scales
from operators.training_aware import MOST_CLEAR, MOST_CLEAR_MACS, keep_in_range


class Loose(OfFloats, Conv):
    """weights are real numbers; parts says how the file has them: integers, type, scales, zero points, attributes."""

    kind, weight = "loose", 2
    parts, bias_parts, real_biases = None, None, None
    converted = None  # to what integers the operand is brought before

    @classmethod
    def draw(cls, drawing):
        node = cls.placed(drawing, MOST_CLEAR_MACS)
        if not node or math.prod(node.shape) > MOST_CLEAR:
            return
        node.pool, node.shape = None, node.window.shape(node.inputs[0].shape, node.shape[1])
        if math.prod(node.shape) > MOST_CLEAR:
            return
        shape = node.weights_shape()
        node.parts = drawing.choice([draw_wide, draw_blocks, draw_channels])(drawing, shape)
        node.weights = node.parts.real()
        if not drawing.one_in(3):
            # Of 16 bits are float32 biases, which are rounded where the weights are on integers.
            most = 16 if node.parts.is_float() and drawing.one_in(2) else 8
            numbers = drawing.integers(-(1 << most - 1), (1 << most - 1) - 1, shape[:1])
            node.bias_parts = Parts(
                f"int{most}", numbers, F32(drawing.one_to_two() * 2.0**-most * math.prod(shape[1:]))
            )
            node.real_biases = node.bias_parts.real()
        if drawing.one_in(2):
            node.converted = draw_conversion(drawing, node.inputs[0])
        drawing.add(node)

    def operand(self):
        """What is multiplied, as float64 of float32 numbers."""
        x, parts = self.inputs[0].real(), self.converted
        if parts:
            scales, zero_points = parts.spread(parts.scales), parts.spread(parts.zero_points)
            steps = np.clip(np.rint(x / scales) + zero_points.astype(F32), *RANGES[parts.element])
            x = scales * (steps - zero_points.astype(F32))
        return x.astype(np.float64)

    def centred(self, taps):
        return self.operand()

    def product_scales(self):
        return np.ones(1, F32)

    def biased(self, sums):
        return sums if self.real_biases is None else sums + self.per_filter(self.real_biases.astype(np.float64))

    def write_float(self, form, inputs):
        if self.converted and not form.is_float:
            inputs = [self.write_conversion(form, inputs[0])]
        words = [*inputs, self.write_weights(form, f"{self.name}_weights")]
        words += [self.bias_parts.write(form, f"{self.name}_biases")] if self.bias_parts else []
        return form.call(self, "Conv", words, **self.attributes())

    def write_conversion(self, form, x):
        """The operand to integers and back. In QOperator form by float operators: ONNX Runtime's QLinearMatMul of opset
        21 saturates sums."""
        parts, name = self.converted, f"{self.name}_converted"
        if not form.is_qoperator:
            form.need_opset(parts.opset())
            words = [form.constant(parts.scales, f"{name}_scale")]
            words.append(form.typed(parts.element, parts.zero_points, f"{name}_zero_point"))
            q = form.node("QuantizeLinear", [x, *words], name, **parts.attributes)
            return form.node("DequantizeLinear", [q, *words], f"{name}_real", **parts.attributes)
        scales, zero_points = (
            form.constant(np.broadcast_to(parts.spread(numbers), self.inputs[0].shape).astype(F32), f"{name}_{end}")
            for end, numbers in (("scales", parts.scales), ("zero_points", parts.zero_points))
        )
        bounds = [form.constant(F32(bound), f"{name}_{bound}") for bound in RANGES[parts.element]]
        steps = form.node("Round", [form.node("Div", [x, scales], f"{name}_steps")], f"{name}_whole")
        steps = form.node("Clip", [form.node("Add", [steps, zero_points], f"{name}_sum"), *bounds], f"{name}_clipped")
        return form.node("Mul", [form.node("Sub", [steps, zero_points], f"{name}_less"), scales], f"{name}_real")

    def write_weights(self, form, name):
        """In QOperator form they are the larger of a constant and itself, which might be given another value: else ONNX
        Runtime's optimizer quantizes float32 weights by scales of its own."""
        weights = self.parts.write(form, name)
        if not form.is_qoperator:
            return weights
        form.input(name, self.weights.shape)
        return form.node("Max", [weights, weights], f"{name}_real")

    def details(self):
        words = f"; {self.parts.element} weights {self.parts.attributes}"
        words += f"; {self.bias_parts.element} biases" if self.bias_parts else ""
        words += f"; of {self.converted.element} {self.converted.attributes}" if self.converted else ""
        return words + super().details()


def is_power_of_two(scale):
    return math.frexp(scale)[0] == 0.5


def draw_conversion(drawing, x):
    """To 16 bits; to 8 with a scale a channel; or to 8 in blocks along the columns. With one scale in all that would be
    two pairs of conversions in a row, which ONNX Runtime makes one."""
    reals, axis = x.real(), drawing.choice([None, 1, 3])
    axis = axis if math.prod(x.shape[:3]) > 1 and x.shape[1] > 1 else None
    element = drawing.choice(["int16", "uint16"] if axis is None else ["int8", "uint8"])
    size = x.shape[axis] if axis else 1
    block = drawing.between(1, size) if axis == 3 else None
    attributes = {} if axis is None else {"axis": axis} | ({"block_size": block} if block else {})
    shape = () if axis is None else (size,) if axis == 1 else (*x.shape[:3], -(-size // block))
    least, most = RANGES[element]
    span = max(float(np.ptp(reals)), 255 * float(x.scale)) / (most - least)
    scales = (span * drawing.one_to_two(shape)).astype(F32) if shape else F32(span * drawing.one_to_two())
    zero_points = np.clip(np.rint(-reals.min() / scales) + least + drawing.integers(-9, 9, shape), least, most)
    return Parts(element, x.elements, scales, zero_points.astype(np.int64), **attributes)


def draw_wide(drawing, shape):
    """16 bits, one scale or one a filter, which make float32 products."""
    scales = draw_scales(drawing, shape[0] if drawing.one_in(2) else None) / F32(128)
    along = {"axis": 0} if np.ndim(scales) else {}
    return draw_element(drawing, ["int16", "uint16"], shape, scales, not drawing.one_in(3), **along)


def draw_blocks(drawing, shape):
    """Of opset 21: a scale for some channels of the input each."""
    axis = drawing.between(0, 1)
    block = drawing.between(1, shape[axis])
    scales = draw_scales(drawing, (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1 :]))
    elements = ["int4", "uint4", "int8", "uint8", "int16"]
    return draw_element(drawing, elements, shape, scales, drawing.one_in(2), axis=axis, block_size=block)


def draw_channels(drawing, shape):
    """A scale for each channel of the input, or each column of filters."""
    axis = drawing.between(1, 3)
    scales = draw_scales(drawing, shape[axis])
    return draw_element(drawing, ["int4", "uint4", "int8", "uint8"], shape, scales, drawing.one_in(2), axis=axis)


class ConvTranspose(Weighted):
    """Weights are [C, M / groups, R, S]."""

    kind, weight = "conv_transpose", 3
    groups, padding = 1, (0, 0)  # padding: rows and columns more at the end

    def sums(self):
        """Each element, times the weights, added where it meets the result."""
        x = self.inputs[0]
        numbers = x.elements.astype(np.float64) - x.zero_point
        pictures, channels, rows, columns = numbers.shape
        (stride_y, stride_x), (dilation_y, dilation_x) = self.window.strides, self.window.dilations
        kernel, pads = self.window.kernel, self.window.pads
        filters, shape = self.weights.shape[1], self.shape[2:]
        ends = [size + pads[axis] + pads[axis + 2] for axis, size in enumerate(shape)]
        whole = np.zeros((pictures, self.groups * filters, *ends))
        numbers = numbers.reshape(pictures, self.groups, -1, rows * columns)
        weights = self.weights.reshape(self.groups, channels // self.groups, filters, *kernel).astype(np.float64)
        for r in range(kernel[0]):
            for s in range(kernel[1]):
                part = weights[..., r, s].swapaxes(1, 2) @ numbers
                top, left = r * dilation_y, s * dilation_x
                part = part.reshape(pictures, -1, rows, columns)
                whole[:, :, top : top + rows * stride_y : stride_y, left : left + columns * stride_x : stride_x] += part
        return self.biased(whole[:, :, pads[0] : pads[0] + shape[0], pads[1] : pads[1] + shape[1]])

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: len(node.shape) == 4 and math.prod(node.shape) <= MOST_CLEAR)
        if not x:
            return
        groups = x.shape[1] if drawing.one_in(4) else 1
        kernel = tuple(drawing.between(1, 4) for _ in range(2))
        strides = tuple(drawing.between(1, 3) for _ in range(2))
        dilations = tuple(2 if drawing.one_in(6) else 1 for _ in range(2))
        pads = tuple(drawing.between(0, size - 1) for size in kernel * 2)
        padding = tuple(drawing.between(0, stride - 1) for stride in strides)
        sizes = [
            (size - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - pads[i] - pads[i + 2] + padding[i]
            for i, size in enumerate(x.shape[2:])
        ]
        filters = drawing.between(1, 6)
        shape = (x.shape[0], filters * groups, *sizes)
        is_small = (
            math.prod(shape) <= MOST_CLEAR and math.prod(x.shape) * filters * math.prod(kernel) <= MOST_CLEAR_MACS
        )
        if min(sizes) < 1 or not is_small:
            return
        window = Window(kernel, strides, dilations, pads)
        node = cls([x], shape, window=window, groups=groups, padding=padding, relu=drawing.one_in(2))
        drawing.draw_weights(node, (filters * groups, x.shape[1] // groups, *kernel))
        node.weights = node.weights.reshape(groups, filters, -1, *kernel).swapaxes(1, 2)
        node.weights = np.ascontiguousarray(node.weights.reshape(x.shape[1], filters, *kernel))
        if groups > 1:
            node.weight_scales = node.weight_scales[:1]
        node.float_biases = None
        keep_in_range(node)
        drawing.add(node)

    def is_sure(self):
        """Of powers of two float32 sums are exact, where they have 24 bits."""
        scales = [*self.weight_scales, self.inputs[0].scale, self.scale]
        biases = 0 if self.biases is None else np.abs(self.biases.astype(np.float64)).max()
        most = np.abs(self.weights.astype(np.float64)).sum() * 255 + biases
        return (all(map(is_power_of_two, scales)) and most < 1 << 23) or self.is_clear()

    def has_uint8(self):
        return False

    def is_fused(self):
        return False

    def write_float(self, form, inputs):
        attributes = self.window.attributes() | {"group": self.groups, "output_padding": self.padding}
        return form.call(self, "ConvTranspose", inputs + self.parameters(form, self.weights, 1), **attributes)

    def details(self):
        return f"; {self.window} groups {self.groups} padding {self.padding}" + super().details()
