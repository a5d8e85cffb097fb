# SPDX-License-Identifier: Apache-2.0
"""What a run gave, and what it took."""
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _fovea
from .table import Table


@dataclass(frozen=True)
class Waves:
    """Which waves of a run to write (docs/traces.md): without a window, all."""

    path: Union[str, "os.PathLike[str]"]  #: .vcd, or with the RTL .fst; a GTKWave save file is written beside it.
    layer: str = ""  #: Only while the layer of this name runs.
    first_cycle: int = 0  #: Counted from the layer's start if one is named.
    cycles: int = 0  #: How many; 0: up to the end.
    trigger: str = ""  #: From the first such event on: "stall=CYCLES", "error", "error=CAUSE" or "write=ADDRESS".


class Run:
    """Outputs and counters of one run. It can be pickled."""

    def __init__(
        self,
        outputs: dict[str, NDArray[np.float32]],
        device_layers: Optional[_fovea.DeviceLayers] = None,
        layers: Optional[Table] = None,
        lists: Optional[NDArray[np.int64]] = None,
    ) -> None:
        self.outputs = outputs  #: Arrays by name: float32, without the batch. What the network wrote, not copied.
        self._device_layers = device_layers
        if layers is not None:
            self.__dict__.update(layers=layers, lists=lists)

    @property
    def output(self) -> NDArray[np.float32]:
        """The only output."""
        if len(self.outputs) != 1:
            raise ValueError(
                f"the network has {len(self.outputs)} outputs: {', '.join(self.outputs)}; use outputs[name]"
            )
        return next(iter(self.outputs.values()))

    @cached_property
    def layers(self) -> Table:
        """A row a layer of the accelerator, with columns and figures of dla_info.csv (docs/registers.md). Empty on the
        CPU."""
        rows = [] if self._device_layers is None else self._device_layers.cells()
        return Table.from_cells(_fovea.layer_columns, [[cell for _, cell in row] for row in rows])

    @cached_property
    def lists(self) -> NDArray[np.int64]:
        """For each row of `layers` the list that it was in, from 1 on; 0: it had a START of its own."""
        return np.array(self._device_layers.lists() if self._device_layers is not None else [], dtype=np.int64)

    @cached_property
    def cycles(self) -> int:
        """Of all layers of the accelerator, from START to DONE."""
        return self._device_layers.cycles if self._device_layers is not None else int(self.layers["Cycles"].sum())

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.outputs, None, self.layers, self.lists)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self.outputs.items())
        return f"<Run: {shapes}; {self.cycles:,} cycles in {len(self.layers)} layers of the accelerator>"
