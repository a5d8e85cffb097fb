# SPDX-License-Identifier: Apache-2.0
"""Lists of the made run: what they saved, what splits them and what that costs, worked out by hand; on the page and in
the summary."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import made_run
import lists
import markdown
import page
import spec
import tables
from read_run import read_run

GRAPH = '<svg width="10pt" height="10pt"></svg>'
ON_CPU = [
    {
        "name": "add",
        "composite": "add",
        "onnx": "/add",
        "target": "cpu",
        "reason": "the CPU adds",
        "input": {"from": "conv2"},
    },
    {
        "name": "softmax",
        "composite": "softmax",
        "onnx": "/softmax",
        "target": "cpu",
        "reason": "the CPU has exp",
        "input": {"from": "add"},
    },
]


def facts(of, alone):
    """conv1 and conv2 in a row, then the CPU, then conv3, of which `of` says the lists and `alone` the cycles by a
    START each."""
    made = made_run.about()
    conv = {
        **made["summary"]["layers"][2],
        "name": "conv3",
        "onnx": "/conv3",
        "input": {"from": "softmax"},
        "calls": [made_run.call("conv3")],
    }
    made["summary"]["layers"] += [*ON_CPU, conv]
    return {**made, "lists": {"of": of, "alone": alone}}


class ListsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def read(self, of, alone, cycles=(2000, 2000, 2000)):
        rows = [
            made_run.csv_row(f"conv{i}", Cycles=number, control_cycles=64 + number - 2000)
            for i, number in enumerate(cycles, 1)
        ]
        return read_run(made_run.write(self.folder, rows, facts(of, alone)))

    def test_what_lists_save_and_a_split_costs(self):
        run = self.read({"conv1": 1, "conv2": 1, "conv3": 2}, {"conv1": 1970, "conv2": 2100, "conv3": 1980})
        self.assertEqual(
            [([layer.name for layer in one.layers], one.cycles, one.alone, one.saved) for one in lists.lists_of(run)],
            [(["conv1", "conv2"], 4000, 4070, 70), (["conv3"], 2000, 1980, -20)],
        )
        # conv3 takes 20 more as the first of its list, and would save 100, as conv2 does, behind conv2.
        self.assertEqual(
            [(split.behind, [layer["name"] for layer in split.cpu], split.cost) for split in lists.splits_of(run)],
            [(1, ["add", "softmax"], 120)],
        )
        self.assertEqual(
            tables.split_rows(run),
            [("1", "add, softmax", "the CPU adds; the CPU has exp", "120"), ("all", "", "", "120")],
        )

    def test_lists_of_one_layer_have_nothing_to_compare_with(self):
        run = self.read({"conv1": 1, "conv2": 2, "conv3": 3}, {"conv1": 1970, "conv2": 1970, "conv3": 1970})
        self.assertEqual([split.cost for split in lists.splits_of(run)], [None, None])
        self.assertEqual([row[1] for row in tables.split_rows(run)], ["nothing: the list was full", "add, softmax"])

    def test_one_list_has_no_splits(self):
        run = self.read({"conv1": 1, "conv2": 1, "conv3": 1}, {"conv1": 1970, "conv2": 2100, "conv3": 2100})
        self.assertEqual(tables.split_rows(run), [])
        self.assertIn("Nothing splits the list.", markdown.render(run))

    def test_page_and_summary_show_both(self):
        run = self.read({"conv1": 1, "conv2": 1, "conv3": 2}, {"conv1": 1970, "conv2": 2100, "conv3": 1980})
        text, html = markdown.render(run), page.render(run, GRAPH)
        for row in (*tables.list_rows(run), *tables.split_rows(run)):
            self.assertIn("| " + " | ".join(row) + " |", text)
            for cell in row:
                self.assertIn(f">{cell}</t", html)
        self.assertIn('href="#lists"', html)

    def test_without_lists_there_is_no_section(self):
        run = read_run(made_run.write(self.folder))
        self.assertNotIn("Lists", markdown.render(run))
        self.assertNotIn('id="lists"', page.render(run, GRAPH))

    def test_what_test_dla_prints_becomes_the_runs_lists(self):
        def write(name, value):
            path = self.folder / name
            path.write_text(json.dumps(value), encoding="utf-8")
            return str(path)

        layers = [{"layer": "conv1", "Cycles": 90, "list": 1}, {"layer": "conv2", "Cycles": 80, "list": 1}]
        alone = [{"layer": "conv1", "Cycles": 91}, {"layer": "conv2", "Cycles": 92}]
        nothing = write("nothing", {})
        command = [
            sys.executable,
            "-B",
            spec.ROOT / "scripts/report/describe_run.py",
            self.folder / "run.json",
            "--summary",
            nothing,
            "--machine",
            nothing,
            "--cost",
            nothing,
            "--answer",
            write("answer", {"device": {"layers": layers}}),
            "--alone",
            write("alone", {"device": {"layers": alone}}),
        ]
        subprocess.run(command, check=True)
        self.assertEqual(
            json.loads((self.folder / "run.json").read_text(encoding="utf-8"))["lists"],
            {"of": {"conv1": 1, "conv2": 1}, "alone": {"conv1": 91, "conv2": 92}},
        )


if __name__ == "__main__":
    unittest.main()
