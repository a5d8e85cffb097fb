# SPDX-License-Identifier: Apache-2.0
"""Targets of your own, beside the accelerator: which layers they take, what those cost there, and what is emitted."""
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _fovea
from ._fovea import TargetLayer
from .errors import UsageError, choose, listed
from .inputs import FilePath
from .patterns import Fusion
from .places import place_of as written_at, raised_in

__all__ = ["Call", "Target", "TargetLayer"]

#: Of layers that are computed in Python: what each is, and the function of its inputs.
Computed = dict[str, tuple[TargetLayer, Callable[[tuple[NDArray[Any], ...]], NDArray[Any]]]]


class Call:
    """What a target emits for a layer: a C expression that is a dla_status_t.

    text: with fields, $input or ${input}; docs/tutorials/target.md has them all. constants: arrays that the call alone
    needs, such as weights in another order; each is a field of its name.

    >>> Call("my_gemm(rt, $input, $columns, $output)", columns=np.zeros((4, 2), np.int8)).constants["columns"].shape
    (4, 2)
    """

    def __init__(self, text: str, **constants: Any) -> None:
        self.text = text
        self.constants = constants


class Target:
    """A place that runs layers: make a class of it, and give `fovea.compile` an object in targets=[...].

    Either `emit` says what C calls, or `compute` computes a layer in Python. All that it says of a layer follows from
    the layer alone: it may be asked more than once.
    """

    #: In the IR, tables and summaries. Letters, digits and _.
    name: str = ""
    #: Fusions of your own, whose layers it takes; "<name>.<something>" each.
    fusions: Sequence[Fusion] = ()
    #: Composites of the compiler's that it takes, such as "qlinear_relu". With none of both, all are offered.
    accepts: Sequence[str] = ()
    #: A C header that calls need. Paths are relative to the file that the class is written in.
    header: Optional[FilePath] = None
    #: C files that are compiled with the network, and headers that those need.
    sources: Sequence[FilePath] = ()
    #: compute(layer, *inputs): the layer's output, of its inputs: arrays of `layer.inputs`, not copied, for reading. A
    #: tuple of arrays where it has several results.
    compute: Optional[Callable[..., NDArray[Any]]] = None

    def refuse(self, layer: TargetLayer) -> Optional[str]:
        """Why it can't run a layer, in one clause; None where it can."""
        del layer
        return None

    def cost(self, layer: TargetLayer) -> Optional[int]:
        """Cycles that a layer takes, at the accelerator's clock. Of several targets the cheapest runs it; without a
        cost, the first that takes it."""
        del layer
        return None

    def cycles(self, layer: TargetLayer) -> Optional[int]:
        """Cycles for tables, where the call counts none (rt->target_cycles)."""
        return self.cost(layer)

    def emit(self, layer: TargetLayer) -> Union[str, Call]:
        """The call in C."""
        raise UsageError(f"target {self.name}: has no emit for {layer.name}; write one, or compute")


def _overrides(target: Target, method: str) -> bool:
    return getattr(type(target), method) is not getattr(Target, method)


def place_of(target: Target) -> str:
    """Where it is written, "mine.py:12": what it emits, or the first of its methods."""
    for method in ("emit", "compute", "refuse", "cost", "cycles"):
        if _overrides(target, method):
            return written_at(getattr(target, method))
    return type(target).__module__


def checked(target: Target, method: str, check: Callable[[Any], bool], wanted: str) -> Callable[..., Any]:
    """A method, whose results are checked and whose exceptions say where it is."""
    function = getattr(target, method)
    what, place = f"target {target.name}: {method}", written_at(function)

    def call(*arguments: Any) -> Any:
        with raised_in(f"{method} of the target {target.name}, {place}"):
            result = function(*arguments)
        if not check(result):
            shown = (
                f"an array of {result.dtype} {list(result.shape)}" if isinstance(result, np.ndarray) else repr(result)
            )
            raise UsageError(f"{what} returned {shown} for {arguments[0].name}, {place}; return {wanted}")
        return result

    return call


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 0


def _refuse(target: Target) -> Callable[[TargetLayer], Optional[str]]:
    own = checked(
        target,
        "refuse",
        lambda result: result is None or (isinstance(result, str) and bool(result.strip())),
        "a sentence, or None",
    )
    takes = [*target.accepts, *(fusion.name for fusion in target.fusions)]

    def refuse(layer: TargetLayer) -> Optional[str]:
        if takes and layer.composite not in takes:
            return f"takes {listed(takes)}, not {layer.composite}"
        reason: Optional[str] = own(layer)
        return reason

    return refuse


def _count(target: Target, method: str) -> Callable[[TargetLayer], Optional[int]]:
    own = checked(target, method, lambda result: result is None or _is_count(result), "cycles, 0 or more, or None")

    def count(layer: TargetLayer) -> Optional[int]:
        result = own(layer)
        return None if result is None else int(result)

    return count


def _emit(target: Target, computed: Computed) -> Callable[..., Any]:
    file, _, line = place_of(target).rpartition(":")
    if _overrides(target, "compute"):

        def hold(layer: TargetLayer) -> tuple[str, dict[str, Any], str, int]:
            computed[layer.name] = (layer, _compute(target, layer))
            inputs = ", ".join(f"$input{i}" for i in range(len(layer.inputs)))
            fields = f".target = $target, .layer = $name, .inputs = {{{inputs}}}, .input_count = {len(layer.inputs)}u"
            return (
                f"dla_compute_target(rt, &(const struct dla_target_call){{{fields}, .output = $outputs}})",
                {},
                file,
                0,
            )

        return hold
    own = checked(
        target, "emit", lambda result: isinstance(result, (str, Call)) and bool(result), "a C call, or a fovea.Call"
    )

    def emit(layer: TargetLayer) -> tuple[str, dict[str, Any], str, int]:
        result = own(layer)
        call = result if isinstance(result, Call) else Call(result)
        return call.text.strip().rstrip(";"), call.constants, file, int(line)

    return emit


def _compute(target: Target, layer: TargetLayer) -> Callable[[tuple[NDArray[Any], ...]], NDArray[Any]]:
    def is_output(result: Any, output: tuple[tuple[int, ...], str]) -> bool:
        shape, dtype = output
        return isinstance(result, np.ndarray) and result.dtype == dtype and result.size == np.prod(shape)

    def are_outputs(results: Any) -> bool:
        return len(results) == len(layer.outputs) and all(map(is_output, results, layer.outputs))

    is_several = len(layer.outputs) > 1
    wanted = " and ".join(f"an array of {dtype} {list(shape)}" for shape, dtype in layer.outputs)
    own = checked(
        target,
        "compute",
        lambda result: isinstance(result, tuple) and are_outputs(result) if is_several else are_outputs([result]),
        f"a tuple of {wanted}" if is_several else wanted,
    )

    def compute(inputs: tuple[NDArray[Any], ...]) -> NDArray[Any]:
        result = own(layer, *inputs)
        if not is_several:
            return np.ascontiguousarray(result)
        size, offsets = layer._packed
        packed = np.zeros(size, np.uint8)
        for array, offset in zip(result, offsets):
            packed[offset : offset + array.nbytes] = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
        return packed

    return compute


def _folder_of(target: Target, attribute: str) -> Path:
    """Of the file that has the class with an attribute; of a notebook's, where it runs."""
    owner = next((each for each in type(target).__mro__ if attribute in vars(each)), type(target))
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    return Path(file).resolve().parent if file else Path()


def _files(target: Target) -> tuple[str, dict[str, str]]:
    """The header's name, and texts by the names that files have beside model.c."""
    place = place_of(target)
    texts: dict[str, str] = {}
    paths = [] if target.header is None else [_folder_of(target, "header") / target.header]
    paths += [_folder_of(target, "sources") / path for path in target.sources]
    for path in paths:
        try:
            text = path.read_text()
        except OSError as error:
            raise UsageError(
                f"target {target.name}: {path}: {error.strerror}, {place}; paths are relative to the file of the class"
            ) from None
        line = f'#line 1 "{path}"\n'
        texts[f"extern_{target.name}_{path.stem}.c" if path.suffix == ".c" else path.name] = line + text
    return ("" if target.header is None else paths[0].name), texts


def native(target: Target, computed: Computed) -> _fovea.AddedTarget:
    """What the compiler takes. computed: gets what computes each of its layers in Python, by their names."""
    if not isinstance(target, Target):
        raise UsageError(f"targets={target!r}: no target; give an object of a class of fovea.Target")
    place = place_of(target)
    if _overrides(target, "emit") == _overrides(target, "compute"):
        raise UsageError(f"target {target.name}: has both or none of emit and compute, {place}; write one of them")
    for name in target.accepts:
        try:
            choose("accepts", name, _fovea.composites)
        except UsageError as error:
            raise UsageError(f"target {target.name}: {error}, {place}") from None
    for fusion in target.fusions:
        if not isinstance(fusion, Fusion) or not fusion.name.startswith(target.name + "."):
            raise UsageError(
                f"target {target.name}: {fusion!r} among its fusions, {place}; make fovea.Fusion objects, named"
                f" {target.name}.<something>"
            )
    header, files = _files(target)
    made = _fovea.AddedTarget(
        target.name,
        place,
        header,
        files,
        _refuse(target),
        _count(target, "cost"),
        _count(target, "cycles"),
        _emit(target, computed),
    )
    made.check()
    return made
