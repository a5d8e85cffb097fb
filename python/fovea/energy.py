# SPDX-License-Identifier: Apache-2.0
"""The energy of a run's layers: accesses times what one costs on the machine (docs/synthesis.md)."""
import json
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
        self._cost: dict[str, float] = {}

    def of(self, row: dict[str, Any]) -> float:
        """In 16-bit MACs. row: a layer with the device's counts of GLB and DRAM."""
        inside = self._inside.get(row["layer"])
        if inside is None or self._machine is None:
            return float("nan")
        if not self._cost:
            self._cost = json.loads(_fovea.machine_costs(str(self._machine.as_file())))["access_energy"]
        pe = inside["pe"]
        accesses = {
            "mac": inside["mac"],
            "ifmap_spad": inside["spad"]["ifmap"],
            "filter_spad_write": pe["filter"],
            "filter_spad_read": inside["mac"],
            "operand_hop": pe["ifmap"] + pe["filter"],
            "psum_hop": pe["psum"],
            "glb_word": row["glb_read_words"] + row["glb_write_words"],
            "dram_byte": row["dram_read_bytes"] + row["dram_write_bytes"],
        }
        return float(sum(count * self._cost[kind] for kind, count in accesses.items()))
