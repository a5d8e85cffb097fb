# SPDX-License-Identifier: Apache-2.0
"""Products of matrices: tokens, the rows of a value, by weights; and a value by another, as attention has them."""
import math

import numpy as np
from node import F32, Node, quantize
from operators.convolution import MOST_MACS, Weighted
from operators.moves import Form, Order, all_places


class Tokens(Weighted):
    """Weights are [C, M]: MatMul of x [..., C], and an Add of biases."""

    kind, weight = "tokens", 2
    has_quantized_biases = False  # it adds them to a float32 product

    def sums(self):
        return self.biased(self.centred(len(self.weights)) @ self.weights.astype(np.float64))

    def per_filter(self, numbers):
        return np.asarray(numbers)

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: len(node.shape) > 2)
        if not x:
            return
        if len(x.shape) == 4 and drawing.one_in(2):
            x = as_tokens(drawing, x)
        outputs = drawing.between(1, 12)
        if math.prod(x.shape) * outputs > MOST_MACS:
            return
        node = cls([x], (*x.shape[:-1], outputs), relu=drawing.one_in(3))
        drawing.draw_weights(node, (outputs, x.shape[-1]))
        node.weights = np.ascontiguousarray(node.weights.T)
        drawing.add(node)

    def write_float(self, form, inputs):
        weights, *biases = self.parameters(form, self.weights, 1)
        if not biases:
            return form.call(self, "MatMul", [*inputs, weights])
        product = form.node("MatMul", [*inputs, weights], f"{self.name}_product", f"{self.name}/product")
        return form.call(self, "Add", [product, *biases])

    def write_uint8(self, form, inputs):
        """With biases as QGemm, which takes matrices."""
        weights, biases = self.integer_parameters(form, self.weights)
        words = form.triples(self, inputs) + weights
        if not biases:
            return form.call(self, "QLinearMatMul", words + form.quantization(self))
        rows, shape = (
            form.constant(np.int64(numbers), f"{self.name}_{end}")
            for end, numbers in (("rows", [-1, len(self.weights)]), ("shape", self.shape))
        )
        words[0] = form.node("Reshape", [inputs[0], rows], f"{self.name}_in", f"{self.name}/rows")
        product = form.call(self, "QGemm", words + biases + form.quantization(self), domain="com.microsoft")
        return form.node("Reshape", [product, shape], f"{self.name}_tokens", f"{self.name}/tokens")


class Matmul(Node):
    """A value by another of its shape, whose last two axes are exchanged; or by a third."""

    kind, weight = "matmul", 2

    def product(self):
        a, b = (x.elements.astype(np.int64) - x.zero_point for x in self.inputs)
        return a @ b

    def product_scale(self):
        return F32(self.inputs[0].scale) * F32(self.inputs[1].scale)

    def reals(self):
        return self.product() * np.float64(self.product_scale())

    def evaluate(self):
        return quantize(self.product().astype(F32) * self.steps(self.product_scale()), self.zero_point)

    @classmethod
    def draw(cls, drawing):
        a = drawing.pick(lambda node: len(node.shape) > 2 and math.prod(node.shape) <= 1000)
        if not a:
            return
        b = drawing.pick(lambda node: node.shape == a.shape) if drawing.one_in(2) else a
        perm = (*range(len(b.shape) - 2), len(b.shape) - 1, len(b.shape) - 2)
        places = all_places(b).transpose(perm)
        turned = drawing.add(Order([b], places.shape, places=places, form=Form("Transpose", {"perm": perm})))
        drawing.add(cls([a, turned], (*a.shape[:-1], a.shape[-2])))

    def write_float(self, form, inputs):
        return form.call(self, "MatMul", inputs)

    def write_uint8(self, form, inputs):
        return form.call(self, "QLinearMatMul", form.triples(self, inputs) + form.quantization(self))


def as_tokens(drawing, x):
    """The rows of all channels of a value of four axes."""
    shape = (x.shape[0], math.prod(x.shape[1:3]), x.shape[3])
    form = Form("Reshape", operands=(np.int64(shape),))
    return drawing.add(Order([x], shape, places=all_places(x).reshape(shape), form=form))
