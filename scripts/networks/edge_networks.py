# SPDX-License-Identifier: Apache-2.0
"""Networks of one operator whose scales, zero points and accumulators are at their edges, with ties by construction:
scales of 1e-6 and 1e6, zero points 0 and 255, accumulators above 2^24 and a tie a filter."""
import itertools
import math

import numpy as np
from network import Network
from node import F32, Input
from operators.convolution import Conv, Gemm

FILTERS = 32


def edge_networks():
    edges = itertools.product((Conv, Gemm), (1e-6, 0.3, 1e6), (1e-6, 1e6), (0, 128, 255))
    return [edge_network(*edge, seed) for seed, edge in enumerate(edges)]


def edge_network(operator, x_scale, y_scale, zero_point, seed):
    source = np.random.default_rng(seed)
    x = edge_input((1, 4, 2, 2) if operator is Conv else (1, 16), F32(x_scale), 255 - zero_point)
    y = operator([x], (1, FILTERS, *x.shape[2:]), name=f"{operator.kind}_1", scale=F32(y_scale), zero_point=zero_point)
    y.weights = source.integers(-127, 128, (FILTERS, x.shape[1]) + (1,) * len(x.shape[2:])).astype(np.int8)
    every = np.arange(FILTERS)
    large, small = (1 << 24) + source.integers(0, 1 << 29, FILTERS), source.integers(0, 5000, FILTERS)
    y.biases = (np.where(every % 2, large, small) * np.where(every % 4 < 2, 1, -1)).astype(np.int32)
    sums = y.sums().reshape(FILTERS, -1)[:, 0]
    ties = [scale_of_tie(total, source.integers(0, 200) + 0.5, x.scale, y.scale) for total in sums]
    if np.count_nonzero(ties) < FILTERS / 2:
        raise ValueError(f"only {np.count_nonzero(ties)} filters of an edge network have a tie")
    y.weight_scales = np.array([scale or y.scale / x.scale / F32(1024) for scale in ties], F32)
    y.compute()
    return Network([x, y], [y])


def edge_input(shape, scale, zero_point):
    every = np.arange(math.prod(shape))
    steps = (every * 17 + np.where(every % 2, 0.25, 0.5)).astype(F32)
    node = Input([], shape, name="input_0", port="x", scale=scale, zero_point=zero_point)
    node.data = ((steps - F32(zero_point)) * scale).reshape(shape)
    node.compute()
    return node


def scale_of_tie(total, tie, x_scale, y_scale):
    """The weight scale, of those next to it, at which an accumulator becomes exactly a tie; 0 where there is none."""
    if not total:
        return 0
    tie = math.copysign(tie, total)
    scale = F32(tie / total * float(y_scale) / float(x_scale))
    near = (scale.view(np.uint32) + np.arange(-8, 8)).astype(np.uint32).view(F32)
    steps = F32(total) * (x_scale * near / y_scale)
    return next((found for found, step in zip(near, steps) if step == tie), 0)
