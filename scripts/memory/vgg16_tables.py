#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of reports/vgg16.md from what scripts/run_vgg16 left: vgg16_tables.py FOLDER."""
import json
import pathlib
import sys

import published
import runs

MHZ = published.CHIP_MHZ
LEAST_CAUSE = 3  # percent: causes below it are left out
MAPPINGS_TEXT = """\
Does a mapping of ours reproduce the chip's steps of 20, 40 and 80 %? A slot, in which a PE has q S products for a psum,
takes max(q S, ceil(e t / 4)) cycles ([timing](../docs/timing.md#a-pass)): with S = 3 and e t = 14 * 4 = 56 psums, 14
cycles, of which 3, 6 or 12 are products for q = 1, 2 or 4 channels a PE. That is 21.4, 42.9 and 85.7 % of the MACs of
the PEs in use; with e t = 13 * 4, 13 cycles, it is 23.1, 46.2 and 92.3 % of 156 PEs, which is 21.4, 42.9 and 85.7 % of
168.

Below, tiles of filters over some channels of a 3x3 convolution of each block, not pooled, are measured on SystemC with
memory `pipelined`, as the chip's processing time is without its memory: r = 1, t = 4, m = p t, e_glb = e, ifmap
streamed, and p the most filters a PE, up to 16, that the GLB has room for. Beside p stands what takes most cycles but
for multiplying.

"""
READING_TEXT = """
The nearest q with e = 14 doubles from step to step, as the chip's share does: that psums hold a slot up reproduces
steps of two, but for what the last column says. In block 1 our psums of 32 bits leave room for one filter a PE (p = 1),
and then 16 q ifmap values, one a cycle, hold a step of 14 cycles up for q = 2 and 4; there q = 1 is no loss. In block 2
they do not explain why q would be 1. What is measured is our machine. That the chip ran such mappings is inferred from
these figures alone: its published times say nothing of q, and what psums of 16 bits would have left room for was not
measured.
"""


def chip_used(macs, pes, batch_ms):
    """What the chip did of its MACs in so many milliseconds for its batch, in percent."""
    return 100 * macs * published.VGG16_BATCH / (pes * MHZ * 1000 * batch_ms)


def causes_of(run, names):
    cycles = run.total("Cycles", names)
    shares = sorted(
        ((100 * run.total(f"{cause}_cycles", names) / cycles, cause) for cause in runs.CAUSES), reverse=True
    )
    return ", ".join(f"{cause} {runs.percent(share)}" for share, cause in shares if share >= LEAST_CAUSE)


def layer_row(run, title, names, batch_ms):
    """A row of the first table. :param batch_ms: the chip's for its batch, in all and while processing, or nothing."""
    macs, cycles, pes = run.total("macs", names), run.total("Cycles", names), runs.pes(run.machine)
    chip = ["", "", ""]
    if batch_ms:
        chip = [f"{batch_ms[0] / published.VGG16_BATCH:.1f}"] + [
            runs.percent(chip_used(macs, pes, ms)) for ms in batch_ms
        ]
    return [
        title,
        f"{cycles:,}",
        f"{cycles / MHZ / 1000:.1f}",
        runs.percent(runs.used(run, names)),
        causes_of(run, names),
        f"{run.total('Memory read', names) / 1e6:.2f}",
        f"{run.total('Memory write', names) / 1e6:.2f}",
        *chip,
    ]


def print_layers(run):
    names = run.convolutions()
    rows = [layer_row(run, name, [name], published.VGG16_MS.get(name)) for name in names]
    rows.append(layer_row(run, "all", names, published.VGG16_ALL_MS))
    print(
        runs.markdown_table(
            [
                "layer",
                "cycles",
                "ms",
                "of 168 MACs a cycle",
                "causes",
                "DRAM read MB",
                "written MB",
                "chip ms",
                "chip, in all",
                "... processing",
            ],
            rows,
        )
    )
    moved = (run.total("Memory read", names) + run.total("Memory write", names)) / 1e6
    print()
    print(
        runs.markdown_table(
            ["", "ours", "the chip"],
            [
                ["pictures", 1, published.VGG16_BATCH],
                ["bits an element", 8, 16],
                ["DRAM MB in all", f"{moved:.1f}", f"{published.VGG16_DRAM_MB:.1f}"],
                ["DRAM MB a picture", f"{moved:.1f}", f"{published.VGG16_DRAM_MB / published.VGG16_BATCH:.1f}"],
            ],
        )
    )
    print(
        "\nBytes are not like for like: the chip compresses ifmaps and ofmaps, and reads a filter for three pictures at"
        " once; our mappings are chosen for cycles (`SLACK=2`). The link moves as many bytes a second as the chip's, so"
        " twice as many of our elements; DRAM binds hardly a layer here. The pools ride on our convolutions."
    )


def part_used(part, pes):
    return 100 * part["macs"] / (pes * part["counters"]["cycles"])


def part_rows(parts, pes):
    """A row for each block and width of the sets: a cell for each number of channels a PE."""
    channels = sorted({part["mapping"]["q"] for part in parts})
    rows = []
    for e, block in sorted(
        {(part["mapping"]["e"], part["block"]) for part in parts}, key=lambda place: (-place[0], place[1])
    ):
        found = {part["mapping"]["q"]: part for part in parts if (part["mapping"]["e"], part["block"]) == (e, block)}
        cells = []
        for q in channels:
            part = found.get(q)
            cells.append(
                "none fits"
                if part is None
                else f"{runs.percent(part_used(part, pes))} (p={part['mapping']['p']}; {worst_cause(part['counters'])})"
            )
        part = nearest(found.values(), published.VGG16_PROCESSING[block], pes)
        ratio = published.VGG16_PROCESSING[block] / part_used(part, pes)
        rows.append(
            [
                e,
                block,
                *cells,
                runs.percent(published.VGG16_PROCESSING[block]),
                f"q = {part['mapping']['q']}, {ratio:.2f}",
            ]
        )
    return channels, rows


def nearest(parts, chip, pes):
    """The part whose share of the MACs is nearest to the chip's; of equal ones, that with the fewest channels."""
    return min(parts, key=lambda part: (round(abs(part_used(part, pes) - chip), 1), part["mapping"]["q"]))


def worst_cause(counters):
    """What takes most of the cycles beside multiplying."""
    cause = max((cause for cause in runs.CAUSES if cause != "compute"), key=lambda cause: counters[f"{cause}_cycles"])
    return f"{cause} {runs.percent(100 * counters[f'{cause}_cycles'] / counters['cycles'])}"


def main(folder):
    folder = pathlib.Path(folder)
    run = runs.Run(folder / "run.json")
    print(
        "One picture of 224 x 224 in 8 bits on machine eyeriss_chip (168 PEs, 108 KiB GLB, 4 psums and one ifmap value"
        " a cycle) with memory `chip`, weights from a seed; the network answers as ONNX Runtime does, bit for bit.\nThe"
        " chip's columns are its times for a batch of three pictures in 16 bits (JSSC 2017), ms a third of them; where"
        " they are blank, the chip's times are not at hand, and `all` is its own sum. Percentages are MACs / (cycles x"
        " PEs), at 200 MHz for both.\n"
    )
    print_layers(run)
    parts = json.loads((folder / "mappings.json").read_text())
    channels, rows = part_rows(parts, runs.pes(run.machine))
    print("\n## Mappings with 1, 2 and 4 channels a PE\n")
    print(MAPPINGS_TEXT)
    print(
        runs.markdown_table(
            ["e", "block", *(f"q = {q}" for q in channels), "the chip, processing", "nearest, the chip / ours"], rows
        )
    )
    print(READING_TEXT)


if __name__ == "__main__":
    main(*sys.argv[1:])
