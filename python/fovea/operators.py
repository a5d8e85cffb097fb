# SPDX-License-Identifier: Apache-2.0
"""Operators of yours: their elements as expressions, from which values, loops and tables follow."""
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _fovea
from .errors import NetworkError, UsageError
from .places import Type, place_of, raised_in, typed

Attribute = Union[int, float, str, list[int]]


class TensorType(NamedTuple):
    """What a value is."""

    shape: tuple[int, ...]
    dtype: str


class _Functions:
    """What the compiler calls. Graphs keep it; it keeps no graph and no Operator."""

    def __init__(
        self, name: str, function: Callable[..., Any], count: int, rule: Optional[Callable[..., Any]], place: str
    ) -> None:
        self.name, self.function, self.count, self.rule, self.place = name, function, count, rule, place

    def _call(self, node: str, what: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        with raised_in(f"the {what} of the operator {self.name} for {node}, {place_of(function)}"):
            return function(*arguments, **named)

    def type(self, node: str, inputs: Sequence[tuple[Sequence[int], str]], attributes: dict[str, Any]) -> Type:
        types = [TensorType(tuple(shape), dtype) for shape, dtype in inputs]
        if self.rule is None:
            return self._broadcast(node, types)
        made = self._call(node, "type", self.rule, types, attributes)
        found = typed(made, types[0].dtype if types else "float32")
        if found is None or len(found) != 1 or any(size < 0 for size in found[0][0]):
            raise UsageError(
                f"operator {self.name}: its type returned {made!r} for {node}, {place_of(self.rule)}; return a shape,"
                " or (shape, dtype)"
            )
        return found[0]

    def _broadcast(self, node: str, types: Sequence[TensorType]) -> Type:
        for each in types:
            if each.dtype != "float32":
                raise NetworkError(f"{node}: {self.name} takes float32, not {each.dtype}; a cast before it works")
        try:
            return np.broadcast_shapes(*(each.shape for each in types)), "float32"
        except ValueError:
            shapes = " and ".join(str(each.shape) for each in types)
            raise NetworkError(f"{node}: {self.name} takes shapes that can be broadcast, not {shapes}") from None

    def _made(self, node: str, made: Any) -> Any:
        if not isinstance(made, (_fovea.Expression, int, float)):
            raise UsageError(
                f"operator {self.name}: returned a {type(made).__name__} for {node}, {self.place};"
                " return an expression"
            )
        return made

    def element(self, node: str, values: Sequence[Any], attributes: dict[str, Any]) -> Any:
        return self._made(node, self._call(node, "definition", self.function, *values, **attributes))

    def define(self, node: str, definition: _fovea.Definition, attributes: dict[str, Any]) -> Any:
        if self.rule is None:
            elements = [definition.broadcast(i) for i in range(self.count)]
            return self.element(node, elements, attributes)
        return self._made(node, self._call(node, "definition", self.function, definition, **attributes))


class Operator:
    """An operator of yours. Made by `operator`; `ir.Builder.call` takes it where a name stands."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        inputs: Sequence[str],
        attributes: Mapping[str, Attribute],
        onnx: str,
        type_rule: Optional[Callable[..., Any]],
    ) -> None:
        self.name = name
        self.function = function
        self.inputs = tuple(inputs)
        self.attributes = dict(attributes)  #: The defaults.
        self.onnx = onnx
        self._rule = type_rule
        self.place = place_of(function)
        self._check()

    def _check(self) -> None:
        if re.fullmatch(r"[a-z_]\w*(\.[a-z_]\w*)*", self.name) is None:
            raise UsageError(f"operator {self.name}: no name, {self.place}; such as mine.swish works")
        expected: list[Any] = [None] * (len(self.inputs) if self._rule is None else 1)
        try:
            inspect.signature(self.function).bind(*expected, **self.attributes)
            if self._rule is not None:
                inspect.signature(self._rule).bind([], {})
        except TypeError:
            takes = inspect.signature(self.function)
            what = ", ".join([*(self.inputs if self._rule is None else ["b"]), *self.attributes])
            raise UsageError(
                f"operator {self.name}: takes {takes}, {self.place}; it is called with ({what})"
                + ("" if self._rule is None else ", and its type with (inputs, attributes)")
            ) from None
        for name, value in self.attributes.items():
            is_list = isinstance(value, list) and all(isinstance(each, int) for each in value)
            if not (is_list or isinstance(value, (int, float, str))):
                raise UsageError(
                    f"operator {self.name}: attribute {name}={value!r}, {self.place}; an integer, a number, a text or a"
                    " list of integers works"
                )

    @cached_property
    def native(self) -> _fovea.OwnOperator:
        """What the compiler takes."""
        functions = _Functions(self.name, self.function, len(self.inputs), self._rule, self.place)
        return _fovea.OwnOperator(
            self.name,
            list(self.inputs),
            self.attributes,
            self._rule is None,
            self.onnx,
            self.place,
            functions.type,
            functions.element,
            functions.define,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Operator, (self.name, self.function, self.inputs, self.attributes, self.onnx, self._rule)

    def __repr__(self) -> str:
        return f"<Operator {self.name}({', '.join([*self.inputs, *self.attributes])})>"


def operator(
    name: str,
    function: Optional[Callable[..., Any]] = None,
    *,
    inputs: Optional[Sequence[str]] = None,
    attributes: Optional[Mapping[str, Attribute]] = None,
    onnx: str = "",
    type: Optional[Callable[..., Any]] = None,  # pylint: disable=redefined-builtin
) -> Any:
    """Makes a function of expressions an operator, or decorates one.

    Without `type`, the function is of one element of each input, broadcast as numpy does it, of float32. With `type`,
    called with the inputs' TensorTypes and the attributes, and returning a shape or (shape, dtype), it is called with a
    Definition, and returns the value at `places` of the result. attributes: names and defaults, which the function
    takes by name. inputs: their names, in the order of the ONNX node's; without `type`, the function's parameters.
    onnx: the ONNX operator that is imported as this one, with its domain.

    >>> from fovea.expressions import sigmoid
    >>> swish = operator("mine.swish", lambda x, beta: x * sigmoid(beta * x), attributes={"beta": 1.0})
    >>> swish
    <Operator mine.swish(x, beta)>
    """
    given = dict(attributes or {})

    def make(made: Callable[..., Any]) -> Operator:
        names = inputs
        if names is None:
            names = (
                [each for each in inspect.signature(made).parameters if each not in given] if type is None else ["x"]
            )
        return Operator(name, made, names, given, onnx, type)

    return make if function is None else make(function)


def natives(operators: Sequence[Operator]) -> list[_fovea.OwnOperator]:
    """What the compiler takes. Raises UsageError for what is none, or given twice."""
    for each in operators:
        if not isinstance(each, Operator):
            raise UsageError(f"operators={each!r}: no operator; fovea.operator makes one of a function")
    for names in ([each.name for each in operators], [each.onnx for each in operators if each.onnx]):
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"operator {name}: given twice; leave one out")
    return [each.native for each in operators]
