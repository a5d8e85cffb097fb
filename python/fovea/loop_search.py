# SPDX-License-Identifier: Apache-2.0
"""A search over schedules of one nest: traces are drawn and changed at random, a model that learns from what was
measured chooses among them, and the C of the chosen is timed on this machine."""
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from . import _fovea
from .errors import Error, UsageError
from .loops import Nest, Schedule

FACTORS = (2, 4, 5, 8, 10, 16, 32, 64)  #: Sizes of tiles.
DRAWN, MEASURED, PARENTS = 48, 6, 8  #: Traces of a round, those of them that are timed, and those that are changed.
LIMIT = 60  #: Seconds that a compiler or a program may take.
LOOP = re.compile(r"^ *for (\w+) in (\d+)(?: by (\d+))?( unrolled| vector| parallel)? \{$", re.M)
BUFFER = re.compile(r"(\w+): (input|output|register) (\w+)(?:\[([\d, ]*)\])?")
C_TYPES = {"u8": "uint8_t", "i8": "int8_t", "i32": "int32_t", "i64": "int64_t", "f32": "float", "f64": "double"}

#: Prints the median of the nanoseconds of some runs of the nest, and a sum over the bytes of its output.
PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static int compare(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
int main(void) {
%(buffers)s
  double times[9], start = now();
  nest(%(names)s);
  double once = now() - start;
  int runs = once > 2e6 ? 1 : (int)(2e6 / (once + 1)) + 1;
  for (int i = 0; i < 9; ++i) {
    start = now();
    for (int run = 0; run < runs; ++run) nest(%(names)s);
    times[i] = (now() - start) / runs;
  }
  qsort(times, 9, sizeof *times, compare);
  unsigned long sum = 0;
  for (size_t i = 0; i < sizeof(*%(output)s) * %(elements)s; ++i) sum = sum * 31 + ((unsigned char *)%(output)s)[i];
  printf("%%f %%lu\\n", times[4], sum);
  return 0;
}
"""


class Found(NamedTuple):
    """What a search found."""

    schedule: Schedule  #: The fastest.
    milliseconds: float  #: That it takes, a median.
    default_milliseconds: float  #: That the compiler's own schedule takes.
    measured: int  #: Schedules that were timed.


class _Timer:
    """Compiles and runs nests in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.answer: Optional[str] = None  #: That all schedules give.

    def milliseconds(self, nest: Nest) -> float:
        buffers, names, output = [], [], ("", 0)
        for name, scope, element, shape in BUFFER.findall(nest.text.split("{", 1)[0]):
            if scope != "register":
                count = int(np.prod([int(size) for size in shape.split(",") if size.strip()] or [1]))
                kind = C_TYPES.get(element, "uint8_t")
                buffers.append(f"  {kind} *{name} = aligned_alloc(64, ({count} * sizeof(*{name}) + 63) / 64 * 64);")
                buffers.append(
                    f"  for (size_t i = 0; i < {count}; ++i) {name}[i] = ({kind})(1 + i * 2654435761u % 97 / 16.0);"
                )
                names.append(name)
                output = (name, count) if scope == "output" else output
        words = {"buffers": "\n".join(buffers), "names": ", ".join(names), "output": output[0], "elements": output[1]}
        headers = '#include "dla_widest_vectors.h"\n#include "spec/dla_real.h"\n#include "spec/dla_requant.h"\n'
        source, program = self.folder / "nest.c", self.folder / "nest"
        source.write_text("#define _POSIX_C_SOURCE 199309L\n" + headers + nest.code + PROGRAM % words, encoding="utf-8")
        said = self._run("cc", "-std=c11", "-O2", *_fovea.include_options(), str(source), "-o", str(program), "-lm")
        said = self._run(str(program))
        nanoseconds, answer = said.split()
        if self.answer not in (None, answer):
            raise Error("a schedule changes the answer of its nest; please report it with the nest:\n" + nest.text)
        self.answer = answer
        return float(nanoseconds) / 1e6

    @staticmethod
    def _run(*words: str) -> str:
        try:
            return subprocess.run(words, check=True, capture_output=True, text=True, timeout=LIMIT).stdout
        except FileNotFoundError:
            raise Error(f"search: {words[0]} is not installed, and nests are timed with it") from None
        except subprocess.CalledProcessError as error:
            raise Error(f"search: {words[0]} failed: {error.stderr.strip()[-300:]}") from None


def _sums_side_by_side(nest: Nest, source: random.Random) -> list[str]:
    """Tiles of sums, as the compiler's own rule has them, of sizes drawn at random."""
    loops = [name for name, *_ in LOOP.findall(nest.text)]
    around = [name for name in loops if name.startswith("i")]
    terms = [name for name in loops if name.startswith("k")]
    if len(around) < 2 or not terms:
        return []
    outer, inner = around[-2:]
    trace = [f"tile {outer} {source.choice(FACTORS)}", f"tile {inner} {source.choice(FACTORS)}"]
    trace += [f"reorder {outer} {inner} {outer}_in {inner}_in", f"decompose_reduction {terms[0]} {outer}_in"]
    trace += [f"reorder {' '.join(terms)} {outer}_in {inner}_in", f"unroll {outer}_in", f"vectorize {inner}_in"]
    return trace


def _random_step(nest: Nest, source: random.Random) -> str:
    loops = [name for name, *_ in LOOP.findall(nest.text)]
    inputs = [name for name, scope, *_ in BUFFER.findall(nest.text.split("{", 1)[0]) if scope == "input"]
    loop, other = source.choice(loops), source.choice(loops)
    return source.choice(
        [
            f"tile {loop} {source.choice(FACTORS)}",
            f"split {loop} {source.choice(FACTORS)}",
            f"reorder {loop} {other}",
            f"unroll {loop}",
            f"vectorize {loop}",
            f"decompose_reduction {loop} {other}",
            f"cache_read {source.choice(inputs or [loop])} {loop}",
            f"reverse_compute_at {loop} {other}",
        ]
    )


def _drawn(nest: Nest, parents: Sequence[tuple[str, ...]], source: random.Random) -> Optional[Schedule]:
    """A trace anew, or a parent's without a step, with another size, or with steps more; None where it does not fit."""
    trace = list(source.choice(parents)) if parents and source.random() < 0.7 else _sums_side_by_side(nest, source)
    if trace and source.random() < 0.3:
        del trace[source.randrange(len(trace))]
    if trace and source.random() < 0.5:
        place = source.randrange(len(trace))
        trace[place] = re.sub(r" \d+$", f" {source.choice(FACTORS)}", trace[place])
    try:
        schedule = Schedule(nest, trace)
    except UsageError:
        return None
    for _ in range(source.randrange(4)):
        try:
            schedule.apply([_random_step(schedule.nest, source)])
        except UsageError:
            pass
    return schedule


def features(nest: Nest) -> NDArray[np.float64]:
    """What the model knows of a nest: of each kind of loop how many there are and how often they run, of stores how
    often, along vectors and not, and how large arrays are."""
    runs, stores, vectors, kinds = 1.0, 0.0, 0.0, {"": [0.0, 0.0], " unrolled": [0.0, 0.0], " vector": [0.0, 0.0]}
    open_loops: list[tuple[float, bool]] = []
    ifs = 0.0
    for line in nest.text.splitlines()[1:]:
        head = LOOP.match(line)
        if head:
            _, size, step, kind = head.groups()
            turns = -(-int(size) // int(step or 1))
            count = kinds.get(kind or "", kinds[""])
            count[0] += 1
            count[1] += np.log2(1 + turns)
            open_loops.append((runs, kind == " vector"))
            runs *= turns
        elif line.endswith("{"):
            open_loops.append((runs, False))
            ifs += runs
        elif line.strip() == "}":
            runs = open_loops.pop()[0] if open_loops else runs
        else:
            is_vector = any(vector for _, vector in open_loops)
            vectors += runs if is_vector else 0
            stores += 0 if is_vector else runs
    arrays = sum(
        np.prod([int(size) for size in shape.split(",")])
        for _, scope, _, shape in BUFFER.findall(nest.text.split("{", 1)[0])
        if scope == "register" and shape
    )
    counts = [value for pair in kinds.values() for value in pair]
    return np.array([1, np.log2(1 + stores), np.log2(1 + vectors), np.log2(1 + ifs), np.log2(1 + arrays), *counts])


def _predicted(measured: dict[Schedule, float], drawn: Sequence[Schedule]) -> NDArray[np.float64]:
    """The times of nests by those of others: a ridge regression of the logarithm on features and their products."""

    def matrix(schedules: Sequence[Schedule]) -> NDArray[np.float64]:
        rows = np.array([features(each.nest) for each in schedules])
        return np.hstack([rows, rows[:, 1:] ** 2])

    known = matrix(list(measured))
    times = np.log(np.array(list(measured.values())))
    weights = np.linalg.solve(known.T @ known + np.eye(known.shape[1]), known.T @ times)
    result: NDArray[np.float64] = matrix(drawn) @ weights
    return result


def search(nest: Nest, *, seconds: float = 60, seed: int = 0) -> Found:
    """The fastest schedule of a nest on this machine that is found in a time, on one core; the same draws for a seed.
    Each schedule that is timed gives the nest's answer, bit for bit. Raises Error where there is no C compiler."""
    if seconds <= 0:
        raise UsageError(f"seconds={seconds}: a search takes some")
    source, end = random.Random(seed), time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="fovea-") as folder:
        timer = _Timer(folder)
        default = timer.milliseconds(nest.by_default)
        start = Schedule(nest)
        measured = {start: timer.milliseconds(nest)}
        seen = {nest.text}
        while time.monotonic() < end:
            best = sorted(measured, key=measured.__getitem__)[:PARENTS]
            drawn: list[Schedule] = []
            for _ in range(DRAWN):
                each = _drawn(nest, [parent.trace for parent in best], source)
                if each is not None and each.nest.text not in seen:
                    seen.add(each.nest.text)
                    drawn.append(each)
            if not drawn:
                continue
            order = np.argsort(_predicted(measured, drawn), kind="stable")
            for place in order[:MEASURED]:
                if time.monotonic() < end:
                    measured[drawn[place]] = timer.milliseconds(drawn[place].nest)
        best_one = min(measured, key=measured.__getitem__)
        return Found(best_one, measured[best_one], default, len(measured))
