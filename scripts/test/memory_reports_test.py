# SPDX-License-Identifier: Apache-2.0
"""The reports that make memory writes: how runs become figures, and whether docs/results.md still says the same."""
import itertools
import json
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/memory"))
import lab_rule
import published
import runs

VGG8 = {
    "conv1": (3, 32, 64),
    "conv2": (64, 16, 192),
    "conv3": (192, 8, 384),
    "conv4": (384, 8, 256),
    "conv5": (256, 8, 256),
}  # C, H, M of 3x3 convolutions, padded by 1.


def reads_by(rule, C, H, M, m):
    """Bytes that a layer of VGG-8 reads by one of many rules."""
    halo, ifmap_channels, filter_channels, filters_a_row_tile, biases_a_row_tile, biases_a_filter_tile, e = rule

    def padded(to):
        return -(-C // to) * to

    def again(flag, times):
        return times if flag else 1

    tiles = [range(y, min(y + e, H)) for y in range(0, H, e)]
    rows_read = sum(
        {
            "none": len(tile),
            "in the map": len({y + dy for y in tile for dy in (-1, 0, 1)} & set(range(H))),
            "padding too": len(tile) + 2,
        }[halo]
        for tile in tiles
    )
    filter_tiles = -(-M // m)
    return (
        filter_tiles * rows_read * H * padded(ifmap_channels)
        + again(filters_a_row_tile, len(tiles)) * M * 9 * padded(filter_channels)
        + again(biases_a_row_tile, len(tiles)) * again(biases_a_filter_tile, filter_tiles) * 4 * M
    )


def rows(report, first):
    """The tables of a Markdown file as {first cell: other cells}, from the line that begins with `first` on; of rows
    with the same first cell the one in front."""
    text = (ROOT / report).read_text()
    lines = text[text.index(first) :].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    found = {}
    for row in cells:
        found.setdefault(row[0], row[1:])
    return found


def number(cell):
    return int(re.sub(r"[^0-9]", "", cell))


class MemoryReports(unittest.TestCase):
    def test_groups_are_one_layer(self):
        layers = [
            {"layer": name, "Cycles": cycles, "macs": 4800}
            for name, cycles in (("conv1", 100), ("conv2_group0", 150), ("conv2_group1", 50), ("fc3", 7))
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"device": {"machine": "eyeriss_6x8", "dram": "lab", "layers": layers}}, file)
            file.flush()
            run = runs.Run(file.name)
        self.assertEqual(run.convolutions(), ["conv1", "conv2"])
        self.assertEqual(run.total("Cycles", run.convolutions()), 300)
        self.assertEqual(run.total("Cycles"), 307)
        self.assertAlmostEqual(runs.used(run, ["conv1"]), 100.0)

    def test_one_rule_alone_gives_what_the_lab_reads(self):
        rules = itertools.product(
            ("none", "in the map", "padding too"),
            (1, 4),
            (1, 4),
            (False, True),
            (False, True),
            (False, True),
            (4, 8, 16, 32),
        )
        sizes = [1 << log2 for log2 in range(10)]
        m_of = {
            rule: [
                [m for m in sizes if reads_by(rule, *VGG8[name], m) == read]
                for name, (_, read) in published.LAB.items()
            ]
            for rule in rules
        }
        self.assertEqual(
            {rule: found for rule, found in m_of.items() if all(found)},
            {("in the map", 1, 4, True, False, False, 8): [[32], [64], [128], [128], [128]]},
        )

    def test_the_rule_gives_what_the_lab_reads(self):
        for name, m in zip(published.LAB, (32, 64, 128, 128, 128)):
            C, H, M = VGG8[name]
            layer = {"C": C, "H": H, "W": H, "M": M, "R": 3, "S": 3, "U": 1, "PAD": 1, "e": 8, "m": m}
            self.assertEqual(lab_rule.lab_reads(layer).total, published.LAB[name][1], name)

    def test_the_report_has_the_labs_reads_by_the_rule(self):
        report = rows("reports/lab.md", "| layer | tiles of rows")
        for name, (_, read) in published.LAB.items():
            cells = [number(cell) for cell in report[name][:-1]]
            self.assertEqual([sum(cells[2:5]), cells[5], cells[6]], [read] * 3, name)
            self.assertEqual(sum(cells[7:9]), cells[9], name)
            self.assertEqual(int(report[name][-1].replace(",", "")), cells[9] - read, name)

    def test_a_table_is_markdown(self):
        self.assertEqual(runs.markdown_table(["a", "b"], [[1, "x"]]), "| a | b |\n| --- | --- |\n| 1 | x |")

    def test_both_reports_say_the_same_of_alexnet(self):
        for machine in ("eyeriss_chip", "eyeriss_12x14"):
            alexnet, lab = rows("reports/alexnet.md", f"## {machine}"), rows("reports/lab.md", f"### On {machine}")
            for there, here in [*((name, name) for name in published.CHIP_MS), ("all convolutions", "all")]:
                self.assertEqual(alexnet[there][1:4], [lab[here][0], *lab[here][4:6]], (machine, here))

    def test_the_results_have_the_reports_cycles(self):
        results = rows("docs/results.md", "| layer | MACs | lab, cycles")
        report = rows("reports/memory.md", "| layer, cycles | pipelined | lab |")
        for name in ("conv1", "conv2", "conv3", "conv4", "conv5", "convolutions", "fc6", "fc7", "fc8", "all"):
            row = next(cells for first, cells in results.items() if first.split()[0] == name)
            self.assertEqual([number(row[3]), number(row[2])], [number(cell) for cell in report[name][:2]], name)

    def test_the_results_have_the_step_of_the_machine(self):
        steps = rows("reports/lab.md", "## From there")
        cycles = next(cells[0] for first, cells in steps.items() if "`MAPPING=lab DRAM=lab`" in first)
        self.assertIn(f"takes {cycles} cycles", (ROOT / "docs/results.md").read_text())

    def test_the_results_have_the_reports_of_alexnet_and_of_the_labs_reads(self):
        results = (ROOT / "docs/results.md").read_text()
        chip, wide = (
            rows("reports/alexnet.md", f"## {machine}")["all convolutions"]
            for machine in ("eyeriss_chip", "eyeriss_12x14")
        )
        reads = rows("reports/lab.md", "| layer | tiles of rows")
        for said in (
            f"the Eyeriss chip reached {chip[2]} of",
            f"does {chip[1]} of 168 MACs",
            f"`eyeriss_12x14` does {wide[1]};",
            f"move {chip[-1]} and {wide[-1]} times the least",
            *(f"{layer} reads {number(reads[layer][-2]):,} B" for layer in ("conv1", "conv2")),
        ):
            self.assertIn(said, results)


unittest.main()
