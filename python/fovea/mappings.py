# SPDX-License-Identifier: Apache-2.0
"""Mappings of a layer, compared: the best, and why the others lost."""
import json
from typing import Any

from . import _fovea
from .layers import Layer
from .machine import Machine
from .table import Frame, Table, frame

FATES = ("step", "fate", "count")
#: Of what `foveac map --json` says, the names that a run's layers have for it.
NAMES = {"energy": "energy_macs", "pe_share": "mac_utilization"}


class LayerMap:
    """The mappings of one layer on one machine; made by `Network.map`."""

    def __init__(self, layer: Layer, machine: Machine, optimize: str, slack: int) -> None:
        self.layer = layer  #: The Layer.
        self.machine = machine
        self._goal = (optimize, slack)
        self._found: dict[int, dict[str, Any]] = {}

    def _search(self, count: int) -> dict[str, Any]:
        if count not in self._found:
            shape = json.dumps(self.layer.details["calls"][0]["shape"])
            optimize, slack = self._goal
            found, text = _fovea.search_shape(self.machine._file, self.layer.name, shape, optimize, slack, count)
            self._found[count] = {**json.loads(found), "text": text}
        return self._found[count]

    @property
    def shape(self) -> str:
        """The layer's command in letters: "C=64 H=16 ..."."""
        return str(self._search(5)["shape"])

    def best(self, count: int = 5) -> Frame:
        """The best mappings, the best first: their letters; predicted cycles, and those by cause; `mac_utilization`,
        MACs over cycles times PEs; bytes of DRAM, read and written, and of the GLB; accesses of the GLB; `energy_macs`,
        in 16-bit MACs.

        They are of different kinds: neighbours of a better one are left out, as `foveac map --best` leaves them out.
        """
        rows = self._search(count)["best"]
        return frame(Table.from_rows({NAMES.get(name, name): value for name, value in row.items()} for row in rows))

    def explain(self, count: int = 5) -> "Explanation":
        """What bounds the best, and what became of all others."""
        found = self._search(count)
        fates = frame(Table.from_rows(found["fates"], FATES))
        return Explanation(self.layer, found["text"], self.best(count), found["roofline"], fates)


class Explanation:
    """Why a layer is mapped as it is. str() is `text` without its last newline."""

    def __init__(self, layer: Layer, text: str, best: Frame, roofline: dict[str, Any], fates: Frame) -> None:
        self.layer = layer
        self.text = text  #: For a person: what `foveac map` prints.
        self.best = best  #: The best mappings; empty on the CPU.
        self.roofline = roofline  #: macs_a_dram_byte; attainable and predicted MACs a cycle; binds. Empty on the CPU.
        self.fates = fates  #: What became of all mappings: step of the search, fate, how many.

    @classmethod
    def of_cpu(cls, layer: Layer) -> "Explanation":
        text = f"{layer.name}: not on the accelerator: {layer.reason or 'it moves no data'}\n"
        return cls(layer, text, frame(Table({})), {}, frame(Table({name: [] for name in FATES})))

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    __repr__ = __str__
