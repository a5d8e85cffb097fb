# SPDX-License-Identifier: Apache-2.0
"""How runs become the tables of reports/vgg16.md: figures by hand, and the layers that are measured."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/memory"))
import runs
import vgg16_mappings
import vgg16_tables


def counted(cycles, **causes):
    return {f"{cause}_cycles": causes.get(cause, 0) for cause in runs.CAUSES} | {"Cycles": cycles, "cycles": cycles}


def command(name, cycles, macs, read, written, **causes):
    return {"layer": name, "macs": macs, "Memory read": read, "Memory write": written, **counted(cycles, **causes)}


def part(block, e, q, p, cycles, macs, **causes):
    return {"block": block, "mapping": {"e": e, "q": q, "p": p}, "macs": macs, "counters": counted(cycles, **causes)}


# 168,000,000 MACs are 1,000,000 cycles, or 5 ms, of all PEs.
LAYERS = [
    command("conv1_1", 2_000_000, 168_000_000, 3_000_000, 1_250_000, compute=1_000_000, psum=940_000, dram=60_000),
    command("conv5_1", 4_000_000, 336_000_000, 0, 750_000, compute=3_900_000, output=100_000),
    command("fc6", 9, 9, 9, 9),
]


class Vgg16Report(unittest.TestCase):
    def run_of(self, folder):
        pathlib.Path(folder, "run.json").write_text(
            json.dumps({"device": {"machine": "eyeriss_chip", "dram": "chip", "layers": LAYERS}})
        )
        return runs.Run(pathlib.Path(folder, "run.json"))

    def test_the_chips_share_is_of_its_batch(self):
        # Three pictures of 168,000,000 MACs are 15 ms of all PEs.
        self.assertAlmostEqual(vgg16_tables.chip_used(168_000_000, 168, 60), 25)

    def test_a_row_by_hand(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_of(folder)
        row = vgg16_tables.layer_row(run, "conv1_1", ["conv1_1"], (60, 30))
        self.assertEqual(
            row,
            [
                "conv1_1",
                "2,000,000",
                "10.0",
                "50.0 %",
                "compute 50.0 %, psum 47.0 %, dram 3.0 %",
                "3.00",
                "1.25",
                "20.0",
                "25.0 %",
                "50.0 %",
            ],
        )
        row = vgg16_tables.layer_row(run, "conv5_1", ["conv5_1"], None)
        self.assertEqual(row, ["conv5_1", "4,000,000", "20.0", "50.0 %", "compute 97.5 %", "0.00", "0.75", "", "", ""])
        row = vgg16_tables.layer_row(run, "all", run.convolutions(), (90, 45))
        self.assertEqual(
            row[1:4] + row[5:], ["6,000,000", "30.0", "50.0 %", "3.00", "2.00", "30.0", "50.0 %", "100.0 %"]
        )

    def test_parts_stand_by_width_block_and_channels(self):
        parts = [
            part(3, 13, 2, 5, 4, 168, psum=1),
            part(5, 14, 1, 16, 4, 168, psum=3),
            part(3, 14, 1, 7, 2, 168),
            part(3, 14, 2, 7, 1, 168, ifmap=1),
        ]
        channels, rows = vgg16_tables.part_rows(parts, 168)
        self.assertEqual(channels, [1, 2])
        self.assertEqual([row[:2] for row in rows], [[14, 3], [14, 5], [13, 3]])
        self.assertEqual(rows[0][3:], ["100.0 % (p=7; ifmap 100.0 %)", "40.5 %", "q = 1, 0.81"])
        self.assertEqual(rows[1][2:4], ["25.0 % (p=16; psum 75.0 %)", "none fits"])
        self.assertEqual(rows[2][2:4], ["none fits", "25.0 % (p=5; psum 25.0 %)"])

    def test_of_equal_shares_the_fewest_channels_are_nearest(self):
        parts = [part(1, 14, 4, 1, 10, 168), part(1, 14, 2, 1, 5, 168), part(1, 14, 1, 1, 5, 168)]
        self.assertEqual([vgg16_tables.nearest(parts, chip, 168)["mapping"]["q"] for chip in (20.4, 9)], [1, 4])

    def test_the_pages_tables_follow_from_the_folder(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            self.run_of(folder)
            pathlib.Path(folder, "mappings.json").write_text(json.dumps([part(5, 14, 4, 16, 2, 168, psum=1)]))
            vgg16_tables.main(folder)
        self.assertIn("| all | 6,000,000 | 30.0 |", printed.getvalue())
        self.assertIn("| DRAM MB a picture | 5.0 | 107.0 |", printed.getvalue())
        self.assertIn("| 14 | 5 | 50.0 % (p=16; psum 50.0 %) | 85.0 % | q = 4, 1.70 |", printed.getvalue())

    def test_a_part_is_of_its_convolution(self):
        part_of_it = vgg16_mappings.layer(4, 14, 2, 6)
        self.assertEqual(
            (part_of_it["mapping"]["m"], part_of_it["shape"]["M"], part_of_it["mapping"]["q"]), (24, 24, 2)
        )
        # 24 filters over 64 channels, 9 products each, for 28 x 28 outputs.
        self.assertEqual(vgg16_mappings.macs(part_of_it["shape"]), 10_838_016)


unittest.main()
