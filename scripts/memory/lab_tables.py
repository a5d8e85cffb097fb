#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of reports/lab.md from the runs that scripts/run_memory left: lab_tables.py FOLDER."""
import json
import pathlib
import sys

import lab_rule
import published
import runs

FOLDER = pathlib.Path(sys.argv[1])
LAB_BYTES_A_PE = 12 + 48 + 4 * 16
CHIP_MACHINES = ("eyeriss_chip", "eyeriss_12x14")
CHIP_DRAMS = ("pipelined", "ddr", "chip", "chip8")


def load(name, dram):
    return runs.Run(FOLDER / f"{name}-{dram}.json")


def dram_cycles(layer):
    """What the lab charges for a layer's bursts, each way."""
    words = (layer["Memory read"] + layer["Memory write"]) // 4
    bursts = layer["read_bursts"] + layer["write_bursts"]
    return published.LAB_BURST_CYCLES * bursts + published.LAB_BEAT_CYCLES * words


def print_reads(run):
    rows, differences = [], []
    for name in run.convolutions():
        layer, (_, lab) = run.layers[name], published.LAB[name]
        rule, ours = lab_rule.lab_reads(layer), layer["Memory read"]
        tiles = len(lab_rule.input_rows(layer))
        rows.append(
            [
                name,
                tiles,
                lab_rule.filter_tiles(layer),
                rule.ifmap,
                rule.filters,
                rule.biases,
                rule.total,
                lab,
                layer["ifmap_read_bytes"],
                layer["filter_read_bytes"],
                ours,
                f"{ours - lab:+,}" if ours != lab else "0",
            ]
        )
        if ours != lab:
            zeros = rule.filters - tiles * layer["M"] * layer["C"] * layer["R"] * layer["S"]
            differences.append(
                f"{name} reads {(tiles - 1) * rule.biases:,} B more of biases"
                + (f" and {zeros:,} B fewer of zeros" if zeros else "")
            )
    print("\n## What the lab's package reads, layer by layer\n")
    print(
        "The package gives one sum of bytes a layer. Of the rules that [a test](../scripts/test/memory_reports_test.py)"
        " tries, one alone gives all five sums; it is inferred from them. With the tiles of `MAPPING=lab`, e rows and m"
        " filters:\n"
    )
    print("- The ifmap is read again for each tile of filters. Tiles of rows share rows; padding is not read.")
    print(
        "- The filters are read again for each tile of rows. They are zero-padded in C to a multiple of"
        f" {lab_rule.FILTER_CHANNELS}."
    )
    print("- The biases are read once.\n")
    print(
        "Our machine reads no such zeros, and it reads the biases with the filters, again for each tile of rows. Its"
        f" layer command knows no other order. So {', and '.join(differences)}.\n"
    )
    print(
        runs.markdown_table(
            [
                "layer",
                "tiles of rows",
                "tiles of filters",
                "ifmap B",
                "filters B",
                "biases B",
                "by the rule B",
                "the lab's B",
                "ours: ifmap B",
                "filters and biases B",
                "ours B",
                "ours less the lab's B",
            ],
            rows,
        )
    )


def print_parts():
    run = load("vgg8lab", "lab")
    print_reads(run)
    convolutions = run.convolutions()
    rows = []
    for name in convolutions:
        layer, (cycles, _) = run.layers[name], published.LAB[name]
        rows.append(
            [cycles, layer["macs"] // 48, dram_cycles(layer), layer["glb_read_words"] + layer["glb_write_words"]]
        )
    rows.append([sum(column) for column in zip(*rows)])
    for row in rows:
        row.append(f"{row[0] / sum(row[1:4]):.2f}")
    print("\n## Where the lab's cycles come from\n")
    print(
        "The package gives sums a layer only. So its cycles stand beside what the same mapping costs at least:"
        " multiplying, with every PE busy; DRAM, at the package's own charge of 2 + 7n cycles a burst of n words; and"
        " the words that go between GLB and PEs, at one a cycle. Bursts and words are those of our machine with the"
        " lab's mapping (`MAPPING=lab`); the package's bursts are not known.\n"
    )
    print(
        runs.markdown_table(
            ["layer", "the lab's cycles", "MACs / 48", "DRAM", "GLB words", "lab / sum of the three"],
            [[name] + row for name, row in zip([*convolutions, "convolutions"], rows)],
        )
    )
    total = rows[-1]
    print(
        f"\nMultiplying is {runs.percent(100 * total[1] / total[0])} of the lab's cycles and DRAM"
        f" {runs.percent(100 * total[2] / total[0])}. One after another, the three parts would be"
        f" {runs.percent(100 * sum(total[1:4]) / total[0])}: the lab's machine does not overlap them. What is left we"
        " cannot split: the package does not tell."
    )
    return rows[-1][0]


def print_steps(lab_cycles):
    first = load("vgg8", "pipelined")
    convolutions = first.convolutions()
    macs = first.total("macs", convolutions)
    rows = [
        [
            "the lab's package",
            f"{lab_cycles:,}",
            runs.percent(100 * macs / lab_cycles / 48),
            f"{sum(b for _, b in published.LAB.values()):,}",
            "",
        ]
    ]
    before = lab_cycles
    for what, name, dram in (
        ("our machine, the lab's mapping and memory: `MAPPING=lab DRAM=lab`", "vgg8lab", "lab"),
        ("... a double-data-rate memory: `MAPPING=lab DRAM=ddr`", "vgg8lab", "ddr"),
        ("... and the mapping that the compiler finds: `DRAM=ddr`", "vgg8", "ddr"),
        ("... on the ideal memory, the headline", "vgg8", "pipelined"),
        ("for comparison: the compiler's mapping, the lab's memory: `DRAM=lab`", "vgg8", "lab"),
        ("for comparison: the lab's mapping, the ideal memory: `MAPPING=lab`", "vgg8lab", "pipelined"),
    ):
        run = load(name, dram)
        cycles = run.total("Cycles", convolutions)
        step = "" if what.startswith("for comparison") else f"{before / cycles:.2f} times"
        rows.append(
            [
                what,
                f"{cycles:,}",
                runs.percent(runs.used(run, convolutions)),
                f"{run.total('Memory read', convolutions):,}",
                step,
            ]
        )
        before = cycles
    print("\n## From there to the headline\n")
    print(
        "VGG-8's five convolutions on 48 PEs, a step at a time. The first step is the machine alone: `MAPPING=lab"
        " DRAM=lab` takes the lab's mapping and charges what its memory takes, and nothing else of its package; that"
        " our machine loads, computes and drains at the same time, and has the networks to do so, is the step. The"
        " first two sums of bytes are near each other because differences of both signs cancel: each layer's stand"
        " [above](#what-the-labs-package-reads-layer-by-layer).\n"
    )
    print(runs.markdown_table(["", "cycles", "of 48 MACs a cycle", "DRAM read B", "faster"], rows))


def print_storage():
    machine = json.loads(pathlib.Path("sim/spec/machines/eyeriss_6x8.json").read_text())
    pes = machine["rows"] * machine["cols"]
    ifmap, filters = 2 * machine["ifmap_spad_bytes"], 2 * machine["filter_spad_bytes"]
    ours = ifmap + filters + 4
    print("\n## What our machine has that the lab's has not\n")
    print(
        "Both have 48 PEs, a GLB of 64 KiB and a 32-bit bus. To do at the same time what the lab's machine does one"
        " after another, ours keeps its spads twice:\n"
    )
    print(
        runs.markdown_table(
            ["bytes a PE", "the lab's", "ours"],
            [
                ["ifmap spad", machine["ifmap_spad_bytes"], f"{ifmap}, a ring of two windows"],
                ["filter spad", machine["filter_spad_bytes"], f"{filters}, two halves"],
                ["psums", 4 * machine["max_pe_filters"], "4, an accumulator"],
                ["a PE", LAB_BYTES_A_PE, ours],
                [f"{pes} PEs", pes * LAB_BYTES_A_PE, pes * ours],
            ],
        )
    )
    gates = (
        " What they take in gates: [synthesis](synthesis.md)." if pathlib.Path("reports/synthesis.md").exists() else ""
    )
    print(
        "\nSo a PE stores as much, where the lab's keeps psums. What ours has more is a network each for ifmaps,"
        " filters, psums in and psums out, each with GLB ports of its own, and memories for biases, scales, a table"
        " and a pooled row: see [the machine](../docs/machine.md). What the lab's has beside PEs and GLB is not"
        f" known.{gates}"
    )


def chip_share(macs, pes, ms):
    """What the chip did of its MACs in a time of its batch, in percent."""
    return runs.percent(100 * macs / (pes * published.CHIP_MHZ * 1000 * ms / published.CHIP_BATCH))


def print_chip_machine(machine):
    by_dram = {dram: load(f"alexnet_{machine}", dram) for dram in CHIP_DRAMS}
    first = by_dram["pipelined"]
    convolutions, pes = first.convolutions(), runs.pes(machine)
    rows = []
    for name, times in [*published.CHIP_MS.items(), ("all", published.CHIP_ALL_MS)]:
        names = convolutions if name == "all" else [name]
        rows.append(
            [name]
            + [runs.percent(runs.used(run, names)) for run in by_dram.values()]
            + [chip_share(first.total("macs", names), pes, ms) for ms in times]
        )
    print(f"\n### On {machine}\n")
    print(
        runs.markdown_table(
            ["layer", *(f"ours, `{dram}`" for dram in CHIP_DRAMS), "the chip, in all", "... while processing"], rows
        )
    )
    print("\nWhat holds ours back, of all cycles of the convolutions:\n")
    multiplying = [
        runs.percent(100 * run.total("macs", convolutions) / (pes * run.total("compute_cycles", convolutions)))
        for run in by_dram.values()
    ]
    print(
        runs.cause_table(
            by_dram,
            [f"`{dram}`" for dram in CHIP_DRAMS],
            convolutions,
            ["... PEs in use while it multiplies", *multiplying],
        )
    )
    return (first.total("Memory read", convolutions) + first.total("Memory write", convolutions)) / 1e6


def print_chip():
    print("\n## AlexNet beside the Eyeriss chip\n")
    print(
        "The five convolutions, of 168 MACs a cycle, mapped with `--slack 15` for `pipelined`. `eyeriss_chip` has the"
        " chip's own networks, as we remember them; `eyeriss_12x14` has wider ones ([what they take](alexnet.md))."
        " `chip` is the chip's link, 64 bits at 60 MHz beside a core of 200 MHz, one direction at a time; our elements"
        " have 8 bits and the chip's 16, so `chip8` is half as fast, and moves as many elements a second. Pools are"
        " layers of their own, and in neither side's figures."
    )
    moved = {machine: print_chip_machine(machine) for machine in CHIP_MACHINES}
    print("\n### What differs besides\n")
    print(
        runs.markdown_table(
            ["", *moved, "the chip"],
            [
                ["batch", *[1] * len(moved), published.CHIP_BATCH],
                ["bits an element", *[8] * len(moved), 16],
                [
                    "DRAM a picture, read and written",
                    *(f"{megabytes:.2f} MB" for megabytes in moved.values()),
                    f"{published.CHIP_DRAM_MB / published.CHIP_BATCH:.2f} MB, compressed",
                ],
            ],
        )
    )
    print("\nThe chip reads its filters once for four pictures, ours for each.")


print_steps(print_parts())
print_storage()
print_chip()
