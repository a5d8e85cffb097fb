# SPDX-License-Identifier: Apache-2.0
"""Results of exploring, in an SQLite file: rows are found by their content, and several processes may write."""
import csv
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Union

from . import _fovea
from .errors import Error
from .table import Frame, Table, frame

SCHEMA_VERSION = 1  #: In the file as PRAGMA user_version.
WAIT_SECONDS = 60.0  #: For others that write.

#: What results are of. `machine` is a digest of what they follow from (machine_key()), `model` is
#: _fovea.model_version.
KEY = ("model", "machine", "memory", "objective", "slack")
COSTS = ("cycles", "dram_read_bytes", "dram_write_bytes", "energy_macs")
CAUSES = tuple(f"{cause}_cycles" for cause in ("compute", "psum", "filter", "ifmap", "dram", "output", "control"))

#: Tables: columns of the key, and others.
TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # A layer's command, by the text of what is asked for; `mapping` is "" where none fits, for `reason`.
    "layers": ((*KEY, "asked"), ("shape", "mapping", "reason", "search_cycles", "cycles", *CAUSES, *COSTS[1:])),
    # A network, by the digest of its file: sums, and its layers as JSON.
    "evaluations": ((*KEY, "network"), (*COSTS, "accelerator_cycles", "layers")),
    # The same as simulated by a backend, of Fovea's `version`. Cycles are the accelerator's.
    "confirmations": ((*KEY, "network", "backend", "version"), COSTS),
}
_TYPES = {"model": "INTEGER", "slack": "INTEGER", "energy_macs": "REAL"}


class StoreError(Error, RuntimeError):
    """A database of results can't be used, or not be written."""


class Key(NamedTuple):
    """What rows are of."""

    model: int
    machine: str
    memory: str
    objective: str
    slack: int


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
        with self._errors():
            self._file = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                version = self._make()
        if version != SCHEMA_VERSION:
            self._file.close()
            raise StoreError(
                f"{self.path}: a database of version {version}; this Fovea reads {SCHEMA_VERSION}; give another file"
            )

    def _make(self) -> int:
        """Makes the tables, unless another process has; the version that the file then has."""
        with self._written():
            version = int(self._file.execute("PRAGMA user_version").fetchone()[0])
            if version != 0:
                return version
            if self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise StoreError(f"{self.path}: a database of something else; give another file")
            for table, (key, rest) in TABLES.items():
                columns = ", ".join(f"{name} {_type_of(name)} NOT NULL" for name in (*key, *rest))
                self._file.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY ({', '.join(key)})) WITHOUT ROWID")
            self._file.execute("CREATE TABLE machines (machine TEXT PRIMARY KEY, fields TEXT NOT NULL) WITHOUT ROWID")
            self._file.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return SCHEMA_VERSION

    def close(self) -> None:
        """Of no use afterwards."""
        self._file.close()

    def add(self, table: str, key: Key, rows: Iterable[Row]) -> None:
        """Adds rows of a table; what is there already stays. Raises StoreError, and then adds none."""
        self.add_all([(table, key, rows)])

    def add_all(
        self, parts: Iterable[tuple[str, Key, Iterable[Row]]], machines: Sequence[tuple[str, Row]] = ()
    ) -> None:
        """The same of several tables at once. machines: fields by machine_key(), for those who read the file."""
        with self._errors(), self._written():
            for table, key, rows in parts:
                columns = [name for part in TABLES[table] for name in part]
                text = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(columns))})"
                values = ({**key._asdict(), **row} for row in rows)
                self._file.executemany(text, ([each[name] for name in columns] for each in values))
            self._file.executemany(
                "INSERT OR IGNORE INTO machines VALUES (?, ?)",
                [(digest, json.dumps(fields, sort_keys=True)) for digest, fields in machines],
            )

    def find(self, table: str, key: Key) -> list[Row]:
        """The rows of a key, in the order of the rest of their key."""
        columns = [name for part in TABLES[table] for name in part]
        where = " AND ".join(f"{name} = ?" for name in KEY)
        order = ", ".join(TABLES[table][0])
        with self._errors():
            found = self._file.execute(f"SELECT * FROM {table} WHERE {where} ORDER BY {order}", key)
            return [dict(zip(columns, row)) for row in found]

    def table(self, table: str) -> Frame:
        """All rows, in the order of their keys: a pandas frame."""
        return frame(Table.from_rows(self._all(table), [name for part in TABLES[table] for name in part]))

    def export_csv(self, table: str, path: "Union[str, os.PathLike[str]]") -> Path:
        """Writes all rows of a table, in the order of their keys."""
        columns = [name for part in TABLES[table] for name in part]
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._all(table))
        return Path(path)

    def _all(self, table: str) -> list[Row]:
        columns = [name for part in TABLES[table] for name in part]
        with self._errors():
            rows = self._file.execute(f"SELECT * FROM {table} ORDER BY {', '.join(TABLES[table][0])}").fetchall()
        return [dict(zip(columns, row)) for row in rows]

    @contextmanager
    def _written(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._file.in_transaction:  # SQLite itself ends it where the disk is full.
                self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: {_fault(error)}") from None


def _fault(error: sqlite3.DatabaseError) -> str:
    text = str(error)
    for part, what in (
        ("disk is full", "there is no room to write results; the rows of before are kept"),
        ("disk I/O", "cannot be written; the rows of before are kept"),
        ("readonly", "cannot be written, it is read-only; give another file, or make it writable"),
        ("unable to open", "cannot be opened; give a file in a folder that is there and can be written"),
        ("not a database", "no SQLite database; give another file"),
        ("locked", f"another program has kept it for {WAIT_SECONDS:g} s; try again when that has ended"),
    ):
        if part in text:
            return what
    return text


def _type_of(column: str) -> str:
    return _TYPES.get(column, "INTEGER" if column.endswith(("cycles", "bytes")) else "TEXT")


def key_of(machine: str, memory: str, objective: str, slack: int) -> Key:
    """A key of this Fovea's predictions."""
    return Key(_fovea.model_version, machine, memory, objective, slack)
