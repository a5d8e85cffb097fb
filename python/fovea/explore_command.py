# SPDX-License-Identifier: Apache-2.0
"""Machines of a space for several networks:

    fovea explore space.json --networks a.onnx b.onnx --minimize cycles,area_gates -o explored
"""
import argparse
import contextlib
import importlib
import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, Optional

from .errors import Error, UsageError
from .exploration_folder import ExplorationFolder
from .explorations import OBJECTIVES, STRATEGIES, Exploration, explore
from .table import Table

PROGRAM = "fovea explore"
MOST_LINES = 20  #: Of the front, in a terminal.


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; {PROGRAM} --help shows what works")


def _shape(text: str) -> tuple[str, list[int]]:
    name, _, sizes = text.partition("=")
    try:
        return name, [int(size) for size in sizes.split("x")]
    except ValueError:
        raise UsageError(f"--shape {text}: give an input's name and sizes, such as x=1x3x224x224") from None


def _confirm(text: str) -> tuple[str, int]:
    backend, _, count = text.partition(":")
    if not count.isascii() or not count.isdigit():
        raise UsageError(f"--confirm {text}: give a backend and how many designs, such as systemc:20")
    return backend, int(count)


def _client(address: Optional[str]) -> Any:
    if address is None:
        return contextlib.nullcontext()
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise UsageError(
            "--scheduler: Dask is not here; as root: apt-get install --no-install-recommends python3-distributed"
        ) from None
    logging.disable()  # Of a lost scheduler Dask logs tracebacks; one line of ours says it.
    try:
        return distributed.Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {address}: {error or 'no answer in 10 s'}") from None


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=PROGRAM, description=(__doc__ or "").partition(":")[0], allow_abbrev=False)
    parser.add_argument("space", type=Path)
    parser.add_argument("--networks", nargs="+", action="extend", required=True)
    parser.add_argument("--minimize", nargs="+", default=["cycles,area_gates"], metavar="|".join(OBJECTIVES))
    parser.add_argument("--strategy", default="grid", metavar="|".join(STRATEGIES))
    parser.add_argument("--evaluations", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--confirm", nargs="+", action="extend", default=[], metavar="BACKEND:N")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--optimize", default="cycles")
    parser.add_argument("--slack", type=int, default=2)
    parser.add_argument("--shape", nargs="+", action="extend", default=[], metavar="NAME=SIZES")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--scheduler", metavar="ADDRESS")
    parser.add_argument("--compare", nargs="+", action="extend", default=[], type=Path, metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path)
    return parser


def main(words: list[str]) -> int:
    """What a shell calls; the exit status."""
    try:
        chosen = _parser().parse_args(words)
        with _client(chosen.scheduler) as client:
            return _run(chosen, f"{PROGRAM} {shlex.join(words)}", client)
    except KeyboardInterrupt:
        print("ended; the same command resumes", file=sys.stderr)
        return 130
    except Error as error:
        for line in str(error).splitlines():
            print(f"fovea: {line}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


def _run(chosen: argparse.Namespace, command: str, client: Any) -> int:
    folder = ExplorationFolder(chosen.output or Path("reports") / f"{chosen.space.stem}_exploration", chosen.compare)
    confirm = dict(map(_confirm, chosen.confirm))
    shapes: dict[str, Sequence[int]] = dict(map(_shape, chosen.shape))
    found = explore(
        chosen.space,
        chosen.networks,
        [name for text in chosen.minimize for name in text.split(",")],
        strategy=chosen.strategy,
        evaluations=chosen.evaluations,
        seed=chosen.seed,
        confirm=confirm,
        optimize=chosen.optimize,
        slack=chosen.slack,
        shapes=shapes or None,
        batch=chosen.batch,
        database=chosen.database or folder.database,
        processes=chosen.processes,
        client=client,
        progress=True,
    )
    for line in summary(found):
        print(line)
    folder.write(found, command, confirm, chosen.steps)
    print(f"written to {folder.path}")
    return 0


def summary(found: Exploration) -> list[str]:
    """Lines for a terminal: what was evaluated, and the front."""
    rows = [found.row(design) for design in found.front]
    lines = [f"{len(found.designs):,} designs evaluated, {len(rows):,} on the front"]
    lines += str(Table.from_rows(rows[:MOST_LINES])).splitlines()
    if len(rows) > MOST_LINES:
        lines.append(f"and {len(rows) - MOST_LINES:,} more")
    return lines
