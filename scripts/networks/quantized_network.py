# SPDX-License-Identifier: Apache-2.0
"""A quantized network that grows layer by layer, with weights from a seed, and scales from what they do to a
picture."""
import dataclasses

import numpy as np

RELU6_SCALE = np.float32(6 / 255)
WEIGHT_SPREAD = 32  # standard deviation of int8 weights


@dataclasses.dataclass
class Value:
    """A uint8 tensor of the network, and its elements for the picture: [C, H, W] or [C]."""

    name: str
    elements: np.ndarray
    scale: np.float32
    zero_point: int

    def real(self):
        return (self.elements - np.float64(self.zero_point)) * np.float64(self.scale)


@dataclasses.dataclass
class Layer:
    """An operator of ONNX's, its operands and what it makes; of Conv and Gemm, int8 weights at a scale a filter and
    int32 biases."""

    op: str
    inputs: list
    output: Value
    attributes: dict = dataclasses.field(default_factory=dict)
    activation: str = None  # relu, relu6 or None
    weights: np.ndarray = None
    weight_scales: np.ndarray = None
    biases: np.ndarray = None


def picture(seed, channels, size):
    """A picture of blotches of four sizes, about -2 to 2, float32."""
    source, planes = np.random.default_rng(seed), np.zeros((channels, size, size))
    for patch in (size // 4, size // 14, size // 56, 1):
        cells = source.standard_normal((channels, size // patch, size // patch))
        planes += 0.5 * np.kron(cells, np.ones((1, patch, patch)))
    return planes.astype(np.float32)


def windows(x, kernel, stride, pads):
    """For each place of a kernel x kernel window: that place, and the elements [C, E, F] that are there; 0 in the
    padding."""
    top, left, bottom, right = pads
    x = np.pad(x, ((0, 0), (top, bottom), (left, right)))
    rows, columns = ((extent - kernel) // stride + 1 for extent in x.shape[1:])
    for r in range(kernel):
        for s in range(kernel):
            yield r, s, x[:, r : r + stride * (rows - 1) + 1 : stride, s : s + stride * (columns - 1) + 1 : stride]


def convolve(x, weights, stride, pads):
    """Sums of products [M, E, F] of integers in float32: exact, as they stay below 2^24. Depthwise if weights are [C,
    1, R, R]."""
    sums = 0
    for r, s, taps in windows(x, weights.shape[2], stride, pads):
        tap = weights[:, :, r, s].astype(np.float32)
        if tap.shape[1] == 1 and taps.shape[0] == tap.shape[0]:
            sums = sums + tap[:, :, None] * taps
        else:
            sums = sums + (tap @ taps.reshape(len(taps), -1)).reshape(len(tap), *taps.shape[1:])
    return sums


class QuantizedNetwork:
    """layers, in order. Activations are uint8, each at a scale and zero point of its own, but what only moves or picks
    elements keeps its operand's."""

    def __init__(self, seed, x):
        """:param x: what the network is given, float32 [C, H, W]."""
        self.source, self.layers = np.random.default_rng(seed), []
        self.input = self._quantize("input", x.astype(np.float64))

    def conv(self, name, x, filters, kernel, stride=1, act="relu", pads=None):
        """\\param filters  None: depthwise. \\param pads  Top, left, bottom and right; without them as many as keep the
        size at stride 1."""
        channels = len(x.elements)
        pads = pads or (kernel // 2,) * 4
        weights = self._draw_weights((filters or channels, channels if filters else 1, kernel, kernel))
        sums = convolve(x.elements.astype(np.float32) - np.float32(x.zero_point), weights, stride, pads)
        attributes = {
            "kernel_shape": [kernel] * 2,
            "strides": [stride] * 2,
            "pads": list(pads),
            "group": 1 if filters else channels,
        }
        return self._weighted("Conv", name, x, weights, sums.astype(np.float64), attributes, act)

    def dense(self, name, x, outputs, act=None):
        weights = self._draw_weights((outputs, len(x.elements)))
        taps = x.elements.astype(np.float32) - np.float32(x.zero_point)
        sums = np.concatenate([block.astype(np.float32) @ taps for block in np.array_split(weights, 16)])
        return self._weighted("Gemm", name, x, weights, sums.astype(np.float64), {"transB": 1}, act)

    def max_pool(self, name, x, kernel, stride, pad=0):
        elements = np.max([taps for _, _, taps in windows(x.elements, kernel, stride, (pad,) * 4)], axis=0)
        return self._add(
            Layer(
                "MaxPool",
                [x],
                dataclasses.replace(x, name=name, elements=elements),
                {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4},
            )
        )

    def global_average_pool(self, name, x):
        return self._add(
            Layer("GlobalAveragePool", [x], self._quantize(name, x.real().mean(axis=(1, 2), keepdims=True)))
        )

    def flatten(self, name, x):
        return self._add(
            Layer("Flatten", [x], dataclasses.replace(x, name=name, elements=x.elements.reshape(-1)), {"axis": 1})
        )

    def add(self, name, a, b, act=None):
        return self._add(Layer("Add", [a, b], self._quantize(name, a.real() + b.real(), act), activation=act))

    def concat(self, name, values):
        return self._add(
            Layer("Concat", values, self._quantize(name, np.concatenate([v.real() for v in values])), {"axis": 1})
        )

    def _add(self, layer):
        self.layers.append(layer)
        return layer.output

    def _draw_weights(self, shape):
        weights = self.source.standard_normal(shape, dtype=np.float32)
        weights *= WEIGHT_SPREAD
        return np.clip(np.rint(weights, out=weights), -127, 127, out=weights).astype(np.int8)

    def _weighted(self, op, name, x, weights, sums, attributes, act):
        """Adds Conv or Gemm. Its scales and biases are what batch normalization would make of the sums: each filter's
        outputs spread about as much."""
        filters = len(sums)
        rows = sums.reshape(filters, -1) if sums.ndim > 1 else sums.reshape(1, -1)
        middle, spread = rows.mean(axis=1), rows.std(axis=1)
        spread = np.maximum(spread, np.median(spread) / 8)  # of a filter that hardly varies
        gain, offset = self.source.uniform(0.5, 1.5, filters) * (2 if act == "relu6" else 1), self.source.normal(
            0, 0.3, filters
        )
        weight_scales = (gain / spread / np.float64(x.scale)).astype(np.float32)
        product_scales = x.scale * weight_scales
        biases = np.rint(offset / product_scales - middle).astype(np.int32)
        column = (filters,) + (1,) * (sums.ndim - 1)
        output = self._quantize(
            name, (sums + biases.reshape(column)) * product_scales.reshape(column).astype(np.float64), act
        )
        return self._add(Layer(op, [x], output, attributes, act, weights, weight_scales, biases))

    @staticmethod
    def _quantize(name, real, act=None):
        """At a scale that takes in all elements; behind an activation, from 0."""
        if act == "relu6":
            scale, zero_point = RELU6_SCALE, 0
        else:
            low, high = 0 if act else min(0, real.min()), real.max()
            scale = np.float32((high - low) / 255)
            zero_point = round(-low / float(scale))
        elements = np.clip(np.rint(real / np.float64(scale)) + zero_point, 0, 255).astype(np.uint8)
        return Value(name, elements, scale, zero_point)
