# SPDX-License-Identifier: Apache-2.0
"""Patterns: shapes of graph, to be found, cut out, rewritten, or fused to layers.

>>> from fovea.patterns import op, wildcard
>>> graph = fovea.ir.parse('''fn (%x: Tensor[(1, 4), float32] from "x") {
...     %r = nn.relu(%x) from "act"  %y = add(%r, 1f) from "sum"  return %y }''')
>>> pattern = op("add")(op("nn.relu")(wildcard().named("x")), wildcard())
>>> match = pattern.match(graph.outputs[0])
>>> match["x"], [node.op for node in match.nodes]
(<Node %0 input: Tensor[(1, 4), float32], x>, ['nn.relu', 'constant', 'add'])
"""
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _fovea
from ._fovea import Builder, Graph, Match, Node
from .errors import UsageError
from .ir import operators
from .places import place_of, raised_in

__all__ = [
    "Found",
    "Fused",
    "Fusion",
    "Match",
    "Op",
    "Pattern",
    "chain",
    "composite",
    "is_constant",
    "is_op",
    "is_input",
    "op",
    "rewrite",
    "wildcard",
]

#: Operators whose operands may stand in either order.
COMMUTATIVE = ("add", "multiply", "minimum", "maximum", "equal", "logical_and", "logical_or", "logical_xor")
#: Operators that are copied into each match that reads them, as they cost nothing there.
FREE = ("qnn.dequantize",)
#: Rounds after which `rewrite` gives up.
MOST_ROUNDS = 100

_keys = itertools.count(1)


def _caller() -> str:
    """The line outside of this package that is running: "mine.py:12"."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("fovea", "contextlib"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@contextmanager
def _placed() -> Iterator[None]:
    """Says in a refusal where the pattern is written."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{error} ({_caller()})") from None


def _checked(
    what: str, function: Callable[..., Any], takes: Sequence[str], check: Callable[[Any], bool], wanted: str
) -> Callable[..., Any]:
    """A function of a user's, whose arguments are checked now, and whose results when it is called."""
    place = place_of(function, _caller())
    try:
        inspect.signature(function).bind(*takes)
    except TypeError:
        takes_now = inspect.signature(function)
        raise UsageError(f"{what}: takes {takes_now}, {place}; it is called with {' and '.join(takes)}") from None

    def call(*arguments: Any) -> Any:
        with raised_in(f"{what}, {place}"):
            result = function(*arguments)
        if not check(result):
            raise UsageError(f"{what}: returned {result!r}, {place}; return {wanted}")
        return result

    return call


class Pattern:
    """A shape of graph. A pattern never changes: what narrows one makes another.

    One pattern object is one value: where it is part of a larger pattern twice, both are the same node. Two calls of
    `wildcard()` are two values. Of alternatives the first that fits is taken.
    """

    def __init__(self, native: _fovea.Pattern, names: Optional[tuple[str, ...]] = None) -> None:
        self.key = next(_keys)  #: What `Match` knows it by.
        self._native = native.once(self.key)
        self._names = names  #: Of its operators; () for any operator, None of what is no operator.

    def named(self, name: str) -> "Pattern":
        """The same; the node is `match[name]`."""
        return Pattern(self._native.named(name), self._names)

    def has_attr(self, attributes: Optional[dict[str, Any]] = None, **more: Any) -> "Pattern":
        """Only nodes with these attributes: has_attr(strides=[1, 1])."""
        with _placed():
            return Pattern(
                self._native.of_attributes(list(self._names or ()), {**(attributes or {}), **more}), self._names
            )

    def has_shape(self, shape: Sequence[Optional[int]]) -> "Pattern":
        """Only nodes of this shape. None stands for any size: has_shape((1, None, 32, 32))."""
        return self._of_type(shape, None)

    def has_dtype(self, dtype: str) -> "Pattern":
        """Only nodes of these elements: has_dtype("uint8")."""
        return self._of_type(None, dtype)

    def has_type(self, shape: Sequence[Optional[int]], dtype: str) -> "Pattern":
        """Only nodes of this shape and of these elements."""
        return self._of_type(shape, dtype)

    def _of_type(self, shape: Optional[Sequence[Optional[int]]], dtype: Optional[str]) -> "Pattern":
        with _placed():
            return Pattern(self._native.of_type(None if shape is None else list(shape), dtype), self._names)

    def where(self, predicate: Callable[[Match], bool]) -> "Pattern":
        """Only where a function says so of the match up to here: where(lambda match: match["w"].shape[2] <= 11)."""
        call = _checked(
            "a predicate", predicate, ["a match"], lambda made: isinstance(made, (bool, np.bool_)), "True or False"
        )
        return Pattern(self._native.where(call), self._names)

    def copied(self) -> "Pattern":
        """The same, also where others read the node: it is computed once more for them."""
        return Pattern(self._native.or_copied(), self._names)

    def optional(self, more: "Callable[[Pattern], Pattern]") -> "Pattern":
        """With more around it, or as it is: conv.optional(op("nn.relu")), or a function that makes a pattern of it."""
        made = more(self)
        if not isinstance(made, Pattern):
            raise UsageError(
                f"optional: {more!r} made {made!r}; give an operator, or what makes a pattern ({_caller()})"
            )
        return made | self

    def __or__(self, other: "Pattern") -> "Pattern":
        """The first of the two that fits."""
        if not isinstance(other, Pattern):
            return NotImplemented
        names = None if self._names is None or other._names is None else self._names + other._names
        return Pattern(_fovea.either([self._native, other._native]), names)

    def __add__(self, other: "Pattern") -> "Pattern":
        return op("add")(self, other)

    def __sub__(self, other: "Pattern") -> "Pattern":
        return op("subtract")(self, other)

    def __mul__(self, other: "Pattern") -> "Pattern":
        return op("multiply")(self, other)

    def __truediv__(self, other: "Pattern") -> "Pattern":
        return op("divide")(self, other)

    def match(self, node: Node, *, alone: bool = False) -> Optional[Match]:
        """What it finds where `node` is its result; None if it does not fit. alone: only where nothing else reads what
        is inside."""
        return self._native.match(node, alone)

    def find(self, graph: Graph) -> list[Match]:
        """All that it finds, by the nodes that are their results. Matches may share nodes."""
        return [match for match in map(self.match, graph) if match is not None]

    def partition(
        self,
        graph: Graph,
        name: str = "mine.part",
        refuse: Optional[Callable[[Match], Optional[str]]] = None,
        results: "Sequence[Pattern]" = (),
    ) -> Graph:
        """The graph with a composite of that name in the place of each match, from the outputs on. What is also read
        by others, or an output, is not moved into a composite. refuse, results: as `Fusion` takes them."""
        self._check_root("partition")
        more = _further(name, self, results)
        return _fovea.partition(graph, name, self._native, more, None if refuse is None else _refusal(name, refuse))

    def _check_root(self, what: str) -> None:
        if self._names is None:
            raise UsageError(f"{what}: the pattern's result is no operator, so there is nothing to fuse ({_caller()})")

    def __reduce__(self) -> tuple[Any, ...]:
        raise UsageError(
            f"a pattern can't be pickled; give the network a folder, and open that with fovea.load() ({_caller()})"
        )

    def __repr__(self) -> str:
        names = "no operator" if self._names is None else " | ".join(self._names) or "any operator"
        return f"<Pattern {self.key}: {names}>"


class Op(Pattern):
    """Calls of operators on anything. Called with patterns, it is calls on these."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(self._called(names, None), names)

    @staticmethod
    def _called(names: tuple[str, ...], inputs: Optional[list[Pattern]]) -> _fovea.Pattern:
        made = []
        for name in names or ("",):
            orders = [inputs]
            if inputs is not None and name in COMMUTATIVE and len(inputs) == 2 and inputs[0] is not inputs[1]:
                orders.append(inputs[::-1])
            for order in orders:
                native = _fovea.op(name, None if order is None else [each._native for each in order])
                made.append(native.or_copied() if name in FREE else native)
        return made[0] if len(made) == 1 else _fovea.either(made)

    def __call__(self, *inputs: Pattern) -> Pattern:
        """Inputs behind those that are given are anything: op("qnn.quantize")(x) has any scale."""
        assert self._names is not None
        for given in inputs:
            if not isinstance(given, Pattern):
                raise UsageError(f"{self!r}: {given!r} is no pattern; wildcard() and is_constant() are ({_caller()})")
        for name in self._names:
            takes = operators[name][0]
            is_variadic = bool(takes) and takes[-1].endswith("...")
            if len(inputs) > len(takes) and not is_variadic:
                raise UsageError(
                    f"{name}: {len(inputs)} inputs, so the pattern can never match; it has {len(takes)}:"
                    f" {', '.join(takes)} ({_caller()})"
                )
        return Pattern(self._called(self._names, list(inputs)), self._names)


def op(*names: str) -> Op:
    """Calls of an operator, of one of several, or without a name of any."""
    with _placed():
        return Op(names)


is_op = op


def composite(name: str, *inputs: Pattern) -> Pattern:
    """Calls of a composite that `partition` or a fusion made: on anything, or on as many inputs as are given. For
    `match` and `rewrite`: a composite becomes no part of another."""
    return Pattern(_fovea.composite(name, [each._native for each in inputs] or None))


def wildcard() -> Pattern:
    """Anything: an input of what is matched, or a constant in it."""
    return Pattern(_fovea.anything())


def is_input(name: Optional[str] = None) -> Pattern:
    """An input of the graph; with a name, the one of that name."""
    pattern = Pattern(_fovea.input())
    return pattern.where(
        lambda match: match[pattern].kind == "input" and (name is None or match[pattern].origin == name)
    )


def is_constant(value: Any = None) -> Pattern:
    """A constant; with a value, one whose elements are all equal to it."""
    pattern = Pattern(_fovea.constant())
    return pattern if value is None else pattern.where(lambda match: bool(np.all(match[pattern].value == value)))


def chain(links: Op, end: Pattern, **attributes: Any) -> Pattern:
    """`end`, or calls of operators one on another all of whose ways down lead to it or to constants: a dominator.

    links: op("nn.relu", "add"), op() for any. attributes: of all links. Where end is a wildcard, it is what no link is.
    """
    if not isinstance(links, Op):
        raise UsageError(f"chain: {links!r} is no operator by itself; op('nn.relu', 'add') is ({_caller()})")
    with _placed():
        return Pattern(_fovea.path(list(links._names or ()), attributes, end._native), end._names)


# Rewriting.


class Found:
    """A match while a graph is rewritten: its nodes in the new graph."""

    def __init__(self, match: Match, places: dict[int, Node]) -> None:
        self.match = match  #: In the old graph.
        self._places = places

    def __getitem__(self, key: Union[str, Pattern]) -> Node:
        """The node of the new graph that a name, or a part of the pattern, stands for."""
        return self._places[self.match[key].id]

    def __contains__(self, name: str) -> bool:
        return name in self.match


def rewrite(
    pattern: Pattern, callback: Callable[[Builder, Found], Optional[Node]], graph: Graph, *, once: bool = False
) -> Graph:
    """The graph with what a function makes of each match in its place, until nothing matches any more.

    callback: makes nodes with the builder and returns one, or None to leave the match. once: the graph is gone through
    one time only. What nothing reads any more goes.
    """
    call = _checked(
        "a rewrite's callback",
        callback,
        ["a builder", "what was found"],
        lambda made: made is None or isinstance(made, Node),
        "a node of the builder, or None",
    )
    for _ in range(MOST_ROUNDS):
        graph, is_changed = _rewrite_once(pattern, call, graph)
        if once or not is_changed:
            return graph
    place = place_of(callback, _caller())
    raise UsageError(f"rewrite: the pattern still matches after {MOST_ROUNDS} rounds, {place}; once=True stops at one")


def _outermost(pattern: Pattern, graph: Graph, declined: set[int]) -> dict[int, Match]:
    """Matches by their results, from the outputs on, none with a part of another."""
    chosen: dict[int, Match] = {}
    taken: set[int] = set()
    for node in reversed(list(graph)):
        match = pattern.match(node) if node.kind in ("call", "composite") and node.id not in declined else None
        if match is not None:
            parts = {each.id for each in match.nodes if each.kind != "constant" and each.op not in FREE}
            if not taken & parts:
                chosen[node.id] = match
                taken |= parts
    return chosen


def _rewrite_once(
    pattern: Pattern, callback: Callable[[Builder, Found], Optional[Node]], graph: Graph
) -> tuple[Graph, bool]:
    """The graph, and whether it is another one."""
    declined: set[int] = set()
    while chosen := _outermost(pattern, graph, declined):
        builder = Builder()
        places: dict[int, Node] = {}
        is_changed = False
        for node in graph:
            places[node.id] = builder.copy(node, [places[each.id] for each in node.inputs])
            made = callback(builder, Found(chosen[node.id], places)) if node.id in chosen else None
            if made is not None:
                places[node.id] = made
                is_changed = True
        if is_changed:
            new = builder.finish([places[each.id] for each in graph.outputs], graph.output_names)
            return _fovea.without_dead_code(new), True
        declined.update(chosen)
    return graph, False


# Fusions.


class Fused(NamedTuple):
    """What became of a match of a fusion of yours, or that it has none."""

    fusion: str  #: Its name.
    node: str  #: The ONNX name of the node that the match ends with; "" where nothing matches.
    why: str  #: Why it was left out, or which operators the graph lacks; "" where it was fused.


def _refusal(name: str, refuse: Callable[[Match], Optional[str]]) -> Callable[[Match], Optional[str]]:
    return _checked(
        f"refuse of {name}",
        refuse,
        ["a match"],
        lambda made: made is None or (isinstance(made, str) and made != ""),
        "a sentence, or None",
    )


def _further(name: str, pattern: Pattern, results: Sequence[Pattern]) -> list[_fovea.Pattern]:
    """Further results, checked."""
    place = _caller()
    for i, result in enumerate(results):
        if not isinstance(result, Pattern) or result._names is None:
            raise UsageError(f"{name}: {result!r} among its results is no operator, so nothing computes it ({place})")
        if result is pattern or result in results[:i]:
            raise UsageError(
                f"{name}: {result!r} is a result already ({place}); results has those behind the pattern's own"
            )
    return [result._native for result in results]


@dataclass(frozen=True)
class Fusion:
    """What matches becomes one layer, before the compiler's own fusions look at it.

    name: one of the compiler's composites, such as "dla.qconv2d_relu", which must be what the match computes; or one of
    your own, such as "mine.swish". refuse: why a match is left out, a sentence, or None where it is taken. results:
    further results, which others may read too: parts of the pattern, or patterns that share parts with it. Such a layer
    is a `Target`'s, and is left out where none takes it.

    >>> Fusion("dla.qconv2d_rely", op("qnn.quantize")(wildcard()))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    fovea.errors.UsageError: fusion dla.qconv2d_rely: the compiler has no such composite; did you mean ...
    """

    name: str
    pattern: Pattern
    refuse: Optional[Callable[[Match], Optional[str]]] = None
    place: str = field(default="", compare=False)  #: Where it is written: "mine.py:12".
    results: Sequence[Pattern] = ()  #: Behind the pattern's own.

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, Pattern):
            raise UsageError(f"fusion {self.name}: {self.pattern!r} is no pattern ({_caller()})")
        self.pattern._check_root(f"fusion {self.name}")
        object.__setattr__(self, "place", self.place or _caller())
        context = _fovea.PassContext(0, [], [])
        self.add_to(context)
        context.rows()

    def add_to(self, context: _fovea.PassContext) -> None:
        """Adds it to what the compiler takes."""
        refuse = None if self.refuse is None else _refusal(self.name, self.refuse)
        results = _further(self.name, self.pattern, self.results)
        _fovea.add_fusion(context, self.name, self.pattern._native, results, self.place, refuse)
