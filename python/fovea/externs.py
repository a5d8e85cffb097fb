# SPDX-License-Identifier: Apache-2.0
"""Operators that are C functions of yours."""
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from numpy.typing import NDArray

from . import _fovea
from .errors import UsageError
from .inputs import FilePath
from .places import place_of, raised_in, typed


class ExternInput(NamedTuple):
    """An input of a node, as a shape function is told of it."""

    shape: tuple[int, ...]
    dtype: str
    value: Optional[NDArray[Any]]  #: Of a constant.


@dataclass(frozen=True)
class Extern:
    """An operator that Fovea has not, bound to a C function of its name (driver/runtime/dla_extern.h).

    shape: called with a node's inputs, each an ExternInput or None, and its attributes, a dict. It returns the shape of
    the output, or (shape, dtype), or a list of these, one an output. A shape alone has the first input's elements.
    Without it, comments in the C file say the shapes (`// output: float32 [x0[0], k]`), or the ONNX file.
    """

    op: str  #: With its domain where that is not ONNX's own: "com.microsoft.Inverse".
    source: FilePath  #: The C file.
    shape: Optional[Callable[[list[Optional[ExternInput]], dict[str, Any]], Any]] = None

    def native(self) -> _fovea.Extern:
        """What the compiler takes."""
        made = _fovea.Extern(self.op, os.fspath(self.source))
        if self.shape is not None:
            made.set_types(self._types)
        return made

    def _types(
        self, node: str, inputs: Sequence[Any], attributes: str, outputs: int
    ) -> list[tuple[tuple[int, ...], str]]:
        assert self.shape is not None
        place = place_of(self.shape)
        given = [None if each is None else ExternInput(tuple(each[0]), *each[1:]) for each in inputs]
        first = next((each.dtype for each in given if each is not None), "float32")
        with raised_in(f"the shape function of {self.op} for the node {node}, {place}"):
            made = self.shape(given, json.loads(attributes))
        types = typed(made, first)
        if types is None or len(types) < outputs or any(size < 1 for shape, _ in types for size in shape):
            raise UsageError(
                f"extern {self.op}: its shape function returned {made!r} for the node {node}, {place}; return a shape"
                f" of numbers above 0, or (shape, dtype), for each of its {outputs} outputs"
            )
        return types


def natives(externs: Sequence[Extern]) -> list[_fovea.Extern]:
    """What the compiler takes. Raises UsageError for what is none, or given twice."""
    for each in externs:
        if not isinstance(each, Extern):
            raise UsageError(f'externs={each!r}: no operator of C; fovea.Extern("TopK2", "my_topk.c") works')
    ops = [each.op for each in externs]
    for op in ops:
        if ops.count(op) > 1:
            raise UsageError(f"extern {op}: bound twice; leave one out")
    return [each.native() for each in externs]
