# SPDX-License-Identifier: Apache-2.0
"""Tables of named columns: pandas frames where pandas is there, and a light one where it is not."""
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Optional, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Frame = Any  #: A pandas.DataFrame; a Table where there is no pandas.


class Table:
    """Columns of one length by name; a row is a dict.

    >>> table = Table({"layer": ["conv1", "conv2"], "cycles": [66748, 590700]})
    >>> len(table), table.columns
    (2, ('layer', 'cycles'))
    >>> int(table["cycles"].sum())
    657448
    >>> table[-1]
    {'layer': 'conv2', 'cycles': 590700}
    >>> [row["layer"] for row in table if row["cycles"] > 100000]
    ['conv2']
    >>> table
    layer   cycles
    conv1   66,748
    conv2  590,700

    What it has of a frame's interface, `table["cycles"]`, len(), `columns`, `equals()` and `to_dict("records")`, is for
    programs that are to run with pandas and without. Arrays are the table's own, not copies.
    """

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        self._columns: dict[str, NDArray[Any]] = {name: np.asarray(values) for name, values in columns.items()}
        lengths = {len(values) for values in self._columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of lengths {sorted(lengths)}; all must have one length")
        self._length = lengths.pop() if lengths else 0

    @classmethod
    def from_rows(cls, rows: Iterable[dict[str, Any]], columns: Optional[Iterable[str]] = None) -> "Table":
        """Of dicts with the same keys. `columns` names them where there may be no row."""
        rows = list(rows)
        names = list(columns if columns is not None else rows[0] if rows else ())
        return cls({name: [row[name] for row in rows] for name in names})

    @classmethod
    def from_cells(cls, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> "Table":
        """Of texts, as a CSV file has them: a column of integers is int64, one with other numbers or empty cells
        float64 (empty: NaN), any other stays text.

        >>> t = Table.from_cells(["layer", "cycles", "gain"], [["a", "12", ""], ["b", "7", "0.5"]])
        >>> t["cycles"].dtype.name, t["gain"].tolist()
        ('int64', [nan, 0.5])
        """
        return cls({name: _numbers([row[i] for row in rows]) for i, name in enumerate(columns)})

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]:
        ...

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]:
        ...

    def __getitem__(self, key: Union[str, int]) -> Union[NDArray[Any], dict[str, Any]]:
        """A column by its name, or a row by its place."""
        if isinstance(key, str):
            try:
                return self._columns[key]
            except KeyError:
                raise KeyError(f"{key!r}: no such column; there are {', '.join(self._columns)}") from None
        if not -self._length <= key < self._length:
            raise IndexError(f"row {key} of {self._length}")
        return {name: _plain(values[key]) for name, values in self._columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[i] for i in range(self._length))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self.columns == other.columns
            and len(self) == len(other)
            and all(_same(self[name], other[name]) for name in self._columns)
        )

    def equals(self, other: "Table") -> bool:
        """Whether names and values are the same, as a frame says it."""
        return self == other

    def to_dict(self, orient: str = "records") -> list[dict[str, Any]]:
        """The rows, as a frame gives them."""
        if orient != "records":
            raise ValueError(f"orient={orient!r}: a table without pandas has only 'records'")
        return list(self)

    def of(self, columns: Iterable[str]) -> "Table":
        """One of these columns."""
        return Table({name: self[name] for name in columns})

    def __repr__(self) -> str:
        return _text(self)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self._columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(value))}</td>" for value in row.values()) + "</tr>" for row in self
        )
        return f"<table><tr>{head}</tr>{rows}</table>"


def frame(table: Table) -> Frame:
    """The table as a pandas.DataFrame; itself where pandas is not there. Pandas is imported here and nowhere else, as
    that takes longer than all else that `import fovea` does."""
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        return table
    return pandas.DataFrame({name: table[name] for name in table.columns})


def html_of(thing: object, table: Optional[Table]) -> str:
    """What a notebook shows: repr() without its brackets, and a table."""
    return f"<p>{escape(repr(thing)[1:-1])}</p>" + ("" if table is None else table._repr_html_())


def _numbers(cells: list[str]) -> NDArray[Any]:
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind("nan") if kind is np.float64 and cell == "" else kind(cell) for cell in cells], kind)
        except ValueError:
            pass
    return np.array(cells)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")


def _shown(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "" if value != value else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return str(value)


def _text(table: Table) -> str:
    texts = [list(table.columns)] + [[_shown(value) for value in row.values()] for row in table]
    widths = [max(len(row[i]) for row in texts) for i in range(len(table.columns))]
    is_number = [table[name].dtype.kind in "iuf" for name in table.columns]
    lines = (
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, is_number)
        )
        for row in texts
    )
    return "\n".join(line.rstrip() for line in lines)
