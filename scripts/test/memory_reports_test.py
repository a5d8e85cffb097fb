# SPDX-License-Identifier: Apache-2.0
"""The reports that make memory writes: how runs become figures, and whether the README still says the same."""
import json
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/memory"))
import runs


def rows(report, first):
    """The tables of a Markdown file as {first cell: other cells}, from the line that begins with `first` on."""
    text = (ROOT / report).read_text()
    lines = text[text.index(first):].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: row[1:] for row in reversed(cells)}


def number(cell):
    return int(re.sub(r"[^0-9]", "", cell))


class MemoryReports(unittest.TestCase):
    def test_groups_are_one_layer(self):
        layers = [{"layer": name, "Cycles": cycles, "macs": 4800} for name, cycles in
                  (("conv1", 100), ("conv2_group0", 150), ("conv2_group1", 50), ("fc3", 7))]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"device": {"machine": "eyeriss_6x8", "dram": "lab", "layers": layers}}, file)
            file.flush()
            run = runs.Run(file.name)
        self.assertEqual(run.convolutions(), ["conv1", "conv2"])
        self.assertEqual(run.total("Cycles", run.convolutions()), 300)
        self.assertEqual(run.total("Cycles"), 307)
        self.assertAlmostEqual(runs.used(run, ["conv1"]), 100.0)

    def test_a_table_is_markdown(self):
        self.assertEqual(runs.table(["a", "b"], [[1, "x"]]), "| a | b |\n|---|---|\n| 1 | x |")

    def test_the_readme_has_the_reports_cycles(self):
        readme = rows("README.md", "| layer | MACs | lab, cycles")
        report = rows("reports/memory.md", "| layer, cycles | pipelined | lab |")
        for name in ("conv1", "conv2", "conv3", "conv4", "conv5", "convolutions", "fc6", "fc7", "fc8", "all"):
            row = next(cells for first, cells in readme.items() if first.split()[0] == name)
            self.assertEqual([number(row[3]), number(row[2])], [number(cell) for cell in report[name][:2]], name)

    def test_the_readme_has_the_step_of_the_machine(self):
        steps = rows("reports/lab.md", "## From there")
        cycles = next(cells[0] for first, cells in steps.items() if "`MAPPING=lab DRAM=lab`" in first)
        self.assertIn(f"takes {cycles} cycles", (ROOT / "README.md").read_text())


unittest.main()
