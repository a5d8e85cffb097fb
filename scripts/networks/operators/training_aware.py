# SPDX-License-Identifier: Apache-2.0
"""Convolutions as training-aware exports have them: quotients, products, sums and batch normalizations of the filters
before they are quantized, which are folded into weights; or an activation."""
import numpy as np
from node import F32, OfFloats
from operators.convolution import Conv
from operators.functions import FUNCTIONS, draw_settings

EPSILON = np.float64(F32(1e-5))  # of BatchNormalization, as it is by default
CHAINS = [
    ["BatchNormalization"],
    ["Div", "BatchNormalization"],
    ["Mul", "Add"],
    ["Div"],
    ["Sub", "Mul"],
    ["Add", "Div", "Add"],
]
MOST_CLEAR_MACS, MOST_CLEAR = 30_000, 600  # of what may be near no tie: products, elements


class Chain(Conv):
    """Weights, scales and biases are those that it is folded into, as its integer form has them."""

    kind, weight = "chain", 2
    given = None  # weights and their scales, in the file
    steps_behind = ()  # (operator, float32 numbers, one a filter each)

    @classmethod
    def draw(cls, drawing):
        node = cls.placed(drawing)
        if not node:
            return
        drawing.draw_weights(node, node.weights_shape())
        node.weights = np.clip(node.weights, -127, 127).astype(np.int8)
        node.weight_zero = node.biases = node.float_biases = None
        node.given = node.weights, node.weight_scales
        filters = len(node.weights)
        node.steps_behind = [(op, draw_numbers(drawing, op, node)) for op in drawing.choice(CHAINS)]
        node.fold(filters)
        drawing.add(node)

    def fold(self, filters):
        """In double, as one rounding each of scales and biases."""
        factor, offset = np.ones(filters), np.zeros(filters)
        for op, numbers in self.steps_behind:
            numbers = [number.astype(np.float64) for number in numbers]
            if op == "BatchNormalization":
                gamma, beta, mean, variance = numbers
                scale = gamma / np.sqrt(variance + EPSILON)
                factor, offset = factor * scale, (offset - mean) * scale + beta
            elif op in ("Mul", "Div"):
                scale = 1 / numbers[0] if op == "Div" else numbers[0]
                factor, offset = factor * scale, offset * scale
            else:
                offset = offset - numbers[0] if op == "Sub" else offset + numbers[0]
        weights, scales = self.given
        self.weights = (weights * np.sign(factor).astype(np.int8).reshape(-1, 1, 1, 1)).astype(np.int8)
        self.weight_scales = np.abs(scales * factor).astype(F32)
        self.float_biases = offset.astype(F32)
        self.biases = np.rint(self.float_biases / self.product_scales()).astype(np.int32)

    def write_float(self, form, inputs):
        weights, scales = self.given
        words = [*inputs, form.float_parameter(f"{self.name}_weights", weights, scales, 0)]
        y = form.node("Conv", words, f"{self.name}_product", f"{self.name}/product", **self.attributes())
        for place, (op, numbers) in enumerate(self.steps_behind, 1):
            name = f"{self.name}_{op}{place}"
            if op != "BatchNormalization":
                numbers = [numbers[0].reshape(1, -1, 1, 1)]
            words = [y, *(form.constant(number, f"{name}_{i}") for i, number in enumerate(numbers))]
            is_last = place == len(self.steps_behind)
            y = form.call(self, op, words) if is_last else form.node(op, words, name, f"{self.name}/{op}{place}")
        return y

    def is_fused(self):
        return False

    def details(self):
        return super().details() + "; behind it " + " ".join(op for op, _ in self.steps_behind)


def draw_numbers(drawing, op, node):
    """One a filter; what is added is as large as some of the products."""
    filters = len(node.weights)
    taps = node.weights[0].size

    def factors():
        return (drawing.one_to_two(filters) * drawing.source.choice((-1, 1), filters)).astype(F32)

    def terms():
        return (drawing.integers(-500 * taps, 500 * taps, filters) * node.product_scales()).astype(F32)

    if op == "BatchNormalization":
        return [factors(), terms(), terms(), drawing.one_to_two(filters).astype(F32)]
    return [terms() if op in ("Add", "Sub") else factors()]


ACTIVATIONS = [function for function in FUNCTIONS if function.name in ("LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid")]


def keep_in_range(node):
    """Has biases with which no sum leaves int32: what is float32 does not wrap."""
    if node.biases is not None:
        node.biases = np.maximum(node.biases, -(1 << 30))


class Activated(OfFloats, Conv):
    """A convolution and a function of its sums, which nothing quantizes between; written as one operator at times."""

    kind, weight = "activated", 3
    function, settings, is_fused_conv = None, (), False

    @classmethod
    def draw(cls, drawing):
        node = cls.placed(drawing, MOST_CLEAR_MACS)
        if not node or np.prod(node.shape) > MOST_CLEAR:
            return
        drawing.draw_weights(node, node.weights_shape())
        node.float_biases, node.relu, node.pool = None, False, None
        keep_in_range(node)
        node.shape = node.window.shape(node.inputs[0].shape, node.shape[1])
        node.function, node.is_fused_conv = drawing.choice(ACTIVATIONS), drawing.one_in(2)
        node.settings = draw_settings(drawing, len(node.function.attributes))
        if np.prod(node.shape) <= MOST_CLEAR:
            drawing.add(node)

    def reals(self):
        settings = np.asarray(self.settings, np.longdouble)
        return self.function.apply(super().reals().astype(np.longdouble), *settings).astype(np.float64)

    def write_float(self, form, inputs):
        words, attributes = inputs + self.parameters(form, self.weights, 0), self.attributes()
        numbers = [float(number) for number in self.settings]
        if self.is_fused_conv:
            attributes |= {"activation_params": numbers} if numbers else {}
            attributes["activation"] = self.function.name
            return form.call(self, "FusedConv", words, domain="com.microsoft", **attributes)
        y = form.node("Conv", words, f"{self.name}_product", f"{self.name}/product", **attributes)
        return form.call(self, self.function.name, [y], **dict(zip(self.function.attributes, numbers)))

    def details(self):
        return super().details() + f"; {self.function.name}" + " in one" * self.is_fused_conv
