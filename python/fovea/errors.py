# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: one base class, and one class for each kind of thing at fault.

Every message is one line a problem and says the thing, what is wrong, and what would work. The parts are attributes.
"""
import re
from collections.abc import Iterable
from typing import Any, NamedTuple


class Problem(NamedTuple):
    """One thing in the way."""

    where: str  #: The node, file, layer or argument at fault; "" where the message does not begin with one.
    what: str  #: What is wrong with it.
    advice: str  #: What would work; "" where the message does not say.


def _problem(line: str) -> Problem:
    """Takes a line "where: what; advice" apart.

    >>> _problem("Conv_3: dilations=[2,2] is not supported; supported: [1,1]")
    Problem(where='Conv_3', what='dilations=[2,2] is not supported', advice='supported: [1,1]')
    """
    where, colon, rest = line.partition(": ")
    what, _, advice = (rest if colon else line).partition("; ")
    return Problem(where if colon else "", what, advice)


class Error(Exception):
    """The base of all others. `problems` has a Problem a line of the message, `advice` is the first one's."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.problems = [_problem(line) for line in message.splitlines()]

    @property
    def advice(self) -> str:
        return self.problems[0].advice if self.problems else ""


class NetworkError(Error, ValueError):
    """A network, or a file for one, can't be used. `node` is the first node or file at fault."""

    @property
    def node(self) -> str:
        return self.problems[0].where if self.problems else ""


class MachineError(Error, ValueError):
    """A machine can't be. `field` is the field of its file at fault, "" where it is the whole file."""

    @property
    def field(self) -> str:
        found = re.search(r'field "(\w+)"', str(self))
        return found.group(1) if found else ""


class BackendError(Error, RuntimeError):
    """A device can't be opened as asked."""


class RunError(Error, RuntimeError):
    """A layer failed while a network ran. `layer` is its name."""

    def __init__(self, message: str, layer: str = "") -> None:
        super().__init__(message)
        self.layer = layer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.layer)


class WorkerError(Error, RuntimeError):
    """A process of `Network.run_many` or explore() ended on its own, or a cluster was lost. `item` is the place of the
    input or design that it worked on."""

    def __init__(self, message: str, item: int = 0) -> None:
        super().__init__(message)
        self.item = item

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.item)


class MappingError(Error, ValueError):
    """A mapping can't be run, or not be said in another tool's form."""


class StoreError(Error, RuntimeError):
    """A database of results can't be used, or not be written. The rows of before are safe."""


class UsageError(Error, ValueError):
    """An argument has a value that it can't have. `argument` is its name."""

    @property
    def argument(self) -> str:
        return self.problems[0].where.partition("=")[0] if self.problems else ""


def choose(argument: str, value: Any, choices: Iterable[str]) -> str:
    """`value`, which is one of `choices`.

    >>> choose("optimize", "speed", ["cycles", "dram"])
    Traceback (most recent call last):
    ...
    fovea.errors.UsageError: optimize='speed': unknown; cycles or dram work
    """
    if not isinstance(value, str):
        raise TypeError(f"{argument}={value!r}: a {type(value).__name__}; give a text, {listed(choices)}")
    if value not in choices:
        raise UsageError(f"{argument}={value!r}: unknown; {listed(choices)} work")
    return value


def listed(choices: Iterable[str]) -> str:
    """Names as a sentence has them: "cycles, dram or energy"."""
    names = list(choices)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
