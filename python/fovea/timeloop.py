# SPDX-License-Identifier: Apache-2.0
"""Mappings as Timeloop has them: a machine, a layer and its mapping as YAML, and back (docs/timeloop.md).

Timeloop's letters are not ours: its Q and S are output and filter rows, its P and R are columns.
"""
import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

from .errors import MappingError
from .machine import Machine
from .yaml_files import check_form, import_yaml

VERSION = 0.4  #: Of Timeloop's format.
TENSORS = {"Weights": "GCMRS", "Inputs": "GCPQRS", "Outputs": "GMPQ"}  #: Loops that each tensor knows.
#: What its letters are called here.
NAMES = {
    "G": "groups of channels",
    "C": "input channels",
    "M": "filters",
    "Q": "output rows",
    "P": "output columns",
    "S": "filter rows",
    "R": "filter columns",
    "N": "pictures",
}
#: The machine's loops over tiles, outermost first, and those in a PE.
OUTER = ("row tiles", "groups", "filter tiles", "chunks", "folds", "filter groups", "strips")
OUTER_LETTERS = "QGMCSMQ"
ORDER = "Q (row tiles), G, M (filter tiles), C, S, M (filters of a pass), Q (strips)"
#: Fields of a mapping that loops do not say, as variables of the file, and what they are without one.
UNSAID = {"filter_buffers": 0, "stay": 0, "fold_rows": 0}


class Loop(NamedTuple):
    """One loop of a nest."""

    letter: str  #: Timeloop's.
    turns: int
    last: int  #: Turns in the last turn of the loops around it; in others it has `turns`.
    level: str  #: Name of the level.
    axis: str = ""  #: "X" or "Y", across PEs, or "": one turn after another.

    def __str__(self) -> str:
        kind = f"spatial {self.axis}" if self.axis else "temporal"
        rest = f",{self.last}" if self.last != self.turns else ""
        meaning = NAMES.get(self.letter, "not one of a convolution")
        return f"{kind} loop {self.letter}={self.turns}{rest} ({meaning}) at {self.level}"


class Level(NamedTuple):
    """A memory, or PEs side by side."""

    name: str
    keeps: frozenset[str]  #: Tensors.
    mesh: tuple[int, int] = (1, 1)  #: Copies along X and Y of all that is inside.
    bandwidth: tuple[float, float] = (math.inf, math.inf)  #: Elements a cycle, read and written, of each copy.


class Nest(NamedTuple):
    """A mapping: levels from the outermost to the innermost, and their loops, outermost first."""

    levels: list[Level]
    loops: list[Loop]
    sizes: dict[str, int]  #: Of the problem, by Timeloop's letters.
    strides: tuple[int, int]  #: Down the rows and along them.


def count_passes(shape: Mapping[str, Any]) -> dict[str, int]:
    """Sizes of the loops that the machine goes through for a shape, by Timeloop's letters: with a pool, outputs under
    its whole windows."""

    def outputs(size: int, pads: int, kernel: int, stride: int) -> int:
        unpooled = (size + pads - kernel) // stride + 1
        if not shape.get("pool"):
            return unpooled
        window, step = 3 if shape.get("pool_size") == 3 else 2, shape.get("pool_stride") or 2
        return (unpooled - window) // step * step + window

    return {
        "N": 1,
        "G": max(1, shape.get("G", 0)),
        "C": shape["C"],
        "M": shape["M"],
        "R": shape["S"],
        "S": shape["R"],
        "P": outputs(shape["W"], shape["pad_left"] + shape["pad_right"], shape["S"], shape["V"]),
        "Q": outputs(shape["H"], shape["pad_top"] + shape["pad_bottom"], shape["R"], shape["U"]),
    }


def default_fold_rows(machine: Machine, filter_rows: int) -> int:
    """Filter rows of a pass where the mapping does not say: as few folds as the array has rows for, cut evenly."""
    return math.ceil(filter_rows / math.ceil(filter_rows / machine.rows))


# Writing


def _cut(name: str, size: int, counts: Sequence[int]) -> list[tuple[int, int]]:
    """(count, last) of the loops that cut `size`, outermost first; each turn of the innermost is an element.

    Raises MappingError where a tile that is not the last has a remainder.
    """
    steps = [math.prod(counts[place + 1 :]) for place in range(len(counts))]
    found, rest = [], size
    for count, step in zip(counts, steps):
        last = math.ceil(rest / step)
        rest -= (last - 1) * step
        found.append((count, last))
    if rest != 1 or any(last > count for count, last in found):
        raise MappingError(
            f"{name}: {size} in loops of {' x '.join(map(str, counts))} has a remainder that is not the last"
        )
    return found


def _whole(name: str, of: str, tile: int, step: int, tiles: int) -> int:
    if tiles > 1 and tile % step != 0:
        raise MappingError(
            f"{name}={tile} is no multiple of {of}={step}, and there are {tiles} tiles of it: of Timeloop's loops only "
            "the last tile has a remainder"
        )
    return math.ceil(tile / step)


def _sets(machine: Machine, mapping: Mapping[str, Any], fold_rows: int) -> Optional[tuple[int, int]]:
    """PE sets for other filters, side by side and below each other; None where they are no rectangle."""
    high, wide = machine.rows // (fold_rows * mapping["r"]), machine.cols // mapping["e"]
    for beside in range(min(wide, mapping["t"]), 0, -1):
        if mapping["t"] % beside == 0 and mapping["t"] // beside <= high:
            return beside, mapping["t"] // beside
    return None


def nest_of(machine: Machine, shape: Mapping[str, Any], mapping: Mapping[str, Any]) -> Nest:
    """A mapping of the machine as Timeloop's loops. Raises MappingError that names what it can't say."""
    if mapping.get("g"):
        raise MappingError(
            f"g={mapping['g']}: groups of channels inside a PE tie loops together, which Timeloop's are not"
        )
    if shape.get("pool") and (shape.get("pool_size") == 3) != (shape.get("pool_stride", 0) == 3):
        raise MappingError("the layer's pool has windows that overlap or leave rows out; Timeloop's tiles do neither")
    sizes = count_passes(shape)
    E, M = sizes["Q"], sizes["M"]
    m, e, p, q, r, t = (mapping[letter] for letter in "mepqrt")
    fold_rows = mapping.get("fold_rows") or default_fold_rows(machine, shape["R"])
    row_tiles, filter_tiles = math.ceil(E / mapping["e_glb"]), math.ceil(M / m)
    strips = _whole("e_glb", "e", min(mapping["e_glb"], E), e, row_tiles)
    filter_groups = _whole("m", "p*t", min(m, M), p * t, filter_tiles)
    sets = _sets(machine, mapping, fold_rows)
    cuts = {
        "Q": _cut("output rows", E, (row_tiles, strips, e)),
        "G": [(sizes["G"], sizes["G"])],
        "M": _cut("filters", M, (filter_tiles, filter_groups, *(sets or (t,)), p)),
        "C": _cut("input channels", shape["C"], (math.ceil(shape["C"] / (q * r)), r, q)),
        "S": _cut("filter rows", shape["R"], (math.ceil(shape["R"] / fold_rows), fold_rows)),
        "P": [(sizes["P"], sizes["P"])],
        "R": [(sizes["R"], sizes["R"])],
    }
    takers = {letter: iter(cut) for letter, cut in cuts.items()}

    def take(level: str, letters: str, axis: str = "") -> list[Loop]:
        return [Loop(letter, *next(takers[letter]), level, axis) for letter in letters]

    # Where each tensor's tile in the GLB begins: the number of loops outside.
    all_stay = mapping.get("stay", 0) > 0 and _holds_all(mapping, cuts)
    begins = {"Inputs": 2 if mapping["ifmap_resident"] else 4, "Outputs": 3, "Weights": 0 if all_stay else 6}
    order = sorted(begins, key=lambda tensor: begins[tensor])
    word = (float(machine.bus_bytes),) * 2
    lanes = (float(machine.psum_lanes),) * 2
    rates = {
        "Inputs": (float(machine.ifmap_bytes_per_cycle * machine.cols), word[1]),
        "Weights": (float(machine.filter_bytes_per_cycle), word[1]),
        "Outputs": lanes,
    }
    levels = [Level("DRAM", frozenset(TENSORS), bandwidth=word)]
    loops = take("DRAM", OUTER_LETTERS[: begins[order[0]]])
    for place, tensor in enumerate(order):
        name = f"glb_{tensor.lower()}"
        end = begins[order[place + 1]] if place + 1 < len(order) else len(OUTER)
        levels.append(Level(name, frozenset({tensor}), bandwidth=rates[tensor]))
        loops += take(name, OUTER_LETTERS[begins[tensor] : end])
    if sets:
        levels.append(Level("column", frozenset(), mesh=(machine.cols, 1)))
        loops += take("column", "QM", "X")
        levels.append(Level("PE", frozenset(), mesh=(1, machine.rows)))
        loops += take("PE", "MCS", "Y")
    else:  # All PEs in a row, as spatial loops are rectangles.
        levels.append(Level("PE", frozenset(), mesh=(machine.pes, 1)))
        loops += take("PE", "QMCS", "X")
    for tensor, letters in (("Weights", "P"), ("Inputs", "M"), ("Outputs", "CR")):
        name = {"Weights": "filter_spad", "Inputs": "ifmap_spad", "Outputs": "psum"}[tensor]
        levels.append(Level(name, frozenset({tensor})))
        loops += take(name, letters)
    return Nest(levels, loops, sizes, (shape["U"], shape["V"]))


def _holds_all(mapping: Mapping[str, Any], cuts: Mapping[str, list[tuple[int, int]]]) -> bool:
    """Whether all filter chunks of a row tile have a buffer each, in which they stay."""
    (tiles, last), (groups, last_groups) = cuts["M"][:2]
    in_all = (tiles - 1) * groups + last_groups if last == tiles else last
    chunks = cuts["G"][0][0] * cuts["C"][0][1] * cuts["S"][0][1] * in_all
    return bool(chunks <= mapping["filter_buffers"])


def _directives(nest: Nest) -> Iterator[dict[str, Any]]:
    letters = [letter for letter in "RSPQCMNG" if letter != "G" or nest.sizes["G"] > 1]
    for level in nest.levels:
        loops = [loop for loop in nest.loops if loop.level == level.name]
        is_spatial = level.mesh != (1, 1)
        if not is_spatial:
            yield {
                "target": level.name,
                "type": "dataspace",
                "keep": [tensor for tensor in TENSORS if tensor in level.keeps],
                "bypass": [tensor for tensor in TENSORS if tensor not in level.keeps],
            }
        named = {loop.letter: loop for loop in loops}
        counts = [
            f"{letter}={named[letter].turns}"
            + (f",{named[letter].last}" if named[letter].last != named[letter].turns else "")
            if letter in named
            else f"{letter}=1"
            for letter in letters
        ]
        # Timeloop lists the innermost loop first.
        order = [loop.letter for loop in reversed(loops) if loop.letter in letters]
        rest = [letter for letter in letters if letter not in order]
        directive = {"target": level.name, "type": "spatial" if is_spatial else "temporal", "factors": counts}
        yield {
            **directive,
            "permutation": order + rest,
            **({"split": len(letters) if level.mesh[0] > 1 else 0} if is_spatial else {}),
        }


def problem_of(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A layer as Timeloop's problem."""
    sizes = count_passes(shape)
    grouped = ["G"] if sizes["G"] > 1 else []
    instance = {letter: sizes[letter] for letter in [*"CMRSNPQ", *grouped]}
    strides = {"Hstride": shape["U"], "Wstride": shape["V"], "Hdilation": 1, "Wdilation": 1}
    axes = {letter: [[letter]] for letter in "CMRSNPQG"}
    group = [axes[letter] for letter in grouped]
    across, down = [["R", "Wdilation"], ["P", "Wstride"]], [["S", "Hdilation"], ["Q", "Hstride"]]
    return {
        "version": VERSION,
        "instance": {**instance, **strides},
        "shape": {
            "name": "convolution",
            "dimensions": [*"CMRSNPQ", *grouped],
            "coefficients": [{"name": name, "default": 1} for name in strides],
            "data_spaces": [
                {"name": "Weights", "projection": [*group, axes["C"], axes["M"], axes["R"], axes["S"]]},
                {"name": "Inputs", "projection": [axes["N"], *group, axes["C"], across, down]},
                {
                    "name": "Outputs",
                    "projection": [axes["N"], *group, axes["M"], axes["Q"], axes["P"]],
                    "read_write": True,
                },
            ],
        },
    }


class _Tagged(dict[str, Any]):
    """A node of an architecture, with its tag."""

    def __init__(self, tag: str, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.tag = tag


def architecture_of(machine: Machine, nest: Nest, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """A machine as Timeloop's architecture, its GLB cut as a mapping cuts it."""
    tile = {tensor: tile_size(nest, tensor, f"glb_{tensor.lower()}") for tensor in TENSORS}
    # A chunk has a buffer, of several; the ifmap has two where it is streamed.
    depth = {
        "Weights": tile["Weights"] * (1 if nest.levels[1].keeps == {"Weights"} else mapping["filter_buffers"]),
        "Inputs": tile["Inputs"] * (1 if mapping["ifmap_resident"] else 2),
        "Outputs": tile["Outputs"],
    }
    spads = {"filter_spad": machine.filter_spad_bytes, "ifmap_spad": machine.ifmap_spad_bytes, "psum": 1}
    nodes = [
        _Tagged(
            "!Container",
            {
                "name": machine.name,
                "attributes": {"global_cycle_seconds": 1e-6 / machine.clock_mhz, "technology": "-1"},
            },
        )
    ]
    for level in nest.levels:
        if level.mesh != (1, 1):
            across = "meshX" if level.mesh[0] > 1 else "meshY"
            nodes.append(_Tagged("!Container", {"name": level.name, "spatial": {across: math.prod(level.mesh)}}))
            continue
        tensor = next(iter(level.keeps))
        bits = 32 if level.keeps == {"Outputs"} else 8
        attributes: dict[str, Any] = {"datawidth": bits, "width": bits}
        if level.name != "DRAM":
            attributes["depth"] = depth[tensor] if level.name.startswith("glb_") else spads[level.name]
        if level.bandwidth[0] != math.inf:
            attributes |= {"read_bandwidth": level.bandwidth[0], "write_bandwidth": level.bandwidth[1]}
        kind = "DRAM" if level.name == "DRAM" else "SRAM" if level.name.startswith("glb_") else "regfile"
        nodes.append(_Tagged("!Component", {"name": level.name, "class": kind, "attributes": attributes}))
    nodes.append(_Tagged("!Component", {"name": "mac", "class": "intmac", "attributes": {"datawidth": 8}}))
    return {"version": VERSION, "nodes": nodes}


def tile_size(nest: Nest, tensor: str, level: str) -> int:
    """Elements of a tensor's tile in one copy of a level: those of the loops at and inside it."""
    names = [each.name for each in nest.levels]
    inside = names[names.index(level) :]
    extent = dict.fromkeys(NAMES, 1)
    for loop in nest.loops:
        if loop.level in inside:
            extent[loop.letter] *= loop.turns
    return elements(nest, tensor, extent)


def elements(nest: Nest, tensor: str, extent: Mapping[str, int]) -> int:
    """Of a tensor, for a box of so many turns of each loop."""
    if tensor != "Inputs":
        return math.prod(extent[letter] for letter in TENSORS[tensor])
    down = (extent["Q"] - 1) * nest.strides[0] + extent["S"]
    along = (extent["P"] - 1) * nest.strides[1] + extent["R"]
    return extent["G"] * extent["C"] * down * along


def _dumper(yaml: Any) -> Any:
    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        """Safe, with the tags of nodes, lists of words on a line."""

        def ignore_aliases(self, _data: Any) -> bool:
            return True

    def flow(dumper: Any, value: list[Any]) -> Any:
        is_short = all(isinstance(each, (str, int, list)) for each in value)
        return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=is_short)

    Dumper.add_representer(list, flow)
    Dumper.add_representer(_Tagged, lambda dumper, node: dumper.represent_mapping(node.tag, dict(node)))
    return Dumper


def to_yaml(machine: Machine, shape: Mapping[str, Any], mapping: Mapping[str, Any]) -> dict[str, str]:
    """Texts of architecture.yaml, problem.yaml and mapping.yaml, by name. What read() makes of them is the same shape
    and mapping. Raises MappingError that names what Timeloop can't say."""
    nest = nest_of(machine, shape, mapping)
    variables = {
        "version": VERSION,
        "fovea_shape": dict(shape),
        "fovea_mapping": {name: mapping[name] for name in (*UNSAID, "ifmap_resident") if name in mapping},
    }
    parts = {
        "architecture": {"architecture": architecture_of(machine, nest, mapping)},
        "problem": {"problem": problem_of(shape), "variables": variables},
        "mapping": {"mapping": list(_directives(nest))},
    }
    yaml = import_yaml("Timeloop's files")
    dumper = _dumper(yaml)
    return {
        f"{name}.yaml": yaml.dump(part, Dumper=dumper, sort_keys=False, width=120, default_flow_style=False)
        for name, part in parts.items()
    }


# Reading


def _loader(yaml: Any) -> Any:
    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Safe, with the tags that Timeloop's nodes have."""

    def tagged(loader: Any, node: Any) -> _Tagged:
        return _Tagged(node.tag, loader.construct_mapping(node, deep=True))

    for tag in ("!Container", "!Component", "!Parallel", "!Hierarchical"):
        Loader.add_constructor(tag, tagged)
    return Loader


_NODE: dict[str, Any] = {
    "name": str,
    "attributes": {"read_bandwidth": (int, float), "write_bandwidth": (int, float)},
    "spatial": {},
    "constraints": {"dataspace": {"keep": [str], "bypass": [str]}},
}
_NODE["nodes"] = [_NODE]
#: What the parts of the files look like: fields of a table, the items of a list, types. All may be left out.
FORMS: dict[str, Any] = {
    "architecture": {"nodes": [_NODE]},
    "problem": {
        "shape": {
            "dimensions": [str],
            "coefficients": [{"name": str}],
            "data_spaces": [{"name": str, "projection": [[[str]]]}],
        },
        "instance": {},
    },
    "mapping": [
        {
            "target": str,
            "type": str,
            "factors": (str, list),
            "permutation": (str, list),
            "split": int,
            "keep": [str],
            "bypass": [str],
        }
    ],
    "variables": {"fovea_shape": {}, "fovea_mapping": {**dict.fromkeys(UNSAID, int), "ifmap_resident": bool}},
}


@contextlib.contextmanager
def _form(part: str) -> Iterator[None]:
    """Around what looks into a part of the files that the forms leave open."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError):
        raise MappingError(
            f"{part}: not in the form of Timeloop's version {VERSION}; docs/timeloop.md shows it"
        ) from None


def read_files(paths: Iterable[Path]) -> dict[str, Any]:
    """The top-level keys of files, or of all of a folder's. Raises MappingError that names a file and its fault."""
    yaml = import_yaml("Timeloop's files")
    found: dict[str, Any] = {}
    files = [file for path in paths for file in (sorted(path.glob("*.yaml")) if path.is_dir() else [path])]
    for path in files:
        try:
            keys = yaml.load(path.read_text(encoding="utf-8"), _loader(yaml))
        except (OSError, UnicodeDecodeError):
            raise MappingError(f"{path}: cannot be read; expected a file of Timeloop's, version {VERSION}") from None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            place = f":{mark.line + 1}" if mark else ""
            raise MappingError(f"{path}{place}: no YAML: {getattr(error, 'problem', None) or 'damaged'}") from None
        if not isinstance(keys, dict):
            raise MappingError(f"{path}: no keys such as architecture, problem or mapping")
        for key, value in keys.items():
            if key in found:
                raise MappingError(f"{path}: {key} is in another of the files too")
            found[key] = value
    for key in ("architecture", "problem", "mapping"):
        if not found.get(key):
            raise MappingError(f"{', '.join(map(str, files)) or 'no files'}: no {key}; give the file that has it too")
    for key, form in FORMS.items():
        check_form(found.get(key), form, key)
    return found


def _positive(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise MappingError(f"{place} is {value!r}; it must be a whole number from 1 on")
    return value


def read_problem(problem: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, int], dict[str, Any]]:
    """Sizes of the loops by their letters, (down, along) strides, and what else the instance says. Raises MappingError
    where it is no convolution that the machine has."""
    shape, instance = problem.get("shape"), problem.get("instance")
    if not isinstance(shape, dict) or not isinstance(instance, dict):
        raise MappingError("problem: needs a shape and an instance")
    letters = shape.get("dimensions") or []
    spaces = {space.get("name"): space for space in shape.get("data_spaces", [])}
    if unknown := [letter for letter in letters if letter not in NAMES]:
        raise MappingError(f"problem: dimension {unknown[0]}: the machine runs convolutions, of {', '.join(NAMES)}")
    if set(spaces) != set(TENSORS):
        raise MappingError(
            f"problem: data_spaces are {', '.join(map(str, spaces))}; a convolution has {', '.join(TENSORS)}"
        )
    axes = {tuple(sorted(str(term[0]) for term in axis)) for axis in spaces["Inputs"].get("projection", [])}
    if ("P", "R") not in axes or ("Q", "S") not in axes:
        raise MappingError(
            "problem: Inputs: P goes with R and Q with S along its axes; other projections are no convolution"
        )
    sizes = {letter: 1 for letter in NAMES}
    sizes |= {letter: _positive(instance.get(letter), f"problem: instance: {letter}") for letter in letters}
    defaults = {each.get("name"): each.get("default", 1) for each in shape.get("coefficients", [])}
    names = ("Hstride", "Wstride", "Hdilation", "Wdilation")
    strides = {name: _positive(instance.get(name, defaults.get(name, 1)), f"problem: {name}") for name in names}
    for name in names[2:]:
        if strides[name] != 1:
            raise MappingError(f"problem: {name}={strides[name]}: the machine's filters have no gaps; 1 works")
    return sizes, strides, instance


def shape_of(sizes: Mapping[str, int], strides: Mapping[str, int], instance: Mapping[str, Any]) -> dict[str, Any]:
    """The layer of a problem: without Hpad and Wpad, its ifmap is as large as its windows reach."""
    U, V, R, S = strides["Hstride"], strides["Wstride"], sizes["S"], sizes["R"]
    down, along = int(instance.get("Hpad", 0)), int(instance.get("Wpad", 0))
    H, W = (sizes["Q"] - 1) * U + R - 2 * down, (sizes["P"] - 1) * V + S - 2 * along
    shape: dict[str, Any] = {"C": sizes["C"], "H": H, "W": W, "M": sizes["M"], "R": R, "S": S, "U": U, "V": V}
    shape |= {"pad_top": down, "pad_left": along, "pad_bottom": down, "pad_right": along}
    return shape | {"G": sizes["G"]} if sizes["G"] > 1 else shape


def _nodes(nodes: Iterable[Any]) -> Iterator[_Tagged]:
    for node in nodes:
        if not isinstance(node, _Tagged):
            raise MappingError(f"architecture: {node!r} has no tag; nodes are !Container, !Component, !Parallel")
        if node.tag in ("!Parallel", "!Hierarchical"):
            yield from _nodes(node.get("nodes") or [])
        else:
            yield node


def _bandwidth(attributes: Mapping[str, Any]) -> tuple[float, float]:
    rates = [attributes.get(name) for name in ("read_bandwidth", "write_bandwidth")]
    return float(rates[0] or math.inf), float(rates[1] or math.inf)


def _read_levels(architecture: Mapping[str, Any], directives: Sequence[Mapping[str, Any]]) -> list[Level]:
    nodes = list(_nodes(architecture.get("nodes") or []))
    memories = [node for node in nodes if node.tag == "!Component"]
    if len(memories) < 2:
        raise MappingError("architecture: needs memories and, innermost, what computes")
    compute = memories[-1].get("name")
    kept = {each.get("target"): each for each in directives if each.get("type") in ("dataspace", "datatype", "bypass")}
    levels = []
    for node in nodes:
        name = str(node.get("name"))
        if name == compute:
            continue
        mesh = node.get("spatial") or {}
        size = tuple(_positive(mesh.get(axis, 1), f"architecture: {name}: {axis}") for axis in ("meshX", "meshY"))
        if node.tag == "!Container":
            if math.prod(size) > 1:
                levels.append(Level(name, frozenset(), (size[0], size[1])))
            continue
        said = kept.get(name) or (node.get("constraints") or {}).get("dataspace") or {}
        keeps = [tensor for tensor in TENSORS if tensor not in (said.get("bypass") or [])]
        levels.append(Level(name, frozenset(keeps), bandwidth=_bandwidth(node.get("attributes") or {})))
    return levels


def _factors(directive: Mapping[str, Any], place: str) -> dict[str, tuple[int, int]]:
    factors = directive.get("factors") or []
    text = " ".join(map(str, factors)) if isinstance(factors, list) else str(factors)
    found = {}
    rest = re.sub(r"[\s,]+", "", text)
    for match in re.finditer(r"([A-Za-z]+)\s*=?\s*(\d+)(?:,\s*(\d+))?[\s,]*", text):
        count, last = int(match[2]), int(match[3] or match[2])
        if match[1] in found or not 1 <= last <= count:
            raise MappingError(
                f"{place}: factor {match[0].strip()}: once a letter, from 1 on, a remainder of at most that"
            )
        found[match[1]] = (count, last)
        rest = rest.replace(re.sub(r"[\s,]+", "", match[0]), "", 1)
    if rest:
        raise MappingError(f"{place}: factors {text}: {rest} is none; such as C=4 or, with a remainder, P=16,7")
    return found


def _order(directive: Mapping[str, Any], letters: Iterable[str], place: str) -> list[str]:
    """Letters, outermost first: Timeloop lists the innermost first."""
    order = [str(letter) for letter in directive.get("permutation") or [] if str(letter) not in " ,"]
    if missing := [letter for letter in letters if letter not in order]:
        if order or len(missing) > 1:
            raise MappingError(f"{place}: permutation {''.join(order)} leaves {missing[0]} out")
        order = missing
    return order[::-1]


def read_nest(files: Mapping[str, Any]) -> Nest:
    """The loops of files. Raises MappingError that names the loop or level that is at fault."""
    sizes, strides, _ = read_problem(files["problem"])
    directives = files["mapping"]
    if not isinstance(directives, list) or not all(isinstance(each, dict) for each in directives):
        raise MappingError("mapping: must be a list of directives, each with a target and a type")
    levels = _read_levels(files["architecture"], directives)
    spellings = {spelling: level.name for level in levels for spelling in (level.name, f"inter_{level.name}_spatial")}
    loops: dict[str, list[Loop]] = {}
    for directive in directives:
        target, kind = directive.get("target"), directive.get("type")
        place = f"mapping: {kind} at {target}"
        if target not in spellings:
            raise MappingError(
                f"{place}: the architecture has no such level; it has {', '.join(each.name for each in levels)}"
            )
        if kind not in ("temporal", "spatial"):
            continue
        name = spellings[target]
        factors = _factors(directive, place)
        if unknown := [letter for letter in factors if letter not in NAMES]:
            raise MappingError(f"{place}: factor of {unknown[0]}: the problem has no such dimension")
        order = _order(directive, [letter for letter, (count, _) in factors.items() if count > 1], place)
        split = directive.get("split")
        along_x = set(order[::-1][:split]) if split is not None else set(order)
        loops.setdefault(name, []).extend(
            Loop(letter, *factors[letter], name, ("X" if letter in along_x else "Y") if kind == "spatial" else "")
            for letter in order
            if factors.get(letter, (1, 1))[0] > 1
        )
    nest = Nest(levels, [], sizes, (strides["Hstride"], strides["Wstride"]))
    nest.loops.extend(_with_axes(levels, loops))
    _check_sizes(nest)
    return nest


def _with_axes(levels: Sequence[Level], loops: Mapping[str, list[Loop]]) -> Iterator[Loop]:
    """All loops, outermost first; across a container of one axis, loops take it."""
    for level in levels:
        only = "" if level.mesh == (1, 1) else "X" if level.mesh[1] == 1 else "Y" if level.mesh[0] == 1 else ""
        own = [loop._replace(axis=only) if only and loop.axis else loop for loop in loops.get(level.name, [])]
        yield from sorted(own, key=lambda loop: bool(loop.axis))
        for axis, most in zip("XY", level.mesh):
            taken = math.prod(loop.turns for loop in own if loop.axis == axis)
            if level.mesh != (1, 1) and taken > most:
                raise MappingError(f"mapping: spatial at {level.name}: {taken} copies along {axis}; it has {most}")


def _check_sizes(nest: Nest) -> None:
    for letter, size in nest.sizes.items():
        chain = [loop for loop in nest.loops if loop.letter == letter]
        covered = 1
        for place in range(len(chain) - 1, -1, -1):
            covered += (chain[place].last - 1) * math.prod(loop.turns for loop in chain[place + 1 :])
        if covered != size:
            factors = " x ".join(
                f"{loop.turns}" + (f",{loop.last}" if loop.last != loop.turns else "") for loop in chain
            )
            raise MappingError(
                f"mapping: loops {letter}: {factors or '1'} cover {covered}, and the problem has {size}; a remainder "
                f"is written behind a comma, such as {letter}=16,7"
            )


# What the machine makes of it


def _refuse(loop: Loop, why: str) -> None:
    raise MappingError(f"{loop}: {why}")


def _kept_psums(outer: Sequence[Level]) -> str:
    """The level in front of the array that keeps partial sums, or the innermost there."""
    keeping = [level.name for level in outer[1:] if "Outputs" in level.keeps]
    return keeping[0] if keeping else outer[-1].name


def _assign_outer(nest: Nest, outer: Sequence[Level]) -> dict[str, Loop]:
    """The machine's loops over tiles that the nest has. Raises MappingError for the first loop that is none."""
    names = [level.name for level in outer]
    boundary = names.index(_kept_psums(outer))
    found: dict[str, Loop] = {}
    slot = -1
    for loop in nest.loops:
        if loop.level not in names or loop.axis:
            continue
        if loop.letter in "PRN":
            whole = {
                "P": "a pass takes all columns",
                "R": "a PE takes whole rows of a filter",
                "N": "it takes one a layer",
            }
            _refuse(loop, f"the machine has no such loop around the array: {whole[loop.letter]}")
        is_outside = names.index(loop.level) < boundary
        slots = [place for place, letter in enumerate(OUTER_LETTERS) if letter == loop.letter]
        wanted = slots[0] if is_outside or len(slots) == 1 else slots[-1]
        # Inside the memory of psums, a loop over filters outside of all others is still one over tiles.
        if wanted <= slot:
            _refuse(
                loop,
                f"it stands inside the {OUTER[slot]}, {OUTER_LETTERS[slot]}; the machine's order, outermost first, is "
                + ORDER,
            )
        found[OUTER[wanted]] = loop
        slot = wanted
    return found


def _is_resident(found: Mapping[str, Loop], outer: Sequence[Level]) -> bool:
    """Whether the level in front of the array that keeps the ifmap holds all channels."""
    names = [level.name for level in outer]
    keeping = [place for place, level in enumerate(outer) if place > 0 and "Inputs" in level.keeps]
    if not keeping:
        raise MappingError(
            f"level {names[-1]}: no level between {names[0]} and the array keeps Inputs; the machine's GLB does"
        )
    inside = [
        name for name in ("filter tiles", "chunks") if name in found and names.index(found[name].level) >= keeping[0]
    ]
    # Without chunks, loops outside that Inputs do not know leave the tile where it is.
    return "chunks" in inside or ("chunks" not in found)


def _reloaded(nest: Nest) -> bool:
    """Whether row tiles fetch Weights anew: loops of theirs turn outside the level that keeps them."""
    keeping = next(level.name for level in nest.levels[1:] if "Weights" in level.keeps)
    names = [level.name for level in nest.levels]
    outside = names[: names.index(keeping)]
    return any(loop.letter in TENSORS["Weights"] and not loop.axis for loop in nest.loops if loop.level in outside)


def _product(loops: Iterable[Loop], letter: str) -> int:
    return math.prod(loop.turns for loop in loops if loop.letter == letter)


def _check_array(
    spatial: Sequence[Loop], inner: Sequence[Loop], sizes: Mapping[str, int], levels: Sequence[Level]
) -> None:
    has_axes = all(any(level.mesh[axis] > 1 for level in levels) for axis in (0, 1))
    for loop in spatial:
        if loop.letter not in "QMCS":
            _refuse(loop, "across PEs the machine lays output rows, filters, channels and filter rows: Q, M, C and S")
        if has_axes and loop.letter + loop.axis in ("QY", "SX", "CX"):
            down = "a column of PEs, along Y, adds the psums of channels and filter rows"
            _refuse(loop, down if loop.letter != "Q" else "each column of PEs, along X, has output rows of its own")
    slot = -1
    for loop in inner:
        if loop.letter not in "PMCR":
            why = {"S": "a PE holds one row of a filter", "Q": "a PE makes one output row", "N": "it takes one a layer"}
            _refuse(loop, why.get(loop.letter, "a PE takes one group at a time"))
        place = {"P": 0, "M": 1}.get(loop.letter, 2)
        if place < slot:
            _refuse(loop, "a PE's order, outermost first, is P (output columns), M (filters), C and R")
        slot = place
    for letter in "PR":
        if _product(inner, letter) != sizes[letter]:
            raise MappingError(
                f"level {inner[-1].level if inner else 'PE'}: a PE takes all {sizes[letter]} {NAMES[letter]}, "
                f"{letter}={sizes[letter]}"
            )


def mapping_of(nest: Nest, machine: Machine, said: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping of loops that the machine has. said: what UNSAID names, and ifmap_resident.

    Without filter_buffers it has 0; without stay, filters that the loops never fetch again stay, and no others. Raises
    MappingError that names the loop or level.
    """
    arrays = [
        place for place, level in enumerate(nest.levels) if any(l.axis and l.level == level.name for l in nest.loops)
    ]
    meshes = [place for place, level in enumerate(nest.levels) if level.mesh != (1, 1)]
    first, behind = min(meshes + arrays, default=len(nest.levels)), max(meshes, default=max(arrays, default=-1))
    # A memory whose loops go across PEs is in front of them.
    is_memory = first < len(nest.levels) and nest.levels[first].mesh == (1, 1)
    outer, inside = nest.levels[: first + is_memory], nest.levels[max(first + is_memory, behind + 1) :]
    for level in nest.levels[first + is_memory : behind + 1]:
        if level.mesh == (1, 1) and level.keeps:
            raise MappingError(
                f"level {level.name}: it keeps {', '.join(sorted(level.keeps))} between rows and "
                "columns of PEs; the machine has no memory there"
            )
    found = _assign_outer(nest, outer)
    spatial = [loop for loop in nest.loops if loop.axis]
    names = {level.name for level in inside}
    inner = [loop for loop in nest.loops if not loop.axis and loop.level in names]
    _check_array(spatial, inner, nest.sizes, nest.levels)
    psums = _kept_psums(outer)
    if "Outputs" not in next(level for level in outer if level.name == psums).keeps:
        for name in ("chunks", "folds"):
            if name in found:
                _refuse(
                    found[name], f"partial sums of several turns need a level that keeps Outputs; {psums} bypasses them"
                )
    p, q = _product(inner, "M"), _product(inner, "C")
    t, r, e, fold_rows = (_product(spatial, letter) for letter in "MCQS")
    count = {name: loop.turns for name, loop in found.items()}
    tiles, rows = count.get("filter tiles", 1), count.get("row tiles", 1)
    mapping = {
        "m": nest.sizes["M"] if tiles == 1 else count.get("filter groups", 1) * t * p,
        "n": 1,
        "e": e,
        "p": p,
        "q": q,
        "r": r,
        "t": t,
        "e_glb": nest.sizes["Q"] if rows == 1 else count.get("strips", 1) * e,
        "ifmap_resident": said.get("ifmap_resident", _is_resident(found, outer)),
        "filter_buffers": said.get("filter_buffers", 0),
    }
    # What is 0 is left out of a mapping.
    rows_said = said.get("fold_rows", 0 if fold_rows == default_fold_rows(machine, nest.sizes["S"]) else fold_rows)
    if rows_said not in (0, fold_rows):
        raise MappingError(f"variables: fold_rows={rows_said}, and {fold_rows} filter rows are across PEs")
    stay = said.get("stay", 0)
    if "stay" not in said and "row tiles" in found and not _reloaded(nest):
        stay, mapping["filter_buffers"] = 1, max(2, math.prod(count.get(name, 1) for name in OUTER[1:6]))
    mapping |= {name: value for name, value in (("stay", stay), ("fold_rows", rows_said)) if value}
    if "chunks" in found and mapping["ifmap_resident"] != _is_resident(found, outer):
        raise MappingError(f"variables: ifmap_resident is {mapping['ifmap_resident']}, which {found['chunks']} denies")
    return mapping


def read(paths: Iterable[Path], machine: Machine) -> tuple[dict[str, Any], dict[str, Any], Nest]:
    """A layer's shape, its mapping on a machine, and the nest that they were read from. Raises MappingError."""
    files = read_files(paths)
    with _form("problem"):
        sizes, strides, instance = read_problem(files["problem"])
        layer = shape_of(sizes, strides, instance)
    with _form("architecture or mapping"):
        nest = read_nest(files)
    with _form("variables"):
        variables = files.get("variables") or {}
        shape = dict(variables.get("fovea_shape") or layer)
        walked = count_passes(shape)
        if wrong := [letter for letter in NAMES if walked[letter] != sizes[letter]]:
            raise MappingError(
                f"variables: fovea_shape has {walked[wrong[0]]} {NAMES[wrong[0]]}, the problem {sizes[wrong[0]]}"
            )
        return shape, mapping_of(nest, machine, variables.get("fovea_mapping") or {}), nest
