# SPDX-License-Identifier: Apache-2.0
"""The report of a network with branches, several inputs and several outputs: every layer has its row, every tensor its
time."""
import pathlib
import re
import tempfile
import unittest

import made_run
import markdown
import page
import tables
from charts import memory
from read_run import read_run


class GraphTest(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_of_graph = read_run(made_run.write(pathlib.Path(folder), facts=made_run.graph()))

    def test_each_layer_stands_where_it_ran(self):
        self.assertEqual([layer.name for layer, _ in tables.layer_rows(self.run_of_graph)], ["conv1", "conv2"])
        self.assertEqual(
            [(name, why) for name, _, _, why in tables.cpu_layers(self.run_of_graph)],
            [
                ("quantize1", "the CPU converts"),
                ("quantize2", "the CPU converts"),
                ("add", "the CPU adds"),
                ("dequantize1", "the CPU converts"),
                ("dequantize2", "the CPU converts"),
            ],
        )

    def test_a_tensor_is_kept_until_its_last_reader(self):
        chart = memory.draw_arena(self.run_of_graph).spec
        self.assertIn("conv1: 1,024 B at 2,048, from conv1 to add", chart)
        self.assertIn("quantize2: 1,024 B at 1,024, from quantize2 to dequantize2", chart)

    def test_a_residual_has_its_bars_and_its_region(self):
        facts = made_run.graph()
        call = facts["summary"]["layers"][3]["calls"][0]
        call["shape"]["residual"] = True
        call["glb"]["residual"] = [16384, 2048]
        for words in (call["accesses"]["glb_reads"], call["accesses"]["glb_writes"]):
            words["residual"] = 256
        rows = [
            made_run.csv_row("conv1"),
            made_run.csv_row("conv2", **{"residual_read_bytes": 1024, "Memory read": 1792 + 1024}),
        ]
        with tempfile.TemporaryDirectory() as folder:
            run = read_run(made_run.write(pathlib.Path(folder), rows, facts))
        html = page.render(run, '<svg width="9pt" height="9pt"></svg>')
        for words in (
            "conv2: 1,024 B of residual read; 1,024 B if each byte moved once",
            "conv2: 512 words of residual: 256 read, 256 written",
            "conv2: residual 2,048 B of the GLB from 16,384 on",
            "residual, read",
        ):
            self.assertIn(words, html)
        self.assertNotIn("residual, read", page.render(self.run_of_graph, '<svg width="9pt" height="9pt"></svg>'))

    def test_numbers_are_no_answer(self):
        self.assertNotIn("answer", [name for name, _, _ in tables.headline(self.run_of_graph)])

    def test_page_and_summary_are_whole(self):
        html = page.render(self.run_of_graph, '<svg width="9pt" height="9pt"></svg>')
        for name in ("conv1", "conv2", "add", "dequantize2"):
            self.assertEqual(len(re.findall(f'id="layer-{name}"', html)), 1, name)
        self.assertIn("| add | add | /add | the CPU adds |", markdown.render(self.run_of_graph))


if __name__ == "__main__":
    unittest.main()
