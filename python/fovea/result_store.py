# SPDX-License-Identifier: Apache-2.0
"""Results of exploring, in an SQLite file: rows are found by their content, and several processes may write. The
compiler's `tuning` is the same file. What is in it says compiler/results/results_schema.h."""
import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

from . import _fovea
from .machine import Machine
from .table import Frame, Table, frame

#: Tables: columns of the key, and others.
TABLES = _fovea.result_tables


class Key(NamedTuple):
    """What rows are of. `machine` is a digest of what they follow from, `model` is _fovea.model_version."""

    model: int
    machine: str
    memory: str
    objective: str
    slack: int


def _columns(table: str) -> list[str]:
    return [name for part in TABLES[table] for name in part]


#: Columns of `layers` that say what a command takes.
COMMAND = tuple(_columns("layers")[len(Key._fields) :])
CAUSES = tuple(name for name in COMMAND if name.endswith("_cycles") and name != "search_cycles")
COSTS = tuple(TABLES["confirmations"][1])

Row = dict[str, Any]


class ResultStore:
    """The results of a file, which is made where there is none. Each call of `add` is written as a whole or not at all.

    >>> store = ResultStore(":memory:")
    >>> key = Key(1, "d0", "pipelined", "cycles", 2)
    >>> row = {"network": "n0", "cycles": 5, "dram_read_bytes": 1, "dram_write_bytes": 2, "energy_macs": 0.5,
    ...        "accelerator_cycles": 5, "layers": "[]"}
    >>> store.add("evaluations", key, [row, row])
    >>> [found["cycles"] for found in store.find("evaluations", key)]
    [5]
    """

    def __init__(self, path: "Union[str, os.PathLike[str]]") -> None:
        self.path = str(path)
        self._file = _fovea.ResultStore(self.path)

    def close(self) -> None:
        """Of no use afterwards."""
        del self._file

    def add(self, table: str, key: Key, rows: Iterable[Row]) -> None:
        """Adds rows of a table; what is there already stays. Raises StoreError, and then adds none."""
        self.add_all([(table, key, rows)])

    def add_all(
        self, parts: Iterable[tuple[str, Key, Iterable[Row]]], machines: Sequence[tuple[str, str]] = ()
    ) -> None:
        """The same of several tables at once. machines: of _fovea.result_machine(), for those who read the file."""
        all_rows: list[tuple[str, list[list[Any]]]] = [("machines", [list(machine) for machine in machines])]
        for table, key, rows in parts:
            values = ({**key._asdict(), **row} for row in rows)
            all_rows.append((table, [[each[name] for name in _columns(table)] for each in values]))
        self._file.add(all_rows)

    def find(self, table: str, key: Key) -> list[Row]:
        """The rows of a key, in the order of the rest of their key."""
        return self._rows(table, key)

    def table(self, table: str) -> Frame:
        """All rows, in the order of their keys: a pandas frame."""
        return frame(Table.from_rows(self._all(table), _columns(table)))

    def export_csv(self, table: str, path: "Union[str, os.PathLike[str]]") -> Path:
        """Writes all rows of a table, in the order of their keys."""
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, _columns(table), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._all(table))
        return Path(path)

    def _all(self, table: str) -> list[Row]:
        return self._rows(table, ())

    def _rows(self, table: str, first: Sequence[Any]) -> list[Row]:
        columns = _columns(table)
        return [dict(zip(columns, row)) for row in self._file.find(table, list(first))]


def key_of(machine: Machine, memory: str, objective: str, slack: int) -> Key:
    """A key of this Fovea's predictions."""
    return Key(_fovea.model_version, _fovea.result_machine(machine._file)[0], memory, objective, slack)
