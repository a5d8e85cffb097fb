# SPDX-License-Identifier: Apache-2.0
"""DRAM bytes of a convolution by the order of its loops, on a model where the GLB alone counts: all orders of tiles of
filters (m), channels (c) and output rows (e), with all tilings; beside them, bounds below which no order gets."""
import dataclasses
import itertools
import math

import numpy as np

DIMENSIONS = "mce"
USED_BY = {"filter": "mc", "ifmap": "ce", "psum": "me"}  # The tensors that a loop moves through.
ORDERS = tuple("".join(order) for order in itertools.permutations(DIMENSIONS))
OURS = "emc"  # Rows, filters, channels, from the outermost loop.
PSUM_BYTES = 4


@dataclasses.dataclass(frozen=True)
class Conv:
    """A convolution in the papers' letters. Its outputs are pooled by windows of `pool` rows and columns."""

    C: int
    H: int
    W: int
    M: int
    R: int
    S: int
    U: int = 1
    V: int = 1
    top: int = 0
    bottom: int = 0
    left: int = 0
    right: int = 0
    pool: int = 1

    @property
    def E(self):
        """Output rows in whole windows of the pool."""
        return ((self.top + self.H + self.bottom - self.R) // self.U + 1) // self.pool * self.pool

    @property
    def F(self):
        return ((self.left + self.W + self.right - self.S) // self.V + 1) // self.pool * self.pool

    @property
    def macs(self):
        return self.M * self.C * self.R * self.S * self.E * self.F

    @property
    def outputs(self):
        """Bytes that are written in the end."""
        return self.M * self.E * self.F // self.pool**2

    @property
    def window_reuse(self):
        """The most windows that a pixel is in."""
        return -(-self.R // self.U) * -(-self.S // self.V)

    @property
    def once(self):
        """Bytes where each tensor moves once."""
        return self.C * self.W * self.rows(0, self.E) + self.M * self.C * self.R * self.S + self.outputs

    def rows(self, begin, end):
        """Ifmap rows that output rows read, without padding."""
        return min((end - 1) * self.U + self.R - self.top, self.H) - max(begin * self.U - self.top, 0)

    def rows_of_tiles(self, tile):
        """(of the largest tile, of all tiles, each with the rows that it shares)."""
        each = [self.rows(begin, min(begin + tile, self.E)) for begin in range(0, self.E, tile)]
        return max(each), sum(each)


def psum_formula(conv, glb_bytes):
    """2 MACs / sqrt(window reuse x psums that the GLB holds): the least that a tile of psums reads that stays until it
    is complete."""
    return 2 * conv.macs / math.sqrt(conv.window_reuse * glb_bytes / PSUM_BYTES)


def lower_bound(conv, glb_bytes):
    """Bytes that no order and no tiling gets below.

    Let G be the GLB's bytes, and charge w of them for a psum, at most the 4 that it has: also once for its first zero.
    While 2 G bytes are read or charged, operands and psums of at most 3 G bytes are at hand. So at most
    sqrt(window reuse x ifmap x filters x psums) MACs can be done (Loomis and Whitney): sqrt(window reuse G^3 / w). The
    charges for zeros are no bytes that move, but outputs are written. Any w is right; one is best."""
    psums = conv.M * conv.E * conv.F
    least = 2 * conv.macs / math.sqrt(conv.window_reuse * glb_bytes)
    charge = min(PSUM_BYTES, (least / (2 * psums)) ** 2)
    return max(conv.once, least * math.sqrt(charge) - charge * psums - 2 * glb_bytes + conv.outputs)


def tile_sizes(size, step=1):
    """All sizes of a tile that are the smallest for their number of tiles."""
    steps = size // step
    return np.array(sorted({step * -(-steps // number) for number in range(1, steps + 1)}))


class Tilings:
    """All tilings of a convolution: arrays over tiles of m, c and e.

    :param keeps_rows: whether a tile keeps the rows that it shares with the one before it, which the accelerator does
        not
    """

    def __init__(self, conv, tiles=None, keeps_rows=True):
        self.conv, self.keeps_rows = conv, keeps_rows
        self.full = {"m": conv.M, "c": conv.C, "e": conv.E}
        if tiles is None:
            tiles = [tile_sizes(conv.M), tile_sizes(conv.C), tile_sizes(conv.E, conv.pool)]
        self.tile = dict(zip(DIMENSIONS, np.ix_(*map(np.atleast_1d, tiles))))
        self.shape = tuple(self.tile[d].size for d in DIMENSIONS)
        self.number = {d: -(-self.full[d] // self.tile[d]) for d in DIMENSIONS}
        rows = [conv.rows_of_tiles(tile) for tile in self.tile["e"].flat]
        self.tile_rows, self.all_rows = (np.array(part).reshape(1, 1, -1) for part in zip(*rows))

    def pick(self, array, at):
        """The number of one of the tilings."""
        return np.broadcast_to(array, self.shape)[at].item()

    def size(self, d, outer):
        """Of a buffer along a dimension, inside the outer loops."""
        return self.tile[d] if d in outer else self.full[d]

    def buffer(self, tensor, outer):
        """Bytes of what a tensor needs inside the outer loops."""
        conv = self.conv
        if tensor == "filter":
            return self.size("m", outer) * self.size("c", outer) * conv.R * conv.S
        if tensor == "psum":
            return self.size("m", outer) * self.size("e", outer) * conv.F * PSUM_BYTES
        return self.size("c", outer) * (self.tile_rows if "e" in outer else conv.rows(0, conv.E)) * conv.W

    def visits(self, tensor, outer):
        """How often each part of a tensor comes: a loop that does not move through it counts where one inside does."""
        (other,) = set(DIMENSIONS) - set(USED_BY[tensor])
        if other not in outer:
            return 1
        moves = math.prod(self.number[d] for d in outer[outer.index(other) + 1 :])
        return np.where(moves > 1, self.number[other], 1)

    def moved(self, tensor, outer):
        """Bytes read and written of a tensor whose buffer is inside the outer loops."""
        conv, visits = self.conv, self.visits(tensor, outer)
        if tensor == "filter":
            return conv.M * conv.C * conv.R * conv.S * visits
        if tensor == "psum":  # Those that come again were written, and are read, as they are.
            return 2 * PSUM_BYTES * conv.M * conv.E * conv.F * (visits - 1) + conv.outputs
        rows = conv.rows(0, conv.E)
        if "e" in outer and not self.keeps_rows:
            rows = self.all_rows
        elif "e" in outer and "c" in outer[outer.index("e") :]:
            rows = np.where(self.number["c"] > 1, self.all_rows, rows)
        return conv.C * conv.W * rows * visits


@dataclasses.dataclass(frozen=True)
class Plan:
    """An order with its best tiling."""

    order: str
    moved: int  # Bytes.
    by_tensor: dict
    tiles: dict
    inside: dict  # Of each tensor the loops that its buffer is inside of.
    share: float = 0.0  # Of the channels of one tensor, those that stay in the room left over,
    staying: str = ""  # and the tensor.


def with_staying(of, glb_bytes, order, inside):
    """The room left over, and [(bytes moved by tensor, the share of channels that stay in it, of which tensor)]."""
    conv = of.conv
    room = glb_bytes - sum(of.buffer(tensor, outer) for tensor, outer in inside.items())
    moved = {tensor: of.moved(tensor, outer) for tensor, outer in inside.items()}
    ways = [(moved, 0.0, "")]
    for staying, other in (("filter", "e"), ("ifmap", "m")):
        # Channels of the tensor may stay while the loop runs that does not move through it.
        if other in inside[staying] and order.index("c") > order.index(other):
            outer = order[: order.index(other)]
            channels = np.clip(room, 0, None) * conv.C // of.buffer(staying, outer)
            share = np.minimum(channels, conv.C) / conv.C
            part = share * of.moved(staying, outer) + (1 - share) * moved[staying]
            ways.append(({**moved, staying: part}, share, staying))
    return room, ways


def plans(conv, glb_bytes, order, tilings=None):
    """The best plan of each choice of the loops that tensors' buffers are inside of."""
    of = tilings or Tilings(conv)
    for levels in itertools.product(range(4), repeat=3):
        inside = {tensor: order[:level] for tensor, level in zip(USED_BY, levels)}
        room, ways = with_staying(of, glb_bytes, order, inside)
        for moved, share, staying in ways:
            whole = np.broadcast_to(np.where(room >= 0, sum(moved.values()), np.inf), of.shape)
            at = np.unravel_index(np.argmin(whole), whole.shape)
            if np.isfinite(whole[at]):
                yield Plan(
                    order,
                    round(whole[at].item()),
                    {tensor: round(of.pick(part, at)) for tensor, part in moved.items()},
                    {d: of.pick(of.tile[d], at) for d in DIMENSIONS},
                    inside,
                    of.pick(share, at),
                    staying if of.pick(share, at) > 0 else "",
                )


def best_plan(conv, glb_bytes, order, tilings=None):
    return min(plans(conv, glb_bytes, order, tilings), key=lambda plan: plan.moved)
