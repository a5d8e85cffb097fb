# SPDX-License-Identifier: Apache-2.0
"""Linear Resize of rows and columns, between float32 numbers, in ONNX Runtime's order of operations."""
import math

import numpy as np
from node import F32, Node, quantize
from operators.moves import COORDINATES, MOST_ELEMENTS, Move, original_places


def linear_taps(coordinates, scale, size, new_size):
    """Two places and two weights for each index; at the end the last place twice, half and half."""
    at = original_places(coordinates, scale, size, new_size)
    at = np.clip(at, F32(0), F32(size - 1))
    low = at.astype(np.int64)
    part = np.where(low == size - 1, F32(0.5), at - low.astype(F32)).astype(F32)
    return (low, np.minimum(low + 1, size - 1)), (F32(1) - part, part)


class Interpolate(Node):
    kind, weight = "interpolate", 2
    coordinates, scales, has_sizes = None, None, False

    def interpolated(self, real):
        x = self.inputs[0].real().astype(real)
        taps = [linear_taps(self.coordinates, self.scales[axis], x.shape[axis], self.shape[axis]) for axis in (2, 3)]
        (rows, row_weights), (columns, column_weights) = taps
        total = 0
        for row, row_weight in zip(rows, row_weights):
            for column, column_weight in zip(columns, column_weights):
                weight = (row_weight[:, None] * column_weight[None]).astype(real)
                total = total + weight * x[:, :, row][..., column]
        return total

    def reals(self):
        return self.interpolated(np.float64)

    def evaluate(self):
        return quantize(self.steps(self.interpolated(F32)), self.zero_point)

    def has_uint8(self):
        return False

    def is_fused(self):
        return False

    @classmethod
    def draw(cls, drawing):
        """Not of what is moved: ONNX Runtime's optimizer takes a Transpose behind it, and then refuses the axes."""
        x = drawing.pick(lambda node: len(node.shape) == 4 and math.prod(node.shape) <= MOST_ELEMENTS // 2)
        if not x or isinstance(x, Move):
            return
        shape, scales, has_sizes = list(x.shape), np.ones(4, F32), drawing.one_in(2)
        for axis in (2, 3):
            scale = F32(2 if drawing.one_in(2) else drawing.between(3, 24) / 8)
            shape[axis] = max(int(shape[axis] * scale), 1)
            is_given = has_sizes or shape[axis] > int(x.shape[axis] * scale)
            scales[axis] = F32(shape[axis]) / F32(x.shape[axis]) if is_given else scale
        if math.prod(shape) <= 2 * MOST_ELEMENTS and tuple(shape) != x.shape:
            coordinates = drawing.choice(COORDINATES)
            drawing.add(cls([x], shape, coordinates=coordinates, scales=scales, has_sizes=has_sizes))

    def write_float(self, form, inputs):
        operand = form.constant(np.int64(self.shape) if self.has_sizes else self.scales, f"{self.name}_operand")
        words = [*inputs, "", "", operand] if self.has_sizes else [*inputs, "", operand]
        modes = {"mode": "linear", "coordinate_transformation_mode": self.coordinates}
        return form.call(self, "Resize", words, **modes)

    def details(self):
        return f"; {self.coordinates} scales {self.scales[2:]}"
