# SPDX-License-Identifier: Apache-2.0
"""Loops: the nests of a network's layers on the CPU, and schedules of them.

A nest is loops around stores, as text. A schedule is steps from nest to nest, each of which keeps every bit of what is
computed, or raises UsageError with what stands against it.

>>> import fovea.loops
>>> nest = fovea.loops.parse('''nest sums(x: input f32[64, 8], y: output f32[8], t: register f64) {
...   for i0 in 8 { t = 0.0 for k0 in 64 { t = (t + f64(x[k0, i0])) } y[i0] = f32(t) } }''')
>>> schedule = Schedule(nest).decompose_reduction("k0", "i0").reorder("k0", "i0").vectorize("i0")
>>> print(schedule.nest)
nest sums(x: input f32[64, 8], y: output f32[8], t: register f64[8]) {
  for i0_first in 8 {
    t[i0_first] = 0.0
  }
  for k0 in 64 {
    for i0 in 8 vector {
      t[i0] = (t[i0] + f64(x[k0, i0]))
    }
  }
  for i0_last in 8 {
    y[i0_last] = f32(t[i0_last])
  }
}
>>> schedule.trace
('decompose_reduction k0 i0', 'reorder k0 i0', 'vectorize i0')
>>> schedule.reorder("i0", "k0")
Traceback (most recent call last):
...
fovea.errors.UsageError: nest sums: reorder i0 and k0: a vector's loop is the innermost
"""
import itertools
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _fovea
from .errors import NetworkError, UsageError, choose
from .inputs import FilePath
from .models import Model, model_path
from .passes import PassContext

__all__ = [
    "Access",
    "Buffer",
    "Found",
    "Loop",
    "Nest",
    "Schedule",
    "Store",
    "load",
    "of",
    "parse",
    "save",
    "search",
    "search_network",
]


class Buffer(NamedTuple):
    """What a nest reads, writes, or has for itself."""

    name: str
    scope: str  #: "input", "output" or "register".
    type: str  #: Of an element, as numpy calls it.
    shape: tuple[int, ...]


class Loop(NamedTuple):
    """A loop of a nest."""

    name: str  #: Of its variable.
    turns: int
    step: int
    kind: str  #: "serial", "unrolled", "vector" or "parallel".
    depth: int  #: Loops around it.
    is_reduction: bool  #: Whether a store in it adds to what the turn before stored.


class Access(NamedTuple):
    """A place that a store reads or writes."""

    buffer: str
    is_store: bool
    strides: tuple[Optional[int], ...]  #: Elements from turn to turn of each loop around; None where that varies.
    footprints: tuple[int, ...]  #: Bytes that each loop around spans with those in it, at most.


class Store(NamedTuple):
    """A statement of a nest."""

    loops: tuple[str, ...]  #: Around it, the outermost first.
    runs: int  #: How often, at most.
    conditions: int  #: How often those around it are asked, at most.
    operations: int  #: On values, without conversions.
    functions: int  #: Of these, such as exp.
    accesses: tuple[Access, ...]


class Nest:
    """Loops, as text; never changed.

    >>> nest = parse('''nest n(x: input f32[9, 4], y: output f32[4], t: register f32) {
    ...   for i in 4 { t = 0.0f for k in 9 { t = (t + x[k, i]) } y[i] = t } }''')
    >>> nest.loops[1]
    Loop(name='k', turns=9, step=1, kind='serial', depth=1, is_reduction=True)
    >>> nest.buffers[0]
    Buffer(name='x', scope='input', type='float32', shape=(9, 4))
    >>> nest.stores[1].runs, nest.stores[1].accesses[1]
    (36, Access(buffer='x', is_store=False, strides=(1, 4), footprints=(144, 36)))
    """

    def __init__(self, text: str, intrinsics: Sequence[str] = ()) -> None:
        self.text = text
        self.intrinsics = tuple(intrinsics)  #: Files of C functions that it calls.

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Nest {self.text.split('(', 1)[0].removeprefix('nest ')}, {self.text.count(' for ')} loops>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nest) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """As they are declared."""
        return self._profile[0]

    @property
    def loops(self) -> tuple[Loop, ...]:
        """As the text has them."""
        return self._profile[1]

    @property
    def stores(self) -> tuple[Store, ...]:
        """Its statements, as the text has them."""
        return self._profile[2]

    @cached_property
    def _profile(self) -> tuple[tuple[Buffer, ...], tuple[Loop, ...], tuple[Store, ...]]:
        buffers, loops, stores = _fovea.nest_profile(self.text)
        return (
            tuple(Buffer(*row) for row in buffers),
            tuple(Loop(*row) for row in loops),
            tuple(Store(*row[:-1], tuple(Access(*access) for access in row[-1])) for row in stores),
        )

    @property
    def code(self) -> str:
        """The C function that it becomes."""
        return _fovea.nest_code(self.text, self.intrinsics)

    @property
    def by_default(self) -> "Nest":
        """It by the compiler's own rules, which a layer without a schedule gets."""
        return Schedule(self, self.default_trace).nest

    @cached_property
    def default_trace(self) -> tuple[str, ...]:
        """The steps of these rules: where a schedule of one's own may start."""
        return tuple(_fovea.default_trace(self.text))

    def interpret(self, *inputs: ArrayLike) -> NDArray[Any]:
        """What it computes, bit for bit as its C does, statement by statement: for tests.

        Loops that are vectors or parallel run backwards, as their turns come in any order.

        >>> parse("nest n(x: input f32[2], y: output f32[2]) { for i in 2 { y[i] = (x[i] * x[i]) } }").interpret([2, 3])
        array([4., 9.], dtype=float32)
        """
        return _fovea.interpret_nest(self.text, [np.asarray(each) for each in inputs])


def parse(text: str) -> Nest:
    """A nest of its text. Raises UsageError naming the line, or what is no nest."""
    with _as_usage():
        return Nest(_fovea.checked_nest(text))


class Schedule:
    """Steps from a nest on. Each changes `nest`, is added to `trace`, and returns the schedule. One that is refused
    does nothing. Loops are named by their variables."""

    def __init__(self, nest: Nest, trace: Sequence[str] = (), intrinsics: Sequence[FilePath] = ()) -> None:
        """intrinsics: files of C functions that the trace names."""
        self.nest = Nest(nest.text, [*nest.intrinsics, *map(str, intrinsics)])  #: After the steps.
        self.trace: tuple[str, ...] = ()  #: The steps, a line each.
        self.apply(trace)

    def __repr__(self) -> str:
        return f"<Schedule of {self.nest!r}: {'; '.join(self.trace) or 'no steps'}>"

    def apply(self, trace: Sequence[str]) -> "Schedule":
        """Steps of a trace, all or none."""
        text = self.nest.text
        for i, step in enumerate(trace):
            with _as_usage(f" (step {i + 1}: {step})" if len(trace) > 1 else ""):
                text = _fovea.apply_step(text, step, self.nest.intrinsics)
        self.nest, self.trace = Nest(text, self.nest.intrinsics), (*self.trace, *trace)
        return self

    def _step(self, *words: object) -> "Schedule":
        return self.apply([" ".join(str(word) for word in words)])

    def tile(self, loop: str, size: int) -> "Schedule":
        """The loop goes by `size`, and `<loop>_in` inside of it by 1."""
        return self._step("tile", loop, size)

    def split(self, loop: str, size: Optional[int] = None, *, parts: Optional[int] = None) -> "Schedule":
        """`<loop>_out` counts tiles, of `size` turns or so many, and `<loop>_in` the turns of a tile."""
        if (size is None) == (parts is None):
            raise UsageError(f"split {loop}: give its size or parts")
        return self._step("split", loop, size) if parts is None else self._step("split_parts", loop, parts)

    def fuse(self, outer: str, inner: str) -> "Schedule":
        """One loop, `<outer>_<inner>`, of two, of which the second is all of the body of the first."""
        return self._step("fuse", outer, inner)

    def reorder(self, *loops: str) -> "Schedule":
        """The loops in this order, from the outside in."""
        return self._step("reorder", *loops)

    def unroll(self, loop: str) -> "Schedule":
        """The loop's turns one behind another."""
        return self._step("unroll", loop)

    def vectorize(self, loop: str) -> "Schedule":
        """An innermost loop's turns side by side."""
        return self._step("vectorize", loop)

    def parallel(self, loop: str) -> "Schedule":
        """The loop's turns shared by threads, where the C is compiled with OpenMP."""
        return self._step("parallel", loop)

    def tensorize(self, loop: str, file: FilePath) -> "Schedule":
        """A C function does what the loop does. Its file's first comment is a nest that says what it computes, and
        is compared; the function takes pointers and strides (compiler/loops/intrinsic.h). A trace has its name only:
        `Schedule(nest, trace, [file])` and `foveac --intrinsic file` say where it is."""
        given = self.nest
        with _as_usage():
            name = _fovea.intrinsic_name(str(file))
        if str(file) not in given.intrinsics:
            self.nest = Nest(given.text, [*given.intrinsics, str(file)])
        try:
            return self._step("tensorize", loop, name)
        except UsageError:
            self.nest = given
            raise

    def decompose_reduction(self, reduction: str, at: str) -> "Schedule":
        """What is before the loop `reduction` and behind it in loops of its own, from the loop `at` on; registers that
        they share become arrays."""
        return self._step("decompose_reduction", reduction, at)

    def cache_read(self, buffer: str, at: str) -> "Schedule":
        """What a turn of a loop reads of an input, copied to an array at its start."""
        return self._step("cache_read", buffer, at)

    def cache_converted(self, buffer: str, at: str) -> "Schedule":
        """Likewise, as float64 numbers, which each use converts it to: once a turn, rather than each time."""
        return self._step("cache_converted", buffer, at)

    def cache_write(self, buffer: str, at: str) -> "Schedule":
        """What a turn of a loop computes of the output, in an array that is copied at its end."""
        return self._step("cache_write", buffer, at)

    def compute_at(self, array: str, at: str) -> "Schedule":
        """The elements of an array that a turn of a loop reads, computed at its start."""
        return self._step("compute_at", array, at)

    def reverse_compute_at(self, loop: str, at: str) -> "Schedule":
        """A loop's turns, each behind one of the loop before it."""
        return self._step("reverse_compute_at", loop, at)


Schedules = Union[FilePath, Mapping[str, Union[Schedule, Sequence[str]]]]  #: By the names of layers, or a file of them.


def of(
    model: Model,
    *,
    rounding: str = "nearest_even",
    shapes: Optional[dict[str, Sequence[int]]] = None,
    batch: int = 0,
    passes: Optional[PassContext] = None,
) -> dict[str, Nest]:
    """The nests of a network's layers on the CPU, by the layers' names, before any schedule. Layers that a kernel of
    the runtime computes have none. The options are those of `fovea.compile`."""
    nests = _fovea.nests_of(
        str(model_path(model)),
        rounding=choose("rounding", rounding, ("nearest_even", "floor")),
        shapes={name: list(shape) for name, shape in (shapes or {}).items()},
        batch=batch,
        passes=(passes or PassContext()).native(),
    )
    return {layer: Nest(text) for layer, text in nests}


def save(schedules: Mapping[str, Union[Schedule, Sequence[str]]], file: FilePath) -> None:
    """Keeps traces by the names of layers, for `fovea.compile(schedules=file)` and `foveac --schedules`."""
    traces = {layer: list(each.trace if isinstance(each, Schedule) else each) for layer, each in schedules.items()}
    Path(file).write_text(json.dumps(traces, indent=1) + "\n", encoding="utf-8")


def load(file: FilePath) -> dict[str, tuple[str, ...]]:
    """The traces that `save` kept."""
    try:
        return {layer: tuple(trace) for layer, trace in json.loads(Path(file).read_text(encoding="utf-8")).items()}
    except (ValueError, AttributeError, TypeError):
        raise UsageError(f"{file}: no file of schedules; fovea.loops.save writes one") from None


@contextmanager
def schedules_file(schedules: Optional[Schedules]) -> Iterator[tuple[str, list[str]]]:
    """The name of a file of schedules, "" where there are none; and the files of C functions that they name."""
    if not isinstance(schedules, Mapping):
        yield "" if schedules is None else str(schedules), []
        return
    with tempfile.TemporaryDirectory(prefix="fovea-") as folder:
        file = Path(folder, "schedules.json")
        save(schedules, file)
        named = [each.nest.intrinsics for each in schedules.values() if isinstance(each, Schedule)]
        yield str(file), list(dict.fromkeys(itertools.chain.from_iterable(named)))


@contextmanager
def _as_usage(more: str = "") -> Iterator[None]:
    try:
        yield
    except NetworkError as error:
        raise UsageError(f"{error}{more}") from None


# They need what is above.
from .loop_search import Found, search, search_network  # pylint: disable=wrong-import-position,cyclic-import
