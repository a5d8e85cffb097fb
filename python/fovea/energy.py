# SPDX-License-Identifier: Apache-2.0
"""The energy of a run's layers: accesses times what one costs on the machine (docs/synthesis.md)."""
from typing import Any, Optional

from . import _fovea
from .layers import Layers
from .machine import Machine


class Energy:
    """Of layers of a network on a machine."""

    def __init__(self, machine: Optional[Machine], layers: Layers) -> None:
        self._machine = machine
        self._inside = {
            call["name"]: call["accesses"] for layer in layers for call in layer.details.get("calls", [])
        }  # What the compiler counts inside the array.
        self._cost: Optional[_fovea.AccessEnergy] = None
        #: What a 16-bit MAC takes, in pJ; None where the machine file does not say it.
        self.mac_pj: Optional[float] = None if machine is None else machine.mac_pj

    def of(self, row: dict[str, Any]) -> float:
        """In 16-bit MACs. row: a layer with the device's counts of GLB and DRAM."""
        inside = self._inside.get(row["layer"])
        if inside is None or self._machine is None:
            return float("nan")
        if self._cost is None:
            self._cost = _fovea.AccessEnergy(str(self._machine.as_file()))
        pe = inside["pe"]
        return self._cost.total(
            macs=inside["mac"],
            ifmap_spad=inside["spad"]["ifmap"],
            pe_ifmap=pe["ifmap"],
            pe_filter=pe["filter"],
            pe_psum=pe["psum"],
            glb_words=row["glb_read_words"] + row["glb_write_words"],
            dram_bytes=row["dram_read_bytes"] + row["dram_write_bytes"],
        )
