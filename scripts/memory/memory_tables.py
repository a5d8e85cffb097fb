#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of reports/memory.md from the runs that scripts/run_memory left: memory_tables.py FOLDER."""
import pathlib
import re
import sys

import runs

PRESETS = re.findall(r"^FOVEA_DRAM_PRESET\((\w+),", pathlib.Path("sim/spec/dram_presets.def").read_text(), re.M)
NETWORKS = {
    "vgg8": "VGG-8 on eyeriss_6x8 (48 PEs, 32-bit bus)",
    "alexnet_eyeriss_chip": (
        "AlexNet's convolutions on eyeriss_chip (168 PEs, 64-bit bus, the chip's own networks), mapped with"
        " `--slack 15`"
    ),
    "alexnet_eyeriss_12x14": (
        "AlexNet's convolutions on eyeriss_12x14 (168 PEs, 64-bit bus, wider networks), mapped with `--slack 15`"
    ),
}


def print_network(folder, name, title):
    by_dram = {dram: runs.Run(folder / f"{name}-{dram}.json") for dram in PRESETS}
    first = by_dram[PRESETS[0]]
    convolutions = first.convolutions()
    print(f"\n## {title}\n")
    rows = [[layer] + [run.layers[layer]["Cycles"] for run in by_dram.values()] for layer in first.layers]
    rows.append(["convolutions"] + [run.total("Cycles", convolutions) for run in by_dram.values()])
    rows.append(["... of the array's MACs"] + [runs.percent(runs.used(run, convolutions)) for run in by_dram.values()])
    if len(convolutions) < len(first.layers):
        rows.append(["all"] + [run.total("Cycles") for run in by_dram.values()])
    print(runs.markdown_table(["layer, cycles", *PRESETS], rows))
    print("\nThe convolutions' cycles by cause:\n")
    print(runs.cause_table(by_dram, PRESETS, convolutions))


def main():
    folder = pathlib.Path(sys.argv[1])
    print(
        "The same commands with each memory: mappings are chosen for `pipelined`. What the memories are:"
        " [timing](../docs/timing.md#memories). `ddr` moves a beat a cycle as `pipelined` does and answers a single"
        " request sooner, so layers that the array binds may take a few cycles less."
    )
    for name, title in NETWORKS.items():
        print_network(folder, name, title)


main()
