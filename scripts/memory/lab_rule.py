# SPDX-License-Identifier: Apache-2.0
"""The rule by which the lab's package reads a convolution from DRAM, found from its five sums.

The package gives one sum a layer. Of the rules that scripts/test/memory_reports_test.py tries, this one alone gives all
five.
"""
import dataclasses

FILTER_CHANNELS = 4  # Filters are zero-padded in C to a multiple of it.


@dataclasses.dataclass(frozen=True)
class Reads:
    """Bytes that a layer reads."""

    ifmap: int
    filters: int
    biases: int

    @property
    def total(self):
        return self.ifmap + self.filters + self.biases


def input_rows(layer):
    """Rows of the ifmap that each tile of e output rows needs, rows of padding left out. :param layer: the letters of
    dla_info.csv"""
    outputs = (layer["H"] + 2 * layer["PAD"] - layer["R"]) // layer["U"] + 1
    rows = []
    for first in range(0, outputs, layer["e"]):
        begin = first * layer["U"] - layer["PAD"]
        end = (min(first + layer["e"], outputs) - 1) * layer["U"] - layer["PAD"] + layer["R"]
        rows.append(min(end, layer["H"]) - max(begin, 0))
    return rows


def filter_tiles(layer):
    return -(-layer["M"] // layer["m"])


def padded_channels(layer):
    return -(-layer["C"] // FILTER_CHANNELS) * FILTER_CHANNELS


def lab_reads(layer):
    """The ifmap again for each tile of m filters, the filters again for each tile of e rows, the biases once."""
    rows = input_rows(layer)
    return Reads(
        ifmap=filter_tiles(layer) * sum(rows) * layer["W"] * layer["C"],
        filters=len(rows) * layer["M"] * padded_channels(layer) * layer["R"] * layer["S"],
        biases=4 * layer["M"],
    )
