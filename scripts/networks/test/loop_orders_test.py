# SPDX-License-Identifier: Apache-2.0
"""Bytes of the model of loop orders, against a nest that is walked tile by tile with the elements that it holds; and
the bounds, against all plans."""
import itertools
import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from loop_orders import DIMENSIONS, ORDERS, PSUM_BYTES, USED_BY, Conv, Tilings, lower_bound, plans, psum_formula

SMALL = Conv(C=4, H=7, W=5, M=6, R=3, S=3, top=1, bottom=1, left=1, right=1)
STRIDED = Conv(C=3, H=9, W=4, M=4, R=3, S=2, U=2)
POOLED = Conv(C=2, H=8, W=4, M=3, R=3, S=3, top=1, bottom=1, left=1, right=1, pool=2)


class Nest:
    """Walks through all tiles in an order. A tensor's buffer is filled anew where a loop that it is inside of has moved
    on; what it shares with the rows before stays, if it keeps them.

    :param channels: of filters and ifmap, those that count
    """

    def __init__(self, conv, tiles, order, inside, channels=None, keeps_rows=True):
        self.conv, self.tiles, self.keeps_rows = conv, tiles, keeps_rows
        self.channels = range(conv.C) if channels is None else channels
        self.full = {"m": conv.M, "c": conv.C, "e": conv.E}
        self.moved, self.most = dict.fromkeys(inside, 0), dict.fromkeys(inside, 0)
        self.held = dict.fromkeys(inside, (None, set()))
        self.missing = dict.fromkeys(self.elements("psum", {}), conv.C)  # Channels of each psum.
        for places in itertools.product(*(range(0, self.full[d], tiles[d]) for d in order)):
            at = dict(zip(order, places))
            for tensor, outer in inside.items():
                self.hold(tensor, {d: at[d] for d in USED_BY[tensor] if d in outer})
            for psum in self.elements("psum", at):
                self.missing[psum] -= len(self.part("c", at))
        if "psum" in inside:
            self.hold("psum", None)

    def part(self, d, at):
        return range(at[d], min(at[d] + self.tiles[d], self.full[d])) if d in at else range(self.full[d])

    def elements(self, tensor, at):
        conv = self.conv
        if tensor == "psum":
            return set(itertools.product(self.part("m", at), self.part("e", at), range(conv.F)))
        channels = set(self.part("c", at)) & set(self.channels)
        if tensor == "filter":
            return set(itertools.product(self.part("m", at), channels, range(conv.R * conv.S)))
        rows = {e * conv.U + r - conv.top for e in self.part("e", at) for r in range(conv.R)}
        return set(itertools.product(channels, rows & set(range(conv.H)), range(conv.W)))

    def hold(self, tensor, at):
        before, old = self.held[tensor]
        if at == before:
            return
        new = set() if at is None else self.elements(tensor, at)
        self.held[tensor] = (at, new)
        self.most[tensor] = max(self.most[tensor], len(new))
        if tensor == "psum":  # Complete ones are written as pooled outputs, others as they are, and read again.
            self.moved[tensor] += sum(PSUM_BYTES if self.missing[psum] else 1 / self.conv.pool**2 for psum in old)
            self.moved[tensor] += PSUM_BYTES * sum(self.missing[psum] < self.conv.C for psum in new)
        else:
            is_next = (
                tensor == "ifmap"
                and self.keeps_rows
                and before
                and at.get("c") == before.get("c")
                and at["e"] > before["e"]
            )
            self.moved[tensor] += len(new - old if is_next else new)


def only(array):
    """The number of an array of one tiling."""
    return np.asarray(array).item()


def some_tilings(conv):
    return itertools.product((1, 2, conv.M), (1, 2, conv.C), range(conv.pool, conv.E + 1, conv.pool))


class LoopOrdersTest(unittest.TestCase):
    def test_bytes_and_buffers_are_those_of_a_nest(self):
        levels = list(itertools.product(range(4), repeat=3))
        for conv, order in itertools.product((SMALL, STRIDED, POOLED), ORDERS):
            for at, tiles in enumerate(some_tilings(conv)):
                keeps_rows = at % 2 == 0
                of = Tilings(conv, tiles, keeps_rows)
                for level in levels[at % 5 :: 5]:
                    inside = {tensor: order[:number] for tensor, number in zip(USED_BY, level)}
                    nest = Nest(conv, dict(zip(DIMENSIONS, tiles)), order, inside, None, keeps_rows)
                    with self.subTest(conv=conv, order=order, tiles=tiles, inside=inside):
                        for tensor, outer in inside.items():
                            width = PSUM_BYTES if tensor == "psum" else 1
                            self.assertEqual(only(of.moved(tensor, outer)), nest.moved[tensor], tensor)
                            self.assertEqual(only(of.buffer(tensor, outer)), width * nest.most[tensor], tensor)

    def test_channels_that_stay_save_what_is_said(self):
        """Their own buffer is outside of the loop that does not move through them."""
        staying = 0
        for conv, order, glb in itertools.product((SMALL, STRIDED, POOLED), ORDERS, (80, 130, 200)):
            for plan in plans(conv, glb, order):
                others = dict(plan.inside)
                used = moved = 0
                if plan.staying:
                    outer = others.pop(plan.staying)
                    around = order[: order.index({"filter": "e", "ifmap": "m"}[plan.staying])]
                    channels = round(plan.share * conv.C)
                    for part, buffer in ((range(channels), around), (range(channels, conv.C), outer)):
                        nest = Nest(conv, plan.tiles, order, {plan.staying: buffer}, part)
                        moved, used = moved + nest.moved[plan.staying], used + nest.most[plan.staying]
                    staying += 1
                nest = Nest(conv, plan.tiles, order, others)
                used += sum(most * (PSUM_BYTES if of == "psum" else 1) for of, most in nest.most.items())
                with self.subTest(conv=conv, plan=plan):
                    self.assertLessEqual(moved + sum(nest.moved.values()), plan.moved)
                    self.assertLessEqual(used, glb)
        self.assertGreater(staying, 20)

    def test_no_plan_gets_below_the_bound(self):
        for conv, glb in itertools.product((SMALL, STRIDED, POOLED), (60, 100, 200, 400, 1000)):
            least = min((plan.moved for order in ORDERS for plan in plans(conv, glb, order)), default=None)
            if least:
                self.assertLessEqual(lower_bound(conv, glb), least, (conv, glb))
        self.assertEqual(min(plan.moved for plan in plans(SMALL, 1000, "emc")), SMALL.once)

    def test_the_formula_is_what_a_square_tile_of_psums_reads(self):
        """64 filters and 576 outputs share 36,864 psums: 9 bytes of each filter and 1 of each pixel feed 64 x 576 x 9
        MACs, at 1152 bytes a channel."""
        conv = Conv(C=10, H=24, W=24, M=64, R=3, S=3, top=1, bottom=1, left=1, right=1)
        self.assertAlmostEqual(psum_formula(conv, 4 * 64 * 576), 10 * (64 * 9 + 576))


if __name__ == "__main__":
    unittest.main()
