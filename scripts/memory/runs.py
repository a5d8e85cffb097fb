# SPDX-License-Identifier: Apache-2.0
"""Runs of networks as test_dla --json printed them, and figures of their convolutions."""
import json
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from markdown_table import markdown_table

CAUSES = ("compute", "psum", "filter", "ifmap", "dram", "output", "control")


class Run:
    """The device layers of one run; the groups of a convolution count as one layer."""

    def __init__(self, path):
        device = json.loads(pathlib.Path(path).read_text())["device"]
        self.machine, self.dram = device["machine"], device["dram"]
        self.layers = {}
        for counters in device["layers"]:
            name = re.sub(r"_group\d+$", "", counters["layer"])
            layer = self.layers.setdefault(name, {})
            for key, value in counters.items():
                if isinstance(value, (int, float)):
                    layer[key] = layer.get(key, 0) + value

    def convolutions(self):
        return [name for name in self.layers if name.startswith("conv") and not name.endswith("_pool")]

    def total(self, key, names=None):
        return sum(self.layers[name][key] for name in (names or self.layers))


def pes(machine):
    geometry = json.loads(pathlib.Path(f"sim/spec/machines/{machine}.json").read_text())
    return geometry["rows"] * geometry["cols"]


def used(run, names):
    """MACs a cycle of those that the array could do, in percent."""
    return 100 * run.total("macs", names) / (run.total("Cycles", names) * pes(run.machine))


def percent(value):
    return f"{value:.1f} %"


def cause_table(by_dram, head, names, *rows):
    """A row for each cause: its share of the layers' cycles with each memory. :param rows: what stands before these"""
    shares = [
        [
            cause,
            *(
                percent(100 * run.total(f"{cause}_cycles", names) / run.total("Cycles", names))
                for run in by_dram.values()
            ),
        ]
        for cause in CAUSES
    ]
    return markdown_table(["cause", *head], [*rows, *shares])
