# SPDX-License-Identifier: Apache-2.0
"""Operators that only move elements: some of them (Slice, Split, Gather), more of them (Pad, Resize, Tile), or others'
order (Transpose, DepthToSpace, SpaceToDepth, channel shuffles)."""
import math
from typing import NamedTuple

import numpy as np
from node import F32, Node, quantize

# Along an axis and in all: convolutions of larger values take long.
MOST_CHANNELS, MOST_SIZE, MOST_ELEMENTS = 32, 24, 2000


class Form(NamedTuple):
    """The operator as ONNX has it."""

    op: str
    attributes: dict = {}
    operands: tuple = ()  # arrays behind the first; None is left out
    fill: float = None  # of a Pad, one more operand
    outputs: int = 1
    output: int = 0  # which of them is the value


class Move(Node):
    """places: of each element its place among those of the operand, -1 where it is filled."""

    keeps_scale = True
    places, form = None, None

    def evaluate(self):
        fill = quantize(self.steps(F32(self.form.fill or 0)), self.zero_point)
        return np.where(self.places < 0, fill, self.inputs[0].elements.reshape(-1)[self.places])

    def is_on_grid(self):
        return self.form.fill is None

    @classmethod
    def add(cls, drawing, x, places, form):
        """Adds it where it isn't too large."""
        channels, *sizes = places.shape[1:]
        if channels <= (MOST_CHANNELS if sizes else 100) and max([0, *sizes]) <= MOST_SIZE:
            drawing.add(cls([x], places.shape, places=places, form=form, is_on_integers=drawing.one_in(3)))

    def write(self, form, inputs, fill):
        if self.form.op == "Turn":
            return self.write_turn(form, inputs[0])
        for place, operand in enumerate(self.form.operands, 1):
            inputs.append("" if operand is None else form.constant(operand, f"{self.name}_operand{place}"))
        names = [f"{self.name}_part{i}" for i in range(self.form.outputs)]
        result = form.call(self, self.form.op, inputs + fill, **self.form.attributes)
        if len(names) == 1:
            return result
        form.nodes[-1].output[:] = names
        return form.node("Identity", [names[self.form.output]], result)

    def write_turn(self, form, x):
        """Reshape, Transpose, Reshape, as exporters write it; the last where the shape is another."""
        cut = form.constant(np.int64(self.form.attributes["cut"]), f"{self.name}_cut")
        form.call(self, "Reshape", [x, cut])
        y = form.node("Transpose", [form.nodes[-1].output[0]], f"{self.name}_turned", perm=self.form.attributes["perm"])
        shape = form.constant(np.int64(self.shape), f"{self.name}_shape")
        return form.node("Reshape", [y, shape], f"{self.name}_moved") if self.form.attributes["joins"] else y

    def write_float(self, form, inputs):
        fill = self.form.fill
        return self.write(form, inputs, [] if fill is None else [form.constant([F32(fill)], f"{self.name}_fill")])

    def write_uint8(self, form, inputs):
        if self.form.fill is None:
            return self.write(form, inputs, [])
        fill = quantize(self.steps(F32([self.form.fill])), self.zero_point)
        return self.write(form, inputs, [form.activation(fill, f"{self.name}_fill_q")])

    def details(self):
        return f"; {self.form.op}"


def all_places(x):
    return np.arange(math.prod(x.shape)).reshape(x.shape)


class Some(Move):
    kind, weight = "some", 2

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: math.prod(node.shape) > 1)
        if x:
            axis = drawing.choice([axis for axis, size in enumerate(x.shape) if size > 1])
            cls.add(drawing, x, *drawing.choice([draw_slice, draw_split, draw_gather])(drawing, x, axis))


def draw_slice(drawing, x, axis):
    """Ends beyond the tensor are cut off, as ONNX has it."""
    size = x.shape[axis]
    taken = ()
    while not taken:
        step = 1 if drawing.one_in(2) else drawing.choice([drawing.between(2, 3), -drawing.between(1, 3)])
        first, last = drawing.between(0, size - 1), drawing.between(-1, size)
        taken = range(first, last, step)
    start = first if drawing.one_in(2) else first - size  # from the end
    beyond = 1000 * drawing.between(0, 1)
    end = -size - 1 - beyond if last < 0 else size + beyond if last == size else last
    operands = tuple(np.int64([number]) for number in (start, end, axis, step))
    return np.take(all_places(x), taken, axis), Form("Slice", operands=operands)


def split(x, axis, cut, part):
    """One of two parts, which are cut there."""
    sizes = np.int64([cut, x.shape[axis] - cut])
    return np.split(all_places(x), [cut], axis)[part], Form("Split", {"axis": axis}, (sizes,), outputs=2, output=part)


def draw_split(drawing, x, axis):
    return split(x, axis, drawing.between(1, x.shape[axis] - 1), drawing.between(0, 1))


def draw_gather(drawing, x, axis):
    size = x.shape[axis]
    indices = drawing.integers(-size, size - 1, drawing.between(1, size + 2))
    return np.take(all_places(x), indices, axis), Form("Gather", {"axis": axis}, (indices,))


class More(Move):
    kind, weight = "more", 2

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: math.prod(node.shape) <= MOST_ELEMENTS)
        if x:
            draw = drawing.choice([draw_pad, draw_pad, draw_pad, draw_tile, draw_resize])
            cls.add(drawing, x, *draw(drawing, x))


def draw_pad(drawing, x):
    mode = drawing.choice(["constant", "constant", "constant", "edge", "reflect"])
    least, rank = -1 if mode == "constant" else 0, len(x.shape)
    pads = np.zeros((2, rank), np.int64)
    for axis in range(1, rank):
        for end in range(2):
            pad = 0 if drawing.one_in(2) else drawing.between(least, 2)
            size = x.shape[axis]
            pads[end, axis] = min(max(pad, -1 if size > 2 else 0), size - 1 if mode == "reflect" else 2)
    inner = all_places(x)[tuple(slice(max(0, -a), size - max(0, -b)) for size, a, b in zip(x.shape, *pads))]
    fill, filled = None, {}
    if mode == "constant":  # what an integer stands for, or anything
        filled = {"constant_values": -1}
        steps = drawing.between(-20, 275) + (0 if drawing.one_in(2) else drawing.between(0, 1000) / 1000)
        fill = F32(x.scale) * F32(steps - x.zero_point)
    places = np.pad(inner, np.maximum(pads, 0).T, mode, **filled)
    return places, Form("Pad", {"mode": mode}, (pads.reshape(-1),), fill)


def draw_tile(drawing, x):
    repeats = np.int64([1, *(max(drawing.between(-1, 3), 1) for _ in x.shape[1:])])
    return np.tile(all_places(x), repeats), Form("Tile", operands=(repeats,))


NEAREST = ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")
COORDINATES = ("asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners")


def original_places(coordinates, scale, size, new_size):
    """Where the indices of an axis that is resized lie in x, in float32."""
    x, half = np.arange(new_size, dtype=F32), F32(0.5)
    if scale == 1:
        return x
    if coordinates == "asymmetric":
        return x / scale
    if coordinates == "align_corners":
        return x * F32(size - 1) / F32(max(new_size - 1, 1))
    at = (x + half) / scale - half
    return at * F32(coordinates == "half_pixel" or new_size > 1)


def resized_places(coordinates, nearest, scale, size, new_size):
    """The places that ONNX Runtime reads."""
    at, half = original_places(coordinates, scale, size, new_size), F32(0.5)
    below = np.floor(at)
    is_tie = np.abs(at - below - half) < F32(1e-6)
    rounded = np.where(is_tie, below + F32(nearest == "round_prefer_ceil"), np.floor(at + half))
    place = {"floor": below, "ceil": np.ceil(at)}.get(nearest, rounded)
    return np.clip(place.astype(np.int64), 0, size - 1)


def draw_resize(drawing, x):
    coordinates, nearest = drawing.choice(COORDINATES), drawing.choice(NEAREST)
    shape, scales, has_sizes = list(x.shape), np.ones(len(x.shape), F32), drawing.one_in(2)
    for axis in range(2, len(shape)):
        scale, size = F32(2 if drawing.one_in(2) else drawing.between(3, 24) / 8), F32(x.shape[axis])
        shape[axis] = max(int(size * scale), 1)
        scales[axis] = F32(shape[axis]) / size if has_sizes or shape[axis] > int(size * scale) else scale
    places = all_places(x)
    if tuple(shape) != x.shape:
        for axis, (scale, size) in enumerate(zip(scales, x.shape)):
            places = places.take(resized_places(coordinates, nearest, scale, size, shape[axis]), axis)
    modes = {"coordinate_transformation_mode": coordinates, "nearest_mode": nearest}
    operands = (None, None, np.int64(shape)) if has_sizes else (None, scales)
    return places, Form("Resize", modes, operands)


class Order(Move):
    kind, weight = "order", 3

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick(lambda node: len(node.shape) == 4)
        if x:
            draw = drawing.choice(
                [draw_blocks, draw_shuffle, draw_transpose, draw_transpose, draw_windows, draw_windows, draw_many_axes]
            )
            cls.add(drawing, x, *(draw(drawing, x) or draw_transpose(drawing, x)))


def draw_transpose(drawing, x):
    perm = [0, *drawing.source.permutation([1, 2, 3])]
    return all_places(x).transpose(perm), Form("Transpose", {"perm": perm})


def draw_blocks(drawing, x):
    """Of 2 x 2 or 3 x 3, where that divides what there is."""
    pictures, channels, rows, columns = x.shape
    b, places = drawing.between(2, 3), all_places(x)
    if channels % (b * b) == 0 and drawing.one_in(2):
        mode, depth = drawing.choice(["DCR", "CRD"]), channels // (b * b)
        if mode == "DCR":
            places = places.reshape(-1, b, b, depth, rows, columns).transpose(0, 3, 4, 1, 5, 2)
        else:
            places = places.reshape(-1, depth, b, b, rows, columns).transpose(0, 1, 4, 2, 5, 3)
        return places.reshape(pictures, depth, rows * b, columns * b), Form(
            "DepthToSpace", {"blocksize": b, "mode": mode}
        )
    if rows % b or columns % b:
        return None
    places = places.reshape(-1, channels, rows // b, b, columns // b, b).transpose(0, 3, 5, 1, 2, 4)
    return places.reshape(pictures, channels * b * b, rows // b, columns // b), Form("SpaceToDepth", {"blocksize": b})


def turn(x, cut, perm, shape=None):
    """Elements of x in axes that are cut, in another order, and in that shape."""
    places = all_places(x).reshape(cut).transpose(perm)
    return places if shape is None else places.reshape(shape), Form("Turn", {"cut": cut, "perm": perm, "joins": shape})


def shuffle(x, groups):
    """Channels of several groups, one of each in turn."""
    pictures, channels, *sizes = x.shape
    if channels % groups:
        return None
    return turn(x, (pictures, groups, channels // groups, *sizes), (0, 2, 1, 3, 4), x.shape)


def draw_shuffle(drawing, x):
    return shuffle(x, drawing.between(2, 3))


def draw_windows(drawing, x):
    """Of 2 x 2 or 3 x 3, each a picture of its own, or the tokens of one."""
    pictures, channels, rows, columns = x.shape
    b = drawing.between(2, 3)
    if rows % b or columns % b:
        return None
    cut, count = (pictures, channels, rows // b, b, columns // b, b), pictures * rows * columns // (b * b)
    if drawing.one_in(2):
        return turn(x, cut, (0, 2, 4, 1, 3, 5), (count, channels, b, b))
    return turn(x, cut, (0, 2, 4, 3, 5, 1), (count, b * b, channels))


def draw_many_axes(drawing, x):
    """Six, in another order."""
    pictures, channels, *sizes = x.shape
    cut = [pictures]
    for size in (channels, sizes[0] if drawing.one_in(2) else sizes[1]):
        divisors = [divisor for divisor in range(1, size + 1) if size % divisor == 0]
        divisor = drawing.choice(divisors)
        cut += [divisor, size // divisor]
    cut.append(math.prod(x.shape) // math.prod(cut))
    return turn(x, cut, [0, *drawing.source.permutation(range(1, 6)).tolist()])
