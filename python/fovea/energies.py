# SPDX-License-Identifier: Apache-2.0
"""Energies of memories as CACTI and Accelergy write them, for `energy_pj` of a machine (docs/machine.md)."""
import csv
from pathlib import Path
from typing import Any

from .errors import UsageError
from .inputs import FilePath
from .yaml_files import import_yaml

#: Columns of CACTI's out.csv.
_NODE, _BYTES, _BITS = "Tech node (nm)", "Capacity (bytes)", "Output width (bits)"
_READ, _WRITE = "Dynamic read energy (nJ)", "Dynamic write energy (nJ)"


def read_cacti(path: FilePath) -> dict[str, Any]:
    """What `energy_pj` takes of the table that CACTI 7 adds a row to for each memory, out.csv: technology, and memories
    with the mean of reads and writes. Raises UsageError that names the line."""
    memories, nodes = [], []
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file, skipinitialspace=True)
            lacking = [name for name in (_NODE, _BYTES, _BITS, _READ, _WRITE) if name not in (rows.fieldnames or ())]
            if lacking:
                raise UsageError(f'{path}: line 1: no column "{lacking[0]}"; give the out.csv of CACTI 7')
            for row in rows:
                place = f"{path}: line {rows.line_num}"
                size, bits, read, write = (_positive(row[name], place, name) for name in (_BYTES, _BITS, _READ, _WRITE))
                nodes.append(f"{_positive(row[_NODE], place, _NODE):g} nm")
                memories.append({"bytes": size, "bits": bits, "pj": (read + write) / 2 * 1000})
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{path}: cannot be read; give the out.csv of CACTI 7") from None
    if len(set(nodes)) != 1:
        raise UsageError(f"{path}: memories of {', '.join(sorted(set(nodes))) or 'no technology'}; give those of one")
    return {"technology": nodes[0], "memories": memories}


def read_accelergy(path: FilePath, components: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What `energy_pj` takes of Accelergy's table of energies, ERT.yaml, which is in pJ.

    components: by the name that a component has in the table, without "[1..8]", what it is, as the table does not say:
    {"system.chip.glb": {"bytes": 2048, "bits": 64}, "system.chip.pe.mac": {"as": "mac", "bits": 8}}. One with bytes is
    a memory; "as" says mac, hop or dram. "actions": whose mean is taken, without it all of the component's. Raises
    UsageError that names the component.

    It takes version 0.4 of the table and those before: ERT.tables, each with a name and actions, each action with a
    name and an energy. Needs python3-yaml.
    """
    yaml = import_yaml("Accelergy's tables")
    try:
        table = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{path}: cannot be read; give Accelergy's ERT.yaml") from None
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        raise UsageError(f"{path}: {f'line {line + 1}: ' if line is not None else ''}no YAML") from None
    try:
        found = {_plain(each["name"]): each["actions"] for each in table["ERT"]["tables"]}
    except (TypeError, KeyError):
        raise UsageError(f"{path}: no ERT with tables of a name and actions; give Accelergy's ERT.yaml") from None
    energies: dict[str, Any] = {"memories": []}
    for name, what in components.items():
        if name not in found:
            raise UsageError(f"{path}: no component {name}; there are {', '.join(found)}")
        word = {"bits": what.get("bits"), "pj": _mean(found[name], what.get("actions"), f"{path}: {name}")}
        if "bytes" in what:
            energies["memories"].append({"bytes": what["bytes"], **word})
        elif what.get("as") in ("mac", "hop", "dram"):
            energies[what["as"]] = word
        else:
            raise UsageError(f'{path}: {name}: give its "bytes", or what it is "as": mac, hop or dram')
    return energies


def _plain(name: str) -> str:
    """system.chip.pe[1..168].mac without numbers."""
    return ".".join(part.partition("[")[0] for part in name.replace("..", "-").split("."))


def _mean(actions: Any, wanted: Any, place: str) -> float:
    try:
        energies = {action["name"]: action["energy"] for action in actions}
    except (TypeError, KeyError):
        raise UsageError(f"{place}: its actions have no name and energy each; give Accelergy's ERT.yaml") from None
    names = list(energies) if wanted is None else list(wanted)
    for name in names:
        if name not in energies:
            raise UsageError(f"{place}: no action {name}; there are {', '.join(energies)}")
    if not names:
        raise UsageError(f"{place}: no actions")
    return sum(_positive(energies[name], place, name) for name in names) / len(names)


def _positive(value: Any, place: str, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number < float("inf"):
        raise UsageError(f'{place}: "{name}" is {value}; it must be a number above 0')
    return number
