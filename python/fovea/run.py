# SPDX-License-Identifier: Apache-2.0
"""What a run gave, and what it took."""
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _fovea
from .energy import Energy
from .table import Frame, Table, frame, html_of

#: Of `layers` what a notebook shows.
SHOWN = (
    "layer",
    "operation",
    "cycles",
    "mac_utilization",
    "dram_read_bytes",
    "dram_write_bytes",
    "energy_macs",
    "energy_pj",
)


@dataclass(frozen=True)
class Waves:
    """Which waves of a run to write (docs/traces.md): without a window, all."""

    path: Union[str, "os.PathLike[str]"]  #: .vcd, or with the RTL .fst; a GTKWave save file is written beside it.
    layer: str = ""  #: Only while the layer of this name runs.
    first_cycle: int = 0  #: Counted from the layer's start if one is named.
    cycles: int = 0  #: How many; 0: up to the end.
    trigger: str = ""  #: From the first such event on: "stall=CYCLES", "error", "error=CAUSE" or "write=ADDRESS".


class TargetRow(NamedTuple):
    """A layer of the accelerator or of a target of your own, as the compiler has it."""

    layer: str
    operation: str
    target: str
    macs: int
    predicted_cycles: int
    reason: str


class Run:
    """Outputs and counters of one run, or of one for each picture of a batch. It can be pickled and copied.

    What it says of the accelerator is of all its layers, of all pictures. On the CPU there are none.
    """

    def __init__(
        self,
        outputs: dict[str, NDArray[np.float32]],
        device_layers: Sequence[_fovea.DeviceLayers] = (),
        energy: Optional[Energy] = None,
        has_batch: bool = False,
        kept: Optional[tuple[Table, NDArray[np.int64], Table]] = None,
        targets: Sequence[TargetRow] = (),
    ) -> None:
        self.outputs = outputs  #: Arrays by name: float32, with a batch in front as the input has it. Not copied.
        self.has_batch = has_batch  #: Whether the input, and so each output, has a batch in front.
        self._device_layers = device_layers
        self._energy = energy
        self._target_rows = targets
        if kept is not None:
            self.__dict__.update(_table=kept[0], lists=kept[1], _targets=kept[2])

    @property
    def output(self) -> NDArray[np.float32]:
        """The only output."""
        if len(self.outputs) != 1:
            raise ValueError(
                f"the network has {len(self.outputs)} outputs: {', '.join(self.outputs)}; use outputs[name]"
            )
        return next(iter(self.outputs.values()))

    @cached_property
    def _table(self) -> Table:
        rows = [[cell for _, cell in row] for layers in self._device_layers for row in layers.cells()]
        table = Table.from_cells(_fovea.layer_columns, rows)
        columns = {name: table[name] for name in table.columns}
        if self.has_batch:
            counts = [len(layers) for layers in self._device_layers]
            columns = {"picture": np.repeat(np.arange(len(counts)), counts), **columns}
        if self._energy is not None:
            columns["energy_macs"] = np.array([self._energy.of(row) for row in table], np.float64)
            if self._energy.mac_pj is not None:
                columns["energy_pj"] = columns["energy_macs"] * self._energy.mac_pj
        return Table(columns)

    @cached_property
    def layers(self) -> Frame:
        """A row a layer of the accelerator: the columns of dla_info.csv by their names in Python (docs/registers.md),
        `energy_macs`, in 16-bit MACs, and `energy_pj` where the machine file says pJ. Of a batch the first column is
        `picture`, its place."""
        return frame(self._table)

    @cached_property
    def lists(self) -> NDArray[np.int64]:
        """For each row of `layers` the list that it was in, from 1 on; 0: it had a START of its own."""
        return np.array([number for layers in self._device_layers for number in layers.lists()], dtype=np.int64)

    @cached_property
    def _targets(self) -> Table:
        cycles: dict[str, int] = {}
        counts = [*zip(self._table["layer"].tolist(), self._table["cycles"].tolist())]
        counts += [(name, count) for layers in self._device_layers for name, _, count in layers.target_rows()]
        for name, count in counts:
            cycles[name] = cycles.get(name, 0) + count
        columns = [column for column in TargetRow._fields if column != "predicted_cycles"]
        rows_of = [row for row in self._target_rows if row.layer in cycles]
        table: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows_of] for name in columns}
        figures = {
            "cycles": [cycles[row.layer] for row in rows_of],
            "predicted_cycles": [row.predicted_cycles for row in rows_of],
        }
        reasons = table.pop("reason")
        return Table({**table, **figures, "reason": reasons})

    @cached_property
    def targets(self) -> Frame:
        """A row a layer of the accelerator and of targets of your own, of all pictures: layer, operation, target, macs,
        cycles, predicted_cycles, and as reason what the other targets said of it."""
        return frame(self._targets)

    @property
    def target_cycles(self) -> dict[str, int]:
        """Cycles by target, the accelerator's among them."""
        sums: dict[str, int] = {}
        for row in self._targets:
            sums[row["target"]] = sums.get(row["target"], 0) + row["cycles"]
        return sums

    @property
    def cycles(self) -> int:
        """Of the accelerator's clock, from START to DONE."""
        return self._sum("cycles")

    @property
    def seconds(self) -> float:
        """The same in time, at the machine's clock."""
        return float(self._table["time_ns"].sum()) / 1e9

    @property
    def macs(self) -> int:
        """Multiplications that the accelerator's layers need."""
        return self._sum("macs")

    @property
    def dram_read_bytes(self) -> int:
        """Read from DRAM."""
        return self._sum("dram_read_bytes")

    @property
    def dram_write_bytes(self) -> int:
        """Written to DRAM."""
        return self._sum("dram_write_bytes")

    @property
    def energy_macs(self) -> float:
        """Energy, in that of a 16-bit MAC (docs/synthesis.md)."""
        return float(self._table["energy_macs"].sum())

    @property
    def energy_pj(self) -> Optional[float]:
        """The same in pJ; None where the machine file says none (`energy_pj`, or `mac_pj` of `energy`)."""
        return float(self._table["energy_pj"].sum()) if "energy_pj" in self._table.columns else None

    @property
    def gops(self) -> float:
        """Operations of the accelerator's layers in a nanosecond of its time, two a MAC."""
        return 2 * self.macs / self.seconds / 1e9 if self.seconds else 0.0

    @property
    def gops_per_watt(self) -> Optional[float]:
        """Operations of the accelerator's layers in a nJ of its energy, two a MAC; None where `energy_pj` is."""
        return 2000 * self.macs / self.energy_pj if self.energy_pj else None

    def _sum(self, column: str) -> int:
        return int(self._table[column].sum())

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.outputs, (), None, self.has_batch, (self._table, self.lists, self._targets))

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self.outputs.items())
        return f"<Run: {shapes}; {self.cycles:,} cycles in {len(self._table)} layers of the accelerator>"

    def _shown(self) -> Table:
        return self._table.of(name for name in SHOWN if name in self._table.columns)

    def _repr_html_(self) -> str:
        return html_of(self, self._shown() if len(self._table) else None)
