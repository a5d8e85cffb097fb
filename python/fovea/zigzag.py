# SPDX-License-Identifier: Apache-2.0
"""Layers and mappings as ZigZag has them: entries of a workload and of a mapping file (docs/timeloop.md).

ZigZag's files have loops, and no levels: it allocates them to memories as far inside as they fit. So a mapping is read
from the inside out, and what only Timeloop's levels tell apart is the innermost of the two.
"""
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from .errors import MappingError
from .machine import Machine
from .timeloop import NAMES, OUTER, OUTER_LETTERS, TENSORS, Level, Loop, Nest
from .yaml_files import check_form, import_yaml

LETTERS = {"B": "N", "K": "M", "C": "C", "OY": "Q", "OX": "P", "FY": "S", "FX": "R", "G": "G"}
OURS = {ours: theirs for theirs, ours in LETTERS.items()}
EQUATION = "O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]"
#: Loops from the inside out: in a PE, then those over tiles.
INNER = ("C", "M", "P")
WORKLOAD = [
    {
        "id": int,
        "operator_type": str,
        "equation": str,
        "dimension_relations": [str],
        "loop_dims": [str],
        "loop_sizes": [int],
    }
]
MAPPING = [{"name": str, "spatial_mapping": {}, "temporal_ordering": [list]}]


def read_lists(paths: Sequence[Path]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The workload and the mapping of two files, in any order. Raises MappingError that names a file."""
    yaml = import_yaml("ZigZag's files")
    found: dict[str, list[dict[str, Any]]] = {}
    for path in paths:
        try:
            value = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError):
            raise MappingError(
                f"{path}: cannot be read as YAML; expected a workload or a mapping of ZigZag's"
            ) from None
        is_list = isinstance(value, list) and value and all(isinstance(each, dict) for each in value)
        kind = "workload" if is_list and "loop_dims" in value[0] else "mapping"
        if not is_list or kind in found:
            raise MappingError(f"{path}: not a list of ZigZag's, or a second {kind}; a workload and a mapping work")
        check_form(value, WORKLOAD if kind == "workload" else MAPPING, kind)
        found[kind] = value
    for kind in ("workload", "mapping"):
        if kind not in found:
            raise MappingError(f"{', '.join(map(str, paths))}: no {kind}; give its file too")
    return found["workload"], found["mapping"]


def read_layer(
    workload: Sequence[Mapping[str, Any]], number: Optional[int]
) -> tuple[str, dict[str, int], tuple[int, int]]:
    """Operator type, sizes by Timeloop's letters and strides of the layer of this id. Raises MappingError."""
    ids = [layer.get("id") for layer in workload]
    number = ids[0] if number is None and len(ids) == 1 else number
    if number not in ids:
        raise MappingError(f"workload: no layer {number}; there are {', '.join(map(str, ids))}")
    layer = workload[ids.index(number)]
    place = f"workload: layer {number}"
    dims, sizes = layer.get("loop_dims") or [], layer.get("loop_sizes") or []
    if "".join(str(layer.get("equation")).split()) != EQUATION or len(dims) != len(sizes):
        raise MappingError(f"{place}: {layer.get('operator_type')}: its equation is not {EQUATION}")
    if unknown := [dim for dim in dims if dim not in LETTERS]:
        raise MappingError(f"{place}: loop {unknown[0]}: the machine runs convolutions, of {', '.join(LETTERS)}")
    found = dict.fromkeys(NAMES, 1) | {LETTERS[dim]: size for dim, size in zip(dims, sizes)}
    if wrong := [dim for dim, size in zip(dims, sizes) if size < 1]:
        raise MappingError(f"{place}: loop {wrong[0]} has no turns")
    relations = {"".join(relation.split()) for relation in layer.get("dimension_relations") or []}
    strides = []
    for row in "yx":
        fitting = [stride for stride in range(1, 8) if f"i{row}={stride}*o{row}+1*f{row}" in relations]
        if not fitting:
            raise MappingError(f"{place}: dimension_relations: no i{row}=U*o{row}+1*f{row} of a stride from 1 to 7")
        strides.append(fitting[0])
    return str(layer.get("operator_type")), found, (strides[0], strides[1])


def _spatial(entry: Mapping[str, Any], place: str) -> Iterator[tuple[str, int]]:
    for dimension, loops in (entry.get("spatial_mapping") or {}).items():
        for loop in loops if isinstance(loops, list) else [loops]:
            dim, _, size = str(loop).partition(",")
            if dim.strip() not in LETTERS or not size.strip().isdigit() or int(size) < 1:
                raise MappingError(f"{place}: spatial_mapping: {dimension}: {loop!r}; such as K, 32 works")
            yield LETTERS[dim.strip()], int(size)


def _temporal(entry: Mapping[str, Any], place: str) -> Iterator[tuple[str, int]]:
    """Outermost loops last, as the file has them."""
    for loop in entry.get("temporal_ordering") or []:
        if len(loop) != 2 or str(loop[0]) not in LETTERS or not isinstance(loop[1], int) or loop[1] < 1:
            raise MappingError(f"{place}: temporal_ordering: {loop}; such as [OX, 112] works")
        yield LETTERS[str(loop[0])], loop[1]


def nest_of(
    workload: Sequence[Mapping[str, Any]],
    mappings: Sequence[Mapping[str, Any]],
    machine: Machine,
    *,
    layer: Optional[int] = None,
    resident: bool = True,
) -> Nest:
    """A layer's loops, given the machine's levels. resident: whether chunks of channels turn inside the memory of the
    ifmap. Raises MappingError that names a loop."""
    kind, sizes, strides = read_layer(workload, layer)
    names = [entry.get("name") for entry in mappings]
    entry = mappings[names.index(kind if kind in names else "default")] if {kind, "default"} & {*names} else None
    if entry is None:
        raise MappingError(f"mapping: no entry {kind} or default; there are {', '.join(map(str, names))}")
    place = f"mapping: {entry.get('name')}"
    levels = [Level("DRAM", frozenset(TENSORS)), Level("GLB", frozenset(TENSORS))]
    levels += [Level("array", frozenset(), (machine.pes, 1)), Level("PE", frozenset(TENSORS))]
    across = [Loop(letter, size, size, "array", "X") for letter, size in _spatial(entry, place) if size > 1]
    slots, inside, outside, at = [*INNER, *reversed(OUTER_LETTERS)], [], [], 0
    for letter, size in _temporal(entry, place):
        if size == 1:
            continue
        loop = Loop(letter, size, size, "PE")
        if letter == "R" and at == 0:
            inside.append(loop)
            continue
        slot = next((slot for slot in range(at, len(slots)) if slots[slot] == letter), None)
        if slot is None:
            raise MappingError(
                f"{place}: temporal_ordering: [{OURS[letter]}, {size}] ({NAMES[letter]}) stands outside of loops that "
                "the machine has around it; from the inside its order is FX, C, K, OX, OY, K, FY, C, K, G, OY"
            )
        at = slot + (slot > 0)  # FX may follow C in a PE.
        if slot < len(INNER):
            inside.append(loop)
            continue
        around = OUTER[len(slots) - 1 - slot]
        is_dram = around in ("row tiles", "groups", "filter tiles") or (around == "chunks" and not resident)
        outside.append(loop._replace(level="DRAM" if is_dram else "GLB"))
    loops = [*reversed(outside), *across, *reversed(inside)]
    for letter, size in sizes.items():
        product = 1
        for loop in loops:
            product *= loop.turns if loop.letter == letter else 1
        if product != size:
            raise MappingError(f"{place}: loops {OURS[letter]} have {product} turns in all, and the layer has {size}")
    return Nest(levels, loops, sizes, strides)


def to_yaml(nest: Nest, name: str) -> dict[str, str]:
    """Texts of workload.yaml and mapping.yaml, by name. Raises MappingError for a loop with a remainder, which ZigZag
    has not."""
    if uneven := [loop for loop in nest.loops if loop.last != loop.turns]:
        raise MappingError(f"{uneven[0]}: ZigZag's loops have no remainders")
    if nest.sizes["G"] > 1:
        raise MappingError(f"the layer has {nest.sizes['G']} groups of channels: they have another equation in ZigZag")
    dims = [OURS[letter] for letter in "NMCQPSR"]
    workload = {
        "id": 0,
        "operator_type": name,
        "equation": EQUATION,
        "dimension_relations": [f"ix={nest.strides[1]}*ox+1*fx", f"iy={nest.strides[0]}*oy+1*fy"],
        "loop_dims": dims,
        "loop_sizes": [nest.sizes[letter] for letter in "NMCQPSR"],
        "operand_precision": {"W": 8, "I": 8, "O": 32, "O_final": 8},
        "operand_source": {"I": 0, "W": 0},
    }
    turning = [loop for loop in nest.loops if loop.turns > 1]
    spatial = {
        dimension: [f"{OURS[loop.letter]}, {loop.turns}" for loop in turning if loop.axis == axis]
        for dimension, axis in (("D1", "X"), ("D2", "Y"))
    }
    mapping = {
        "name": name,
        "spatial_mapping": {dimension: loops for dimension, loops in spatial.items() if loops},
        "temporal_ordering": [[OURS[loop.letter], loop.turns] for loop in reversed(turning) if not loop.axis],
        "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"},
    }
    yaml = import_yaml("ZigZag's files")
    return {
        f"{part}.yaml": yaml.safe_dump([entry], sort_keys=False, width=120)
        for part, entry in (("workload", workload), ("mapping", mapping))
    }
