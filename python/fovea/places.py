# SPDX-License-Identifier: Apache-2.0
"""What a person's functions are called in messages, and what they return of types."""
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Optional

Type = tuple[tuple[int, ...], str]  #: Shape and elements.


def place_of(function: Callable[..., Any], otherwise: str = "a built-in function") -> str:
    """Where a function is written: "mine.py:12". otherwise: of one that isn't written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return otherwise if code is None else f"{code.co_filename}:{code.co_firstlineno}"


@contextmanager
def raised_in(what: str) -> Iterator[None]:
    """Notes in an exception which function of a person's raised it, and where: "refuse of mine.conv, mine.py:12"."""
    try:
        yield
    except Exception as error:
        error.add_note(f"raised in {what}")
        raise


def _shape(value: Any) -> Optional[tuple[int, ...]]:
    try:
        sizes = tuple(value)
        return tuple(size.__index__() for size in sizes)
    except (AttributeError, TypeError):
        return None


def typed(value: Any, dtype: str) -> Optional[list[Type]]:
    """The types that a shape, a (shape, dtype), or a list of these says; None where it is nothing of the kind.

    >>> typed((1, 2), "int8"), typed(((1, 2), "bool"), "int8"), typed([(1,), ((), "int64")], "int8")
    ([((1, 2), 'int8')], [((1, 2), 'bool')], [((1,), 'int8'), ((), 'int64')])
    """
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
        shape = _shape(value[0])
        return None if shape is None else [(shape, value[1])]
    shape = _shape(value)
    if shape is not None and not (isinstance(value, list) and not value):
        return [(shape, dtype)]
    if not isinstance(value, (list, tuple)):
        return None
    types = [typed(each, dtype) for each in value]
    return None if None in types else [each[0] for each in types if each is not None]
