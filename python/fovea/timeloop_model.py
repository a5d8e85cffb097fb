# SPDX-License-Identifier: Apache-2.0
"""Timeloop's own figures of a nest of loops: accesses of each level and cycles, by its published formulas.

The paper is Parashar et al., Timeloop, ISPASS 2019, sections VI-A and VI-B; docs/timeloop.md has the formulas.
"""
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .timeloop import TENSORS, Level, Loop, Nest

#: Axes of the ifmap: the loops over outputs and over the filter.
AXES = (("Q", "S"), ("P", "R"))
COMPUTE = "mac"  #: What is inside the innermost level.


class Accesses(NamedTuple):
    """Of one tensor at all copies of a level, in elements."""

    fills: int  #: Written from the level outside; of Outputs, partial sums that come back.
    reads: int  #: For the level inside, or for multiplications; what goes to several PEs at once counts once.
    updates: int  #: Of Outputs: written from inside; PEs that add up for one another count once.


class Figures(NamedTuple):
    """What the model says of a mapping."""

    accesses: dict[str, dict[str, Accesses]]  #: By level, and by the tensors that it keeps.
    cycles: dict[str, float]  #: That each level takes, and the PEs, as COMPUTE: the largest is the mapping's.

    @property
    def total_cycles(self) -> int:
        return math.ceil(max(self.cycles.values()))

    @property
    def binds(self) -> str:
        """The level that the cycles are of."""
        return max(self.cycles, key=lambda name: self.cycles[name])


def _turns(size: int, loops: Sequence[Loop], counts: Callable[[Loop], bool]) -> int:
    """Turns of the loops of one letter that count; of the others the first is looked at."""
    if not loops:
        return 1
    step = math.prod(loop.turns for loop in loops[1:])
    turns = math.ceil(size / step)
    if not counts(loops[0]):
        return _turns(min(size, step), loops[1:], counts)
    return (turns - 1) * _turns(step, loops[1:], counts) + _turns(size - (turns - 1) * step, loops[1:], counts)


def _pieces(size: int, loops: Sequence[Loop], inside: int) -> list[tuple[int, int]]:
    """(size, how many) of the pieces that loops cut `size` in, where loops inside them have `inside` elements."""
    step = inside * math.prod(loop.turns for loop in loops)
    found = [(size, 1)]
    for loop in loops:
        step //= loop.turns
        cut: dict[int, int] = {}
        for piece, times in found:
            for each, count in ((min(step, piece), piece // step), (piece % step, piece % step != 0)):
                if count:
                    cut[each] = cut.get(each, 0) + times * int(count)
        found = list(cut.items())
    return found


class _Model:
    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.place = {level.name: place for place, level in enumerate(nest.levels)}

    def outside(self, level: int) -> list[Loop]:
        """Loops around a level, that has this place; behind the last: all."""
        return [loop for loop in self.nest.loops if self.place[loop.level] < level]

    def source(self, tensor: str, place: int) -> int:
        """The next level outside that keeps the tensor."""
        return max(each for each in range(place) if tensor in self.nest.levels[each].keeps)

    def moved(self, tensor: str, level: int, source: int) -> int:
        """Elements of a tensor that go between a level and one outside, as the inner one's tile changes.

        What copies of the inner one inside one of the outer one take at once counts once; copies of the outer one count
        each, and so do all where `source` is the level itself.
        """
        knows = TENSORS[tensor]
        loops = self.outside(level)
        copied = self.outside(source)
        temporal = [loop for loop in loops if not loop.axis]
        innermost = max((place for place, loop in enumerate(temporal) if loop.letter in knows), default=-1)
        repeating = temporal[: innermost + 1]
        if level == len(self.nest.levels):  # A multiplier keeps nothing: each turn takes its operands anew.
            repeating = temporal
        total = 1
        for letter, size in self.nest.sizes.items():
            if letter in knows:
                continue
            own = [loop for loop in self.nest.loops if loop.letter == letter]
            total *= _turns(size, own, lambda loop: loop in repeating or bool(loop.axis and loop in copied))
        slides = repeating[-1] if repeating and level < len(self.nest.levels) else None
        if tensor != "Inputs":
            return total * math.prod(self.nest.sizes[letter] for letter in knows)
        for letter in "GC":
            total *= self.nest.sizes[letter]
        for letters, stride in zip(AXES, self.nest.strides):
            total *= self._along(letters, stride, [loop for loop in loops if not loop.axis or loop in copied], slides)
        return total

    def _along(self, letters: tuple[str, str], stride: int, loops: Sequence[Loop], slides: "Loop | None") -> int:
        """Elements along an axis of the ifmap, over all tiles: a tile that follows another in the innermost loop brings
        what the other had not."""

        def sizes(letter: str) -> list[tuple[int, int]]:
            cutting = [loop for loop in loops if loop.letter == letter and loop is not slides]
            all_of = math.prod(loop.turns for loop in self.nest.loops if loop.letter == letter)
            return _pieces(self.nest.sizes[letter], cutting, all_of // math.prod(loop.turns for loop in cutting))

        outputs, filters = letters
        total = 0
        for output, many in sizes(outputs):
            for part, times in sizes(filters):
                total += many * times * self._tiles(output, part, stride, slides, letters)
        return total

    def _tiles(self, output: int, part: int, stride: int, slides: "Loop | None", letters: tuple[str, str]) -> int:
        if slides is None or slides.letter not in letters:
            return (output - 1) * stride + part
        whole = output if slides.letter == letters[0] else part
        step = math.ceil(whole / slides.turns)
        total, begin = 0, 0
        while begin < whole:
            size = min(step, whole - begin)
            extent = (size - 1) * stride + part if slides.letter == letters[0] else (output - 1) * stride + size
            shift = size * stride if slides.letter == letters[0] else size
            total += extent if begin == 0 else min(extent, shift)
            begin += step
        return total

    def figures(self) -> Figures:
        accesses: dict[str, dict[str, Accesses]] = {}
        for place, level in enumerate(self.nest.levels):
            for tensor in TENSORS:
                if tensor not in level.keeps:
                    continue
                inside = next(
                    (
                        each
                        for each in range(place + 1, len(self.nest.levels))
                        if tensor in self.nest.levels[each].keeps
                    ),
                    len(self.nest.levels),
                )
                accesses.setdefault(level.name, {})[tensor] = self.accesses(tensor, place, inside)
        return Figures(accesses, self.cycles(accesses))

    def accesses(self, tensor: str, place: int, inside: int) -> Accesses:
        """Of a level that keeps the tensor; `inside` is the place of the next one that does."""
        moved = self.moved(tensor, inside, place)
        if tensor != "Outputs":
            return Accesses(self.moved(tensor, place, place) if place else 0, moved, 0)
        # What has no sum yet is not read, and not fetched from outside. A tile that is done is read once, to go there.
        first = math.prod(self.nest.sizes[letter] for letter in TENSORS[tensor])
        fills = self.moved(tensor, place, self.source(tensor, place)) - first if place else 0
        return Accesses(fills, moved + fills if place else moved - first, moved)

    def cycles(self, accesses: dict[str, dict[str, Accesses]]) -> dict[str, float]:
        found: dict[str, float] = {}
        copies = 1
        for level in self.nest.levels:
            copies *= math.prod(level.mesh)
            if level.keeps:
                own = accesses[level.name].values()
                read, written = level.bandwidth
                found[level.name] = max(
                    sum(each.reads for each in own) / (read * copies),
                    sum(each.fills + each.updates for each in own) / (written * copies),
                )
        steps = 1
        for letter, size in self.nest.sizes.items():
            own_loops = [loop for loop in self.nest.loops if loop.letter == letter]
            steps *= _turns(size, own_loops, lambda loop: not loop.axis)
        return {**found, COMPUTE: float(steps)}


def figures_of(nest: Nest) -> Figures:
    """What Timeloop's model says of a nest."""
    return _Model(nest).figures()


__all__ = ["Accesses", "COMPUTE", "Figures", "Level", "figures_of"]
