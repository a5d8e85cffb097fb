# SPDX-License-Identifier: Apache-2.0
"""Spaces of machines: a machine file whose values may be several, and what its designs have to keep to.

    {"base": "eyeriss_6x8", "rows": [6, 12], "cols": {"from": 8, "to": 14, "step": 2},
     "glb_bytes": {"from": 32768, "to": 131072, "times": 2}, "memory": ["pipelined", "ddr"],
     "residency": ["none", "chip"], "batch": [1, 4],
     "constraints": ["area_gates <= 800000", "rows * cols <= 256"], "weights": {"resnet8": 3}}
"""
import ast
import difflib
import itertools
import json
import math
import operator
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Union

from . import _fovea
from .errors import MachineError, UsageError, choose
from .machine import Machine
from .network import RESIDENCIES

MOST_DESIGNS = 200_000  #: That a space may have: each is looked at before the first is evaluated.

#: What a constraint may speak of beside the numbers of a machine file, and an objective beside what networks take.
DERIVED: dict[str, Callable[[Machine], float]] = {
    "pes": lambda machine: machine.pes,
    "area_gates": lambda machine: sum(_fovea.area_by_part(machine._file).values()),
    "sram_bytes": lambda machine: _fovea.memory_bits(machine._file) / 8,
    "area_mm2": lambda machine: machine.area_mm2 or math.nan,
}
MOST_PICTURES = 65536  #: Of a batch.
_OF_RUNS = ("memory", "residency", "batch")  #: Axes of how a machine runs networks: the last ones.
_OBJECTS = ("energy", "energy_pj", "density", "cpu")  #: Fields whose values are objects: of a space, one each.
_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_WHAT_WORKS = "numbers, fields, + - * / // %, comparisons, and, or, not work"


class Constraint:
    """What designs have to keep to: an expression of numbers of a machine.

    >>> Constraint("rows * cols <= 64").holds(lambda name: {"rows": 6, "cols": 8}[name])
    True
    >>> Constraint("__import__('os')")
    Traceback (most recent call last):
    ...
    fovea.errors.UsageError: constraint "__import__('os')": "__import__('os')" is not taken; numbers, fields, \
+ - * / // %, comparisons, and, or, not work
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            raise UsageError(f'constraint "{text}": no expression; {_WHAT_WORKS}') from None
        for node in ast.walk(self._tree):
            is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
            parts = (ast.Name, ast.Load, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.And, ast.Or)
            if not (is_number or isinstance(node, (*parts, *_OPERATORS))):
                shown = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
                raise UsageError(f'constraint "{text}": "{shown}" is not taken; {_WHAT_WORKS}')

    @property
    def names(self) -> list[str]:
        """What it speaks of."""
        return [node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)]

    def holds(self, value_of: Callable[[str], float]) -> bool:
        """Whether it does; not where it divides by 0. value_of: the number of a name."""
        try:
            return bool(self._value(self._tree, value_of))
        except (ZeroDivisionError, OverflowError):
            return False

    def _value(self, node: ast.expr, value_of: Callable[[str], float]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return value_of(node.id)
        if isinstance(node, ast.UnaryOp):
            return _OPERATORS[type(node.op)](self._value(node.operand, value_of))
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](self._value(node.left, value_of), self._value(node.right, value_of))
        if isinstance(node, ast.BoolOp):
            quantifier = all if isinstance(node.op, ast.And) else any
            return quantifier(self._value(each, value_of) for each in node.values)
        assert isinstance(node, ast.Compare)
        sides = [self._value(each, value_of) for each in (node.left, *node.comparators)]
        return all(_OPERATORS[type(op)](a, b) for op, a, b in zip(node.ops, sides, sides[1:]))


@dataclass(frozen=True)
class Design:
    """A machine with a memory, and how it runs networks. `choice` has the place of each of its values among those of
    its axis."""

    machine: Machine
    memory: str
    choice: tuple[int, ...] = field(compare=False)
    residency: str = "none"
    batch: int = 0  #: 0: the space says none.
    _known: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def value(self, name: str) -> float:
        """A number of its machine file, or of DERIVED."""
        if name not in self._known:
            self._known[name] = DERIVED[name](self.machine) if name in DERIVED else getattr(self.machine, name)
        return self._known[name]


class Axis(NamedTuple):
    """A field with the values that it may have."""

    name: str
    values: list[Any]


class Space:
    """Designs to choose from.

    >>> space = Space({"base": "eyeriss_6x8", "rows": [6, 12], "psum_lanes": {"from": 1, "to": 4, "times": 2},
    ...                "constraints": ["rows * psum_lanes <= 24"]})
    >>> len(space), len(space.designs)
    (6, 5)
    >>> [axis.name for axis in space.axes]
    ['rows', 'psum_lanes']
    """

    def __init__(self, description: dict[str, Any], place: str = "space") -> None:
        if not isinstance(description, dict):
            raise UsageError(f"{place}: no JSON object; give the fields of a machine file")
        self.place = place
        given = dict(description)
        base = given.pop("base", None)
        texts = given.pop("constraints", [])
        weights = given.pop("weights", {})
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UsageError(f'{place}: constraints: give a list of texts, such as ["rows * cols <= 256"]')
        if not isinstance(weights, dict) or not all(_is_weight(weight) for weight in weights.values()):
            raise UsageError(f'{place}: weights: give numbers above 0 by networks\' names, such as {{"resnet8": 3}}')
        self.weights: dict[str, float] = weights
        self.constraints = [Constraint(text) for text in texts]
        fixed = {} if base is None else _fields_of_base(base, place)
        memories = _memories(given, fixed.pop("dram", _fovea.memories[0]), place)
        runs = [
            Axis("memory", list(memories)),
            Axis("residency", _residencies(given.pop("residency", "none"), place)),
            Axis("batch", _batches(given.pop("batch"), place) if "batch" in given else [0]),
        ]
        if given:
            fixed.pop("name", None)  # It is another machine then.
        several = {name: _values(value, place, name) for name, value in given.items() if name not in _OBJECTS}
        self._fixed = {**fixed, **{name: given[name] for name in _OBJECTS if name in given}}
        self._fixed.update({name: values[0] for name, values in several.items() if len(values) == 1})
        self._run = {axis.name: axis.values[0] for axis in runs}
        self._drams = memories
        self.batches: list[int] = runs[-1].values  #: 0 where none is said.
        #: What differs between designs, how they run last.
        self.axes = [Axis(name, values) for name, values in several.items() if len(values) > 1]
        self.axes += [axis for axis in runs if len(axis.values) > 1]
        if len(self) > MOST_DESIGNS:
            raise UsageError(f"{place}: {len(self):,} designs; up to {MOST_DESIGNS:,} are taken; give fewer values")
        self._check_names()

    @classmethod
    def load(cls, path: "Union[str, os.PathLike[str]]") -> "Space":
        """One of a JSON file. Raises UsageError, MachineError."""
        try:
            description = json.loads(Path(path).read_text())
        except (OSError, UnicodeDecodeError):
            raise UsageError(f"{path}: cannot be read; give a JSON file of a space") from None
        except ValueError as error:
            raise UsageError(f"{path}: no JSON: {error}") from None
        return cls(description, str(path))

    def __len__(self) -> int:
        """Designs before constraints."""
        return math.prod(len(axis.values) for axis in self.axes)

    def _check_names(self) -> None:
        first = self._machine(tuple(0 for _ in self.axes), is_checked=False)
        numbers = [name for name, value in first.items() if type(value) in (int, float)]
        for constraint in self.constraints:
            for name in constraint.names:
                if name not in numbers and name not in DERIVED:
                    near = difflib.get_close_matches(name, [*numbers, *DERIVED], 1)
                    raise UsageError(
                        f'constraint "{constraint.text}": {name} is not known; known: '
                        + ", ".join([*numbers, *DERIVED])
                        + (f"; did you mean {near[0]}?" if near else "")
                    )

    def _machine(self, choice: tuple[int, ...], is_checked: bool = True) -> Any:
        fields = dict(self._fixed)
        for axis, place in zip(self.axes, choice):
            if axis.name not in _OF_RUNS:
                fields[axis.name] = axis.values[place]
        dram = self._drams[self._run_of(choice)["memory"]]
        if dram is not None:
            fields["dram"] = dram
        if not is_checked:
            return fields
        name = fields.pop("name", None) if all(axis.name in _OF_RUNS for axis in self.axes) else None
        return Machine.of_fields(fields, name, self.place)

    def _run_of(self, choice: tuple[int, ...]) -> dict[str, Any]:
        chosen = {axis.name: axis.values[place] for axis, place in zip(self.axes, choice)}
        return {name: chosen.get(name, value) for name, value in self._run.items()}

    @cached_property
    def designs(self) -> list[Design]:
        """Those that are machines and keep to all constraints, the last axis changing first. Raises MachineError where
        a value makes no machine with any of the others, and UsageError where nothing is left."""
        found: list[Design] = []
        excluded: Counter[str] = Counter()
        works: set[tuple[int, int]] = set()
        faults: dict[tuple[int, int], MachineError] = {}
        for choice in itertools.product(*(range(len(axis.values)) for axis in self.axes)):
            values = list(enumerate(choice))
            try:
                machine = self._machine(choice)
            except MachineError as error:
                for value in values or [(-1, 0)]:
                    faults.setdefault(value, error)
                excluded["what makes a machine"] += 1
                continue
            works.update(values or [(-1, 0)])
            run = self._run_of(choice)
            if self._drams[run["memory"]] is not None:
                run["memory"] = machine.memory
            design = Design(machine=machine, choice=choice, **run)
            broken = [constraint.text for constraint in self.constraints if not constraint.holds(design.value)]
            excluded.update(f'"{text}"' for text in broken)
            if not broken:
                found.append(design)
        for value, fault in faults.items():
            if value not in works:
                raise fault
        if not found:
            what, count = excluded.most_common(1)[0]
            raise UsageError(f"{self.place}: no design is left; {what} excludes the most, {count:,} of {len(self):,}")
        return found

    @cached_property
    def by_choice(self) -> dict[tuple[int, ...], Design]:
        """`designs` by the places of their values."""
        return {design.choice: design for design in self.designs}

    def beside(self, design: Design, axis: int) -> list[Design]:
        """Designs whose value on an axis is the next below or above, and whose others are the same."""
        choice = design.choice
        steps = ((*choice[:axis], place, *choice[axis + 1 :]) for place in (choice[axis] - 1, choice[axis] + 1))
        return [self.by_choice[step] for step in steps if step in self.by_choice]

    def shown(self, design: Design) -> dict[str, Any]:
        """The values of a design that others don't have."""
        return {axis.name: axis.values[place] for axis, place in zip(self.axes, design.choice)}


def _is_weight(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < math.inf


def _fields_of_base(base: Any, place: str) -> dict[str, Any]:
    if not isinstance(base, str):
        raise UsageError(f"{place}: base is {json.dumps(base)}; give the name of a machine that ships, or of a file")
    fields = Machine.load(base).fields
    fields.pop("note", None)
    return fields


def _memories(given: dict[str, Any], base: Any, place: str) -> dict[str, Any]:
    """Memories of a space, taken out of what is given of it: None by the name of a preset, and by its text an object
    that a machine file has as its "dram"."""
    if "memory" in given and "dram" in given:
        raise UsageError(f"{place}: memory and dram are the same; give one")
    name = "dram" if "dram" in given else "memory"
    value = given.pop(name, base)
    values = [value] if isinstance(value, dict) else _values(value, place, name)
    found: dict[str, Any] = {}
    for each in values:
        if isinstance(each, dict):
            found[json.dumps(each)] = each
        else:
            found[choose(name, str(each), _fovea.memories)] = None
    return found


def _residencies(value: Any, place: str) -> list[str]:
    return [choose("residency", str(each), RESIDENCIES) for each in _values(value, place, "residency")]


def _batches(value: Any, place: str) -> list[int]:
    batches = _values(value, place, "batch")
    for each in batches:
        if type(each) is not int or not 1 <= each <= MOST_PICTURES:
            raise UsageError(f"{place}: batch is {json.dumps(each)}; integers from 1 to {MOST_PICTURES} work")
    return batches


def _values(value: Any, place: str, name: str) -> list[Any]:
    """The values that a field may have: of a list, or of {"from", "to", "step" or "times"}; else the one."""
    if isinstance(value, dict):
        value = list(_progression(value, place, name))
    elif not isinstance(value, list):
        value = [value]
    if not value:
        raise UsageError(f"{place}: {name} has no value, so the space is empty; give one at least")
    if len(set(map(json.dumps, value))) != len(value):
        raise UsageError(f"{place}: {name} has a value twice; give each once")
    return list(value)


def _progression(of: dict[str, Any], place: str, name: str) -> Iterator[Any]:
    by = "times" if "times" in of else "step"
    is_right = set(of) == {"from", "to", by} and all(type(number) in (int, float) for number in of.values())
    if not is_right or (of[by] <= 0 if by == "step" else of[by] <= 1 or of["from"] <= 0):
        raise UsageError(
            f'{place}: {name} is {json.dumps(of)}; {{"from": 4, "to": 12, "step": 2}} and '
            '{"from": 1, "to": 8, "times": 2} work'
        )
    value = of["from"]
    for _ in range(MOST_DESIGNS + 1):
        if value > of["to"]:
            return
        yield value
        value = value + of[by] if by == "step" else value * of[by]
