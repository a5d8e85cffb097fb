# SPDX-License-Identifier: Apache-2.0
"""A quantized network that grows layer by layer, with weights from a seed, and scales from what they do to a
picture."""
import numpy as np
from network import Network
from node import F32, Input, Window
from operators.binary import Add
from operators.concat import Concat
from operators.convolution import Conv, Flatten, Gemm
from operators.pools import GlobalAveragePool, MaxPool

RELU6_SCALE = F32(6 / 255)
WEIGHT_SPREAD = 32  # standard deviation of int8 weights


def picture(seed, channels, size):
    """A picture of blotches of four sizes, about -2 to 2, float32."""
    source, planes = np.random.default_rng(seed), np.zeros((channels, size, size))
    for patch in (size // 4, size // 14, size // 56, 1):
        cells = source.standard_normal((channels, size // patch, size // patch))
        planes += 0.5 * np.kron(cells, np.ones((1, patch, patch)))
    return planes.astype(F32)


class QuantizedNetwork(Network):
    """Activations are uint8, each at a scale and zero point of its own, but what only moves or picks elements keeps its
    operand's. The last layer is the output."""

    def __init__(self, seed, x):
        """:param x: what the network is given, float32 [C, H, W], or of a batch [N, C, H, W]."""
        super().__init__([], [])
        self.source = np.random.default_rng(seed)
        data = x if x.ndim == 4 else x[None]
        self.input = Input([], data.shape, name="input", port="x", data=data)
        self._quantize(self.input, x.astype(np.float64))
        self._add(self.input)

    def conv(self, name, x, filters, kernel, stride=1, act="relu", pads=None):
        """\\param filters  None: depthwise. \\param pads  Top, left, bottom and right; without them as many as keep the
        size at stride 1."""
        channels, window = x.shape[1], Window((kernel,) * 2, (stride,) * 2, pads=pads or (kernel // 2,) * 4)
        weights = self._draw_weights((filters or channels, channels if filters else 1, kernel, kernel))
        shape, groups = window.shape(x.shape, len(weights)), 1 if filters else channels
        return self._weighted(Conv([x], shape, name=name, weights=weights, window=window, groups=groups), act)

    def dense(self, name, x, outputs, act=None):
        weights = self._draw_weights((outputs, x.shape[1]))
        return self._weighted(Gemm([x], (x.shape[0], outputs), name=name, weights=weights), act)

    def max_pool(self, name, x, kernel, stride, pad=0):
        window = Window((kernel,) * 2, (stride,) * 2, pads=(pad,) * 4)
        return self._keep_scale(MaxPool([x], window.shape(x.shape, x.shape[1]), name=name, window=window))

    def flatten(self, name, x):
        return self._keep_scale(Flatten([x], (x.shape[0], x.elements[0].size), name=name))

    def global_average_pool(self, name, x):
        return self._rescale(GlobalAveragePool([x], (*x.shape[:2], 1, 1), name=name))

    def add(self, name, a, b, act=None):
        return self._rescale(Add([a, b], a.shape, name=name, relu=act == "relu"))

    def concat(self, name, values):
        channels = sum(x.shape[1] for x in values)
        return self._rescale(Concat(values, (1, channels, *values[0].shape[2:]), name=name))

    def _add(self, node):
        if node.elements is None:
            node.compute()
        self.nodes.append(node)
        self.outputs = [node]
        return node

    def _keep_scale(self, node):
        node.scale, node.zero_point = node.inputs[0].scale, node.inputs[0].zero_point
        return self._add(node)

    def _rescale(self, node):
        self._quantize(node, node.reals())
        return self._add(node)

    def _draw_weights(self, shape):
        weights = self.source.standard_normal(shape, dtype=F32)
        weights *= WEIGHT_SPREAD
        return np.clip(np.rint(weights, out=weights), -127, 127, out=weights).astype(np.int8)

    def _weighted(self, node, act):
        """Adds Conv or Gemm. Its scales and biases are what batch normalization would make of the sums: each filter's
        outputs spread about as much."""
        sums, x = node.sums(), node.inputs[0]
        filters = len(node.weights)
        # A fully connected layer of one picture has one sum a filter: all of them are looked at.
        is_by_filter = isinstance(node, Conv) or len(sums) > 1
        rows = np.moveaxis(sums, 1, 0).reshape(filters, -1) if is_by_filter else sums
        middle, spread = rows.mean(axis=1), rows.std(axis=1)
        spread = np.maximum(spread, np.median(spread) / 8)  # of a filter that hardly varies
        gain = self.source.uniform(0.5, 1.5, filters) * (2 if act == "relu6" else 1)
        offset = self.source.normal(0, 0.3, filters)
        node.weight_scales = (gain / spread / np.float64(x.scale)).astype(F32)
        node.biases = np.rint(offset / node.product_scales() - middle).astype(np.int32)
        node.relu, node.clip = act == "relu", [F32(0), F32(6)] if act == "relu6" else None
        sums = node.biased(sums)
        self._quantize(node, sums * node.per_filter(node.product_scales().astype(np.float64)))
        node.elements = node.finish(node.requantize(sums))
        return self._add(node)

    @staticmethod
    def _quantize(node, reals):
        """At a scale that takes in all elements; behind an activation, from 0."""
        if node.clip:
            node.scale, node.zero_point = RELU6_SCALE, 0
        else:
            low, high = 0 if node.relu else min(0, reals.min()), reals.max()
            node.scale = F32((high - low) / 255)
            node.zero_point = round(-low / float(node.scale))
