# SPDX-License-Identifier: Apache-2.0
"""Times the C of nests of loops on this machine."""
import subprocess
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Optional

from . import _fovea
from .errors import Error
from .loops import Nest

LIMIT = 60  #: Seconds that a compiler or a program may take.
C_TYPES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "float32": "float",
    "bool": "uint8_t",
}

#: Prints for each nest the least of the nanoseconds of some runs, and a sum over the bytes of its output. A nest that
#: takes longer than the argument is not timed again.
PROGRAM = """
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
int main(int argc, char **argv) {
  static void (*volatile const nests[])(%(types)s) = {%(nests)s};
  const double first = argc > 1 ? atof(argv[1]) : 0;
%(buffers)s
  for (size_t nest = 0; nest < sizeof nests / sizeof *nests; ++nest) {
    double start = now();
    nests[nest](%(names)s);
    double best = now() - start;
    int times = best > first ? 0 : 9;
    for (int i = 0; i < times; ++i) {
      int runs = best > 1e6 ? 1 : (int)(1e6 / (best + 1)) + 1;
      start = now();
      for (int run = 0; run < runs; ++run) nests[nest](%(names)s);
      double each = (now() - start) / runs;
      best = each < best ? each : best;
    }
    unsigned long sum = 0;
    for (size_t i = 0; i < sizeof(*%(output)s) * %(elements)s; ++i) sum = sum * 31 + ((unsigned char *)%(output)s)[i];
    printf("%%f %%lu\\n", best, sum);
  }
  return 0;
}
"""
HEADERS = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "dla_widest_vectors.h"
#include "spec/dla_real.h"
#include "spec/dla_requant.h"
#ifdef CLONE
#undef DLA_WIDEST_VECTORS
#undef DLA_EXACT_PRODUCTS
#define DLA_WIDEST_VECTORS __attribute__((target(CLONE)))
#define DLA_EXACT_PRODUCTS __attribute__((target(CLONE), optimize("fp-contract=fast")))
#endif
"""
#: Prints the last of the clones of a function with vectors where this processor runs it: the others are not compiled.
CLONES = """#include <stdio.h>
#include "dla_widest_vectors.h"
#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
int main(void) {
#ifdef __x86_64__
  if (sizeof(TEXT(DLA_WIDEST_VECTORS)) > 1 && __builtin_cpu_supports("x86-64-v4")) puts("arch=x86-64-v4");
#endif
  return 0;
}
"""


def _program(nests: Sequence[Nest]) -> str:
    """C of nests with the same inputs and output."""
    code = [f"#define nest nest{i}\n{nest.code}\n#undef nest\n" for i, nest in enumerate(nests)]
    buffers, names, types, output = [], [], [], ("", 0)
    for name, scope, element, shape in nests[0].buffers:
        if scope != "register":
            count, kind = prod(shape), C_TYPES[element]
            buffers.append(f"  {kind} *{name} = aligned_alloc(64, ({count} * sizeof(*{name}) + 63) / 64 * 64);")
            value = f"({kind})(1 + i * 2654435761u % 97 / 16.0)"
            buffers.append(f"  for (size_t i = 0; i < {count}; ++i) {name}[i] = {value};")
            names.append(name)
            types.append(f"{'' if scope == 'output' else 'const '}{kind} *")
            output = (name, count) if scope == "output" else output
    return (
        HEADERS
        + "".join(code)
        + PROGRAM
        % {
            "types": ", ".join(types),
            "nests": ", ".join(f"nest{i}" for i in range(len(nests))),
            "buffers": "\n".join(buffers),
            "names": ", ".join(names),
            "output": output[0],
            "elements": output[1],
        }
    )


class DoesNotRun(Error):
    """C that a compiler refuses, or a program that ends with a signal or too late."""


class Timer:
    """Compiles and runs schedules of one nest in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self._answer: Optional[str] = None  # That all schedules give.
        clone = self._build_and_run(CLONES).strip()
        self._options = [f'-DCLONE="{clone}"'] if clone else []

    def _build_and_run(self, code: str, *words: str, options: Sequence[str] = (), rounds: int = 1) -> str:
        source, program = self.folder / "nest.c", self.folder / "nest"
        source.write_text(code, encoding="utf-8")
        _run("cc", "-std=c11", "-O2", *options, *_fovea.include_options(), str(source), "-o", str(program), "-lm")
        return "".join(_run(str(program), *words) for _ in range(rounds))

    def milliseconds(self, nests: Sequence[Nest], *, first: float = LIMIT * 1e3, rounds: int = 1) -> list[float]:
        """That a run of each takes on one core: of several the least.

        first: where the first run takes more, it counts. rounds: how often all are timed, one behind another. Raises
        Error where an answer is not that of the nests before, and where there is no C compiler.
        """
        said = self._build_and_run(_program(nests), f"{first * 1e6:f}", options=self._options, rounds=rounds)
        times = [float("inf")] * len(nests)
        for i, line in enumerate(said.splitlines()):
            nanoseconds, answer = line.split()
            nest = nests[i % len(nests)]
            if self._answer not in (None, answer):
                raise Error("a schedule changes the answer of its nest; please report it with the nest:\n" + nest.text)
            self._answer = answer
            times[i % len(nests)] = min(times[i % len(nests)], float(nanoseconds) / 1e6)
        return times


def _run(*words: str) -> str:
    try:
        return subprocess.run(words, check=True, capture_output=True, text=True, timeout=LIMIT).stdout
    except FileNotFoundError:
        raise Error(f"search: {words[0]} is not installed, and nests are timed with it") from None
    except subprocess.TimeoutExpired:
        raise DoesNotRun(f"search: {words[0]} takes more than {LIMIT} s for this nest; search others") from None
    except subprocess.CalledProcessError as error:
        raise DoesNotRun(f"search: {words[0]} failed: {error.stderr.strip()[-300:] or error}") from None
