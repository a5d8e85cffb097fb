# SPDX-License-Identifier: Apache-2.0
"""A search over schedules of nests: traces are drawn and changed at random, a model that learns from what was timed
chooses among them, and the C of the chosen is timed on this machine."""
import random
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from . import _fovea
from .errors import UsageError
from .inputs import FilePath
from .loop_cost import CostModel, code_size
from .loop_timer import DoesNotRun, Timer
from .loops import Nest, Schedule, of
from .models import Model
from .passes import PassContext
from .progress import Progress, told

FACTORS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128)  #: Sizes of tiles.
DRAWN, MEASURED, PARENTS = 96, 8, 8  #: Traces of a round, those of them that are timed, and those that are changed.
BY_CHANCE = 2  #: Of those that are timed, chosen without the model.
LARGEST = 256  #: Operations that the code of a schedule has in all: a compiler takes long over more.
SLOW = 4  #: How many times as long as the best a schedule takes that is not timed again.
FINALISTS, ROUNDS = 3, 3  #: The best, which are timed again beside the default, and how often.
NOT_DRAWN = ("parallel", "tensorize")  #: Steps of several cores, and of functions that a user has.
CLOSE = 0.95  #: Of the default's time: what is not below is no better.


class Found(NamedTuple):
    """What a search found."""

    schedule: Schedule  #: The fastest: the compiler's own where nothing beats it.
    milliseconds: float  #: That it takes.
    default_milliseconds: float  #: That the compiler's own schedule takes.
    measured: int  #: Schedules that were timed.

    @property
    def gain(self) -> float:
        """How many times as fast as by default."""
        return self.default_milliseconds / self.milliseconds

    @property
    def is_close(self) -> bool:
        """Whether the compiler's own schedule is within 5 % of what was found."""
        return self.milliseconds >= CLOSE * self.default_milliseconds


class _Drawing:
    """Draws traces of one nest."""

    def __init__(self, nest: Nest, source: random.Random) -> None:
        self.nest, self.source = nest, source
        self.rows = [(name, words.split()) for name, words in _fovea.schedule_steps() if name not in NOT_DRAWN]

    def _words(self, nest: Nest, word: str) -> list[str]:
        """What may stand for a word of a step: loops, sizes or buffers."""
        if word in ("size", "parts"):
            return [str(factor) for factor in FACTORS]
        if word in ("input", "output", "array"):
            scope = "register" if word == "array" else word
            return [each.name for each in nest.buffers if each.scope == scope and (each.shape or word != "array")]
        return [loop.name for loop in nest.loops if loop.is_reduction or word != "reduction"]

    def _step(self, nest: Nest) -> Optional[str]:
        name, arguments = self.source.choice(self.rows)
        choices = [self._words(nest, word) for word in arguments]
        if not all(choices):
            return None
        words = [self.source.choice(each) for each in choices]
        has_turns = not words[-1].isdigit() or any(
            each.turns > int(words[-1]) for each in nest.loops if each.name == words[0]
        )
        return " ".join([name, *words]) if has_turns else None

    def _tiles_of_sums(self) -> list[str]:
        """Sums side by side in tiles of sizes drawn at random, and what they read in arrays, perhaps."""
        terms = [loop for loop in self.nest.loops if loop.is_reduction]
        around = [loop for loop in self.nest.loops if terms and loop.depth < terms[0].depth]
        if not around or around != list(self.nest.loops[: len(around)]):
            return []
        inner = around[-1]
        trace, tile, sizes = [f"tile {inner.name} {self._size(inner.turns)}"], [f"{inner.name}_in"], [inner.name]
        if len(around) > 1 and self.source.random() < 0.8:
            outer = around[-2]
            size = self._size(outer.turns)
            trace.insert(0, f"tile {outer.name} {size}")
            tile.insert(0, f"{outer.name}_in")
            sizes.insert(0, outer.name)
            if self.source.random() < 0.3:
                sizes.reverse()
            if self.source.random() < 0.5:
                trace.append(f"tile {tile[0]} {self._size(size)}")
                sizes, tile[0] = [*sizes, tile[0]], f"{tile[0]}_in"
            trace.append(f"reorder {' '.join(sizes)} {' '.join(tile)}")
        names = " ".join(loop.name for loop in terms)
        trace += [*self._copies(sizes), f"decompose_reduction {terms[0].name} {tile[0]}"]
        trace.append(f"reorder {names} {' '.join(tile)}")
        for end in ("_first", "", "_last"):
            trace += [f"vectorize {tile[-1]}{end}", *(f"unroll {name}{end}" for name in tile[:-1])]
        return trace

    def _copies(self, loops: Sequence[str]) -> Iterator[str]:
        """Inputs in arrays: at a loop that they are read along, so that the loops inside share them, or at another."""
        hottest = max(self.nest.stores, key=lambda each: each.runs * (1 + each.operations))
        steps = [name for name, words in self.rows if words == ["input", "at"]]
        for each in self.nest.buffers:
            if each.scope == "input" and self.source.random() < 0.5:
                along = [
                    loop
                    for access in hottest.accesses
                    for loop, stride in zip(hottest.loops, access.strides)
                    if access.buffer == each.name and stride != 0 and loop in loops
                ]
                at = along[-1] if along and self.source.random() < 0.8 else self.source.choice(loops)
                yield f"{self.source.choice(steps)} {each.name} {at}"

    def _size(self, turns: int = 0) -> int:
        """Of a tile: of so many turns a part, most of the time."""
        parts = [factor for factor in FACTORS if turns > factor and turns % factor == 0]
        return self.source.choice(parts if parts and self.source.random() < 0.8 else FACTORS)

    def schedule(self, parents: Sequence[Sequence[str]]) -> Schedule:
        """Tiles of sums anew, or a parent's trace; without a step, with other sizes, with steps more. Those that do not
        fit are left out."""
        source = self.source
        trace = list(source.choice(parents)) if parents and source.random() < 0.7 else self._tiles_of_sums()
        if trace and source.random() < 0.3:
            del trace[source.randrange(len(trace))]
        sized = [place for place, step in enumerate(trace) if re.search(r" \d+$", step)]
        if sized and source.random() < 0.6:
            place = source.choice(sized)
            trace[place] = re.sub(r"\d+$", str(self._size()), trace[place])
        schedule = Schedule(self.nest)
        new, place = source.randrange(4), source.randrange(len(trace) + 1)
        for i in range(len(trace) + 1):
            for _ in range(new if i == place else 0):
                _apply(schedule, self._step(schedule.nest))
            if i < len(trace):
                _apply(schedule, trace[i])
        return schedule


def _apply(schedule: Schedule, step: Optional[str]) -> None:
    """Adds a step that fits and changes something."""
    try:
        if step and Schedule(schedule.nest, [step]).nest != schedule.nest:
            schedule.apply([step])
    except UsageError:
        pass


class _Search:
    """A search of one nest: what was timed, by text."""

    def __init__(self, nest: Nest, timer: Timer, model: CostModel, source: random.Random) -> None:
        self.timer, self.model = timer, model
        self.drawing = _Drawing(nest, source)
        self.by_default = Schedule(nest, nest.default_trace)
        (self.default,) = timer.milliseconds([self.by_default.nest])
        model.learn(self.by_default.nest, 1)
        self.measured: dict[Schedule, float] = {self.by_default: self.default}
        self.seen = {self.by_default.nest.text}
        if self.by_default.trace:
            self.measure([Schedule(nest)])

    def measure(self, schedules: Sequence[Schedule]) -> None:
        """Times schedules together. Of some that do not run, those are found and left out."""
        best = min(self.measured.values())
        self.seen.update(each.nest.text for each in schedules)
        try:
            times = self.timer.milliseconds([each.nest for each in schedules], first=SLOW * best)
        except DoesNotRun:
            for each in schedules if len(schedules) > 1 else ():
                self.measure([each])
            return
        for schedule, took in zip(schedules, times):
            self.measured[schedule] = took
            self.model.learn(schedule.nest, took / self.default)

    def best(self, count: int) -> list[Schedule]:
        return sorted(self.measured, key=self.measured.__getitem__)[:count]

    def draw(self) -> list[Schedule]:
        """Schedules to time, those that the model takes for the fastest first."""
        parents = [parent.trace for parent in self.best(PARENTS)]
        drawn: dict[str, Schedule] = {}
        for _ in range(DRAWN):
            schedule = self.drawing.schedule(parents)
            if schedule.nest.text not in self.seen and code_size(schedule.nest) <= LARGEST:
                drawn[schedule.nest.text] = schedule
        if not drawn:
            return []
        schedules = list(drawn.values())
        order = self.model.predict([each.nest for each in schedules]).argsort(kind="stable")
        by_model = [schedules[place] for place in order[: MEASURED - BY_CHANCE]]
        others = [schedules[place] for place in order[MEASURED - BY_CHANCE :]]
        return by_model + self.drawing.source.sample(others, min(BY_CHANCE, len(others)))

    def run(self, end: float) -> None:
        while time.monotonic() < end:
            drawn = self.draw()
            if drawn:
                self.measure(drawn)

    def found(self) -> Found:
        """The best of the best, timed again beside the default, as each was lucky perhaps."""
        finalists = list(dict.fromkeys([self.by_default, *self.best(FINALISTS)]))
        times = self.timer.milliseconds([each.nest for each in finalists], rounds=ROUNDS)
        best = min(range(len(times)), key=times.__getitem__)
        return Found(finalists[best], times[best], times[0], len(self.measured))


def search(nest: Nest, *, seconds: float = 60, records: Optional[FilePath] = None, seed: int = 0) -> Found:
    """The fastest schedule of a nest on this machine that is found in a time, on one core; the same draws for a seed.

    It starts from the compiler's own schedule, which is what is found where nothing is faster. records: a file of
    tuning records, as of `fovea.compile`. What it has of this nest on this processor is tried too, and what is found
    is added, also where Ctrl-C ends it. Each schedule that is timed gives the nest's answer, bit for bit. Raises
    UsageError without scikit-learn, Error without a C compiler.
    """
    _check(seconds)
    return _search(nest, CostModel(), seconds, records, random.Random(seed))


def _check(seconds: float) -> None:
    if not seconds > 0:
        raise UsageError(f"seconds={seconds}: a search takes some")


def _search(nest: Nest, model: CostModel, seconds: float, records: Optional[FilePath], source: random.Random) -> Found:
    end = time.monotonic() + seconds
    known = None if records is None else _fovea.find_schedule(str(records), nest.text)
    with tempfile.TemporaryDirectory(prefix="fovea-") as folder:
        state = _Search(nest, Timer(folder), model, source)
        if known:
            schedule = Schedule(nest)
            for step in known[0]:
                _apply(schedule, step)
            if schedule.nest.text not in state.seen:
                state.measure([schedule])
        try:
            state.run(end)
        except KeyboardInterrupt:
            _record(nest, state.found(), records)
            raise
        found = state.found()
        _record(nest, found, records)
        return found


def _record(nest: Nest, found: Found, records: Optional[FilePath]) -> None:
    if records is not None:
        nanoseconds, by_default = found.milliseconds * 1e6, found.default_milliseconds * 1e6
        _fovea.record_schedule(str(records), nest.text, found.schedule.trace, nanoseconds, by_default)


def search_network(
    model: Model,
    *,
    seconds: float = 600,
    records: Optional[FilePath] = None,
    seed: int = 0,
    rounding: str = "nearest_even",
    shapes: Optional[dict[str, Sequence[int]]] = None,
    batch: int = 0,
    passes: Optional[PassContext] = None,
    progress: Progress = None,
) -> dict[str, Found]:
    """Searches for schedules of all of a network's nests, by the names of layers. Layers with the same nest share one.

    seconds: in all. A nest's share is as what it takes by default, a tenth of them in equal shares. records: as of
    `search`; a second call goes on where the first ended. progress: called with a text for each nest. The others are
    those of `of`.
    """
    _check(seconds)
    nests = of(model, rounding=rounding, shapes=shapes, batch=batch, passes=passes)
    layers: dict[str, list[str]] = {}
    for layer, nest in nests.items():
        layers.setdefault(_fovea.nest_key(nest.text), []).append(layer)
    firsts = {key: nests[names[0]] for key, names in layers.items()}
    with tempfile.TemporaryDirectory(prefix="fovea-") as folder:
        takes = {key: Timer(folder).milliseconds([nest.by_default])[0] for key, nest in firsts.items()}
    costs, source = CostModel(), random.Random(seed)
    found: dict[str, Found] = {}
    with told(progress) as tell:
        for i, (key, nest) in enumerate(firsts.items()):
            if tell is not None:
                tell(f"searching {layers[key][0]}, nest {i + 1} of {len(firsts)}")
            share = 0.9 * takes[key] / sum(takes.values()) + 0.1 / len(takes)
            each = _search(nest, costs, share * seconds, records, source)
            found.update({layer: each for layer in layers[key]})
    return {layer: found[layer] for layer in nests}
