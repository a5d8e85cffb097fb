# SPDX-License-Identifier: Apache-2.0
"""Mappings of a layer, compared: the best, and why the others lost."""
import json

from . import _fovea
from .table import Table

FATES = ("step", "fate", "count")


class LayerMap:
    """The mappings of one layer on one machine; made by `Network.map`."""

    def __init__(self, layer, machine, optimize, slack):
        self.layer = layer  #: The Layer.
        self.machine = machine
        self._goal = (optimize, slack)
        self._found = {}

    def _search(self, count):
        if count not in self._found:
            shape = json.dumps(self.layer.details["calls"][0]["shape"])
            optimize, slack = self._goal
            self._found[count] = _fovea.search_shape(self.machine._file, self.layer.name, shape, optimize, slack, count)
        return self._found[count]

    @property
    def shape(self) -> str:
        """The layer's command in letters: "C=64 H=16 ..."."""
        return self._search(5)["shape"]

    def best(self, count=5) -> Table:
        """The best mappings, the best first: their letters; predicted cycles, and those by cause; `pe_share`, MACs over
        cycles times PEs; bytes of DRAM, read and written, and of the GLB; accesses of the GLB; energy in MACs.

        They are of different kinds: neighbours of a better one are left out, as `foveac map --best` leaves them out.
        """
        return Table.from_rows(self._search(count)["best"])

    def explain(self, count=5) -> "Explanation":
        """What bounds the best, and what became of all others."""
        found = self._search(count)
        fates = Table.from_rows((dict(zip(FATES, fate)) for fate in found["fates"]), FATES)
        return Explanation(self.layer, found["text"], self.best(count), found["roofline"], fates)


class Explanation:
    """Why a layer is mapped as it is. str() is for a person."""

    def __init__(self, layer, text, best, roofline, fates):
        self.layer = layer
        self.text = text
        self.best = best  #: Table of the best mappings; empty on the CPU.
        self.roofline = roofline  #: macs_a_dram_byte; attainable and predicted MACs a cycle; binds. Empty on the CPU.
        self.fates = fates  #: Table of what became of all mappings: step of the search, fate, how many.

    @classmethod
    def of_cpu(cls, layer):
        text = f"{layer.name}: not on the accelerator: {layer.reason or 'it moves no data'}\n"
        return cls(layer, text, Table({}), {}, Table({name: [] for name in FATES}))

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text.rstrip("\n")
