# SPDX-License-Identifier: Apache-2.0
"""Draws a quantized network from a seed, node by node: residual branches, concats, several inputs and outputs; scales
that keep values alive."""
import collections
import math

import numpy as np
from network import Network
from node import F32, Input, Window, common_range
from operators import DRAWN
from operators.binary import Add
from operators.concat import Concat
from operators.convolution import Conv, Weighted, draw_branch
from operators.moves import Order, Some, shuffle, split
from operators.pools import MaxPool

# Products of a few smaller scales would be subnormal numbers, which float32 operators round at once and integer ones at
# the end. Values at larger scales are not read: their products would be infinite.
LEAST_SCALE, MOST_SCALE = 1e-9, 1e5


class Drawing:
    """A network while it is drawn: random numbers, the values so far."""

    def __init__(self, seed, any_scales=False):
        """Where any scale goes, a third of the networks still has enough powers of two for layers on the
        accelerator. A network in six is of a batch."""
        self.pictures = 2 + seed // 6 % 2 if seed % 6 == 5 else 1
        self.source, self.nodes, self.readers = np.random.default_rng(seed), [], collections.Counter()
        self.powers_of_two = 1 if not any_scales else 2 if self.one_in(3) else 8  # one scale in so many is one

    def between(self, first, last):
        """Uniform in first to last."""
        return int(self.source.integers(first, last + 1))

    def integers(self, first, last, shape):
        return self.source.integers(first, last + 1, shape)

    def one_in(self, n):
        return self.between(1, n) == 1

    def choice(self, options):
        return options[self.between(0, len(options) - 1)]

    def pick(self, fits=lambda node: True):
        """A value that fits, or None: a late one or one that nothing reads yet rather than others."""
        found = [node for node in self.nodes if node.scale <= MOST_SCALE and fits(node)]
        if not found:
            return None
        fresh = [node for node in found if not self.readers[node]]
        if fresh and not self.one_in(3):
            found = fresh
        return found[-1] if self.one_in(2) else self.choice(found)

    def draws_power_of_two(self):
        return self.powers_of_two == 1 or self.one_in(self.powers_of_two)

    def one_to_two(self, shape=None):
        return 1 + self.source.random(shape)

    def draw_reals(self, shape):
        """1 to 2, or the opposite."""
        return (self.one_to_two(shape) * self.source.choice((-1, 1), shape)).astype(F32)

    def draw_weights(self, node, shape):
        """Weights that use all of int8 or few bits of it, their scales, and often biases."""
        filters, taps = shape[0], math.prod(shape[1:])
        most = self.between(1, 16) if self.one_in(3) else 127
        node.weights = self.integers(-most, most, shape).astype(np.int8)
        if self.one_in(8):
            self._draw_weights_around(node, np.iinfo(self.choice((np.uint8, np.int8))))
        base = F32(2.0 ** self.between(-20 if self.one_in(12) else -10, -3))
        node.weight_scales = np.full(1, base)
        if not self.draws_power_of_two():
            count = filters if self.one_in(2) else 1
            node.weight_scales = (base * self.one_to_two(count)).astype(F32)
        if self.one_in(3):
            return
        node.biases = self.integers(-500 * taps, 500 * taps, filters).astype(np.int32)
        if self.one_in(4):  # such as 8 bits have, times a power of two
            node.biases = self.integers(-128, 127, filters).astype(np.int32) << self.between(0, 8)
        if self.powers_of_two > 1 and self.one_in(3):
            scales = node.product_scales()
            steps = node.biases + self.integers(-500, 500, filters) / 1000
            node.float_biases = (steps * scales.astype(np.float64)).astype(F32)
            node.biases = np.rint(node.float_biases / scales).astype(np.int32)
        if len(node.weight_scales) > 1 and self.one_in(4):
            self._draw_dead_filter(node, self.between(1, filters - 1))

    def _draw_weights_around(self, node, element):
        """Weights of all that a type of 8 bits has, around any zero point; less that, they may have nine bits."""
        node.weight_zero = np.asarray(self.between(element.min, element.max), element.dtype)
        weights = self.integers(element.min, element.max, node.weights.shape)
        node.weights = (weights - int(node.weight_zero)).astype(np.int16)

    def _draw_dead_filter(self, node, filter_):
        """Its scale is tiny, and its bias the least there is: so the float32 one is written that is beyond int32, if
        ONNX Runtime quantizes it too."""
        node.weight_scales[filter_] *= F32(2.0 ** -self.between(30, 60))
        node.biases[filter_] = np.iinfo(np.int32).min
        if node.float_biases is not None and node.has_quantized_biases:
            beyond = self.choice((-1, 1)) * 2.0 ** self.between(31, 40)
            node.float_biases[filter_] = node.product_scales()[filter_] * F32(beyond)
        elif node.float_biases is not None:
            node.float_biases[filter_] = node.product_scales()[filter_] * F32(node.biases[filter_])

    def _draw_quantization(self, node, is_power_of_two):
        """A step coarser or finer than what just covers the range; the latter saturates a part."""
        reals = node.reals()
        low, high = min(0.0, 0.0 if node.relu else reals.min()), max(0.0, reals.max())
        span = high - low if high > low else 255 * float(node.inputs[0].scale)
        log2 = math.ceil(math.log2(span / 255)) + int(self.between(-1, 3) / 2) - self.one_in(4)
        if isinstance(node, Weighted):
            log2 = max(log2, math.frexp(node.inputs[0].scale)[1] + math.frexp(node.weight_scales[0])[1] - 2)
        scale = 2.0**log2 if is_power_of_two else span / 255 * self.one_to_two() * 0.7
        if node.narrow is not None:
            scale *= 16
            return F32(scale), node.narrow + min(round(-low / scale), 15)
        zero_point = round(-low / scale) + self.between(-10, 10)
        return F32(scale), min(max(zero_point, 0), 255)

    def _draw_sure_quantization(self, node):
        """... at which the operator is sure of its answer. Returns whether there is such a scale."""
        for attempt in range(50):
            is_power_of_two = attempt < 5 and self.draws_power_of_two()
            node.scale, node.zero_point = self._draw_quantization(node, is_power_of_two)
            if node.scale >= LEAST_SCALE and node.is_sure():
                return True
        return False

    def _draw_pairs(self, node):
        """Of two scales and zero points that the value is brought to, one after another, what both have."""
        own = node.scale, node.zero_point
        other = F32(own[0] * F32(0.7 * self.one_to_two())), min(max(own[1] + self.between(-20, 20), 0), 255)
        node.pairs = [own, other] if self.one_in(2) else [other, own]
        node.scale, node.zero_point = common_range(*node.pairs)
        if not node.is_sure():
            node.pairs, (node.scale, node.zero_point) = None, own

    def _draw_clip(self, node):
        """Bounds in the outer thirds of what the scale reaches, at any place between two of its steps. None behind what
        may be no number: ONNX Runtime's Clip lets that pass, and as integers it clips the 0 that became of it."""
        if node.narrow is not None:
            bounds = node.narrow, node.narrow + 15
        elif node.keeps_scale or node.relu or node.may_be_no_number() or not self.one_in(8):
            return
        else:
            bounds = (self.between(first * 16, last * 16) / 16 for first, last in ((-5, 80), (170, 260)))
        node.clip = [F32((steps - node.zero_point) * float(node.scale)) for steps in bounds]

    def add_input(self, shape):
        """In steps: any real, a tie, or beyond either end; or whole numbers."""
        is_whole = self.one_in(6)
        scale = 2.0 ** self.between(-1 if is_whole else -24 if self.one_in(12) else -8, 1)
        scale *= 1 if self.draws_power_of_two() else self.one_to_two()
        zero_point = 255 * self.between(0, 1) if self.one_in(4) else self.between(0, 255)
        is_tie = self.integers(1, 4, shape) == 1
        steps = np.where(is_tie, self.integers(-2, 256, shape) + 0.5, self.integers(0, 255 * 4096, shape) / 4096)
        scale = F32(scale)
        data = ((steps - zero_point) * float(scale)).astype(F32)
        data = np.rint(data) if is_whole else data
        return self.add(Input([], shape, scale=scale, zero_point=zero_point, data=data))

    def add(self, node):
        """Adds a node that lacks a name and, unless it keeps its operand's, a scale. Returns it, or None where it is
        sure of its answer at no scale."""
        node.name = f"{node.kind}_{len(self.nodes)}"
        if isinstance(node, Input):
            node.port = f"{node.name}_x"
        node.shares_dequantize = not self.one_in(3)
        if node.keeps_scale:
            node.scale, node.zero_point = node.inputs[0].scale, node.inputs[0].zero_point
        elif node.scale is None:
            if not node.relu and not node.may_be_no_number() and self.one_in(20):
                node.narrow = self.choice((0, 120))
            if not self._draw_sure_quantization(node):
                return None
            if node.narrow is None and not self.draws_power_of_two() and self.one_in(8):
                self._draw_pairs(node)
            self._draw_clip(node)
        self.readers.update(node.inputs)
        node.compute()
        self.nodes.append(node)
        return node


def draw_inputs(drawing):
    """Inputs that often have rows and columns in common, so that what comes of them can be joined."""
    shape, pictures = None, drawing.pictures
    for _ in range(max(1, drawing.between(-2, 3))):
        if not shape or drawing.one_in(3):
            shape = (pictures, drawing.between(1, 8), drawing.between(3, 16), drawing.between(3, 16))
        elif not drawing.one_in(3):
            shape = (pictures, drawing.between(1, 8), *shape[2:])
        drawing.add_input(shape)


def draw_outputs(drawing):
    """At most three values that nothing reads, now and then with one that is read inside."""
    outputs = [node for node in drawing.nodes if not drawing.readers[node] and not isinstance(node, Input)]
    while len(outputs) > 3:
        del outputs[drawing.between(0, len(outputs) - 1)]
    inner = drawing.pick(lambda node: not isinstance(node, Input) and node not in outputs)
    if inner and len(outputs) < 3 and drawing.one_in(3):
        outputs.insert(drawing.between(0, len(outputs)), inner)
    return outputs


def draw_network(seed, any_scales=False):
    """A network of about 3 to 15 operators, and its inputs' data. Each scale is chosen by what the operator gives on
    these data. Scales are powers of two or any float32 numbers, weights with one a filter too, float32 biases among
    others."""
    drawing = Drawing(seed, any_scales)
    draw_inputs(drawing)
    rows = [row for row in DRAWN for _ in range(row.weight)]
    inputs = len(drawing.nodes)
    for _ in range(drawing.between(3, 12)):
        drawing.choice(rows).draw(drawing)
    while len(drawing.nodes) == inputs:  # A network computes something.
        drawing.choice(rows).draw(drawing)
    outputs = draw_outputs(drawing)
    return Network(drawing.nodes, outputs).cut(outputs)


def draw_sum(drawing):
    """Of two values of one shape, one of them often a convolution of the other."""
    x = drawing.pick()
    y = None if drawing.one_in(2) else drawing.pick(lambda node: node is not x and node.shape == x.shape)
    y = y or draw_branch(drawing, x, x.shape[1])
    if y:
        drawing.add(Add([x, y] if drawing.one_in(2) else [y, x], x.shape, relu=drawing.one_in(2)))


def draw_chain(seed, any_scales=False):
    """A network of 4 to 10 operators on one picture, nearly all of them layers of the accelerator: convolutions,
    max-pools, sums and joins."""
    drawing = Drawing(seed, any_scales)
    drawing.add_input((1, drawing.between(1, 12), drawing.between(12, 40), drawing.between(8, 24)))
    for _ in range(drawing.between(4, 10)):
        drawing.choice([Conv.draw] * 5 + [draw_sum, draw_sum, Concat.draw, MaxPool.draw])(drawing)
    while len(drawing.nodes) == 1:
        Conv.draw(drawing)
    outputs = draw_outputs(drawing)
    return Network(drawing.nodes, outputs).cut(outputs)


def shuffle_unit():
    """A unit of ShuffleNet V2: half of the channels through convolutions, the middle one depthwise; joined with the
    others, then shuffled."""
    channels, size, drawing = 16, 8, Drawing(1, any_scales=True)
    half = channels // 2
    x = drawing.add_input((1, channels, size, size))

    def add_part(part):
        places, form = split(x, 1, half, part)
        return drawing.add(Some([x], places.shape, places=places, form=form))

    kept, y = add_part(0), add_part(1)
    for kernel, groups, relu in ((1, 1, True), (3, half, False), (1, 1, True)):
        window = Window((kernel,) * 2, pads=(kernel // 2,) * 4)
        conv = Conv([y], y.shape, window=window, groups=groups, relu=relu)
        drawing.draw_weights(conv, (half, half // groups, kernel, kernel))
        y = drawing.add(conv)
    joined = drawing.add(Concat([kept, y], x.shape))
    places, form = shuffle(joined, 2)
    return Network(drawing.nodes, [drawing.add(Order([joined], x.shape, places=places, form=form))])
