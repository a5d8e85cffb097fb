# SPDX-License-Identifier: Apache-2.0
"""Layers on the CPU beside those on the accelerator: sums worked out by hand, in every table; and what was measured
where that was asked for."""
import pathlib
import tempfile
import unittest

import made_run
import compare
import host
import markdown
import page
import tables
from read_run import read_run

GRAPH = '<svg width="9pt" height="9pt"></svg>'
CPU = {
    "name": "in-order core",
    "clock_mhz": 200,
    "cycles_per_mac": 4,
    "cycles_per_byte": 1,
    "cycles": 12000,
    "layers": [],
}


def facts():
    made = made_run.about()
    made["answer"] = {**made["answer"], "cpu": CPU}
    return made


def measured(seconds=0.00006, runs=5):
    made = facts()
    made["answer"]["host"] = {"runs": runs, "layers": [{"layer": "quantize", "seconds": seconds}]}
    return made


def rows(cycles=12000):
    """conv1, conv2 and in front of them a layer on the CPU, of so many cycles and as many MACs as half of one of
    theirs."""
    return [made_run.cpu_row("quantize", cycles, 36864), made_run.csv_row("conv1"), made_run.csv_row("conv2")]


class HostTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def read(self, made, csv_rows=None):
        return read_run(made_run.write(self.folder, csv_rows, made))

    def test_end_to_end_is_one_layer_after_another(self):
        run = self.read(facts(), rows())
        self.assertEqual(
            [(step.name, step.on_cpu) for step in host.steps(run)],
            [("quantize", True), ("conv1", False), ("conv2", False)],
        )
        self.assertAlmostEqual(host.end_to_end(run), 0.06 + 2 * 0.01)  # 12,000 cycles, and 2,000 each, at 200 MHz.
        self.assertEqual(
            tables.host_rows(run),
            [
                ("quantize", "quantize", "12,000", "60 µs", "75.00 %", "", "the CPU converts"),
                ("all on the CPU", "", "12,000", "60 µs", "75.00 %", "", ""),
                ("the accelerator", "", "4,000", "20 µs", "25.00 %", "", ""),
            ],
        )

    def test_the_cpu_stands_in_headline_and_tables(self):
        run = self.read(facts(), rows())
        headline = {name: (value, note) for name, value, note in tables.headline(run)}
        self.assertEqual(headline["cycles"][0], "16,000")
        self.assertTrue(headline["cycles"][1].startswith("0.08 ms at 200 MHz"))
        self.assertEqual(headline["on the CPU"][0], "75.0 % of the cycles")
        self.assertTrue(
            headline["on the CPU"][1].startswith(
                "12,000 cycles and 20.0 % of the MACs; in-order core, 200 MHz, 4 cycles a MAC and 1 a byte moved"
            )
        )
        self.assertEqual(
            [row[:5] for row in tables.total_rows(run)],
            [
                ["accelerator", "", "4,000", "25.0 %", "147,456"],
                ["CPU", "", "12,000", "75.0 %", "36,864"],
                ["all", "", "16,000", "100.0 %", "184,320"],
            ],
        )
        self.assertEqual(
            [text for text, _ in tables.cpu_rows(run)[0][1]][:7],
            ["quantize", "quantize", "12,000", "75.0 %", "36,864", "", "on the CPU"],
        )
        text = markdown.render(run)
        self.assertIn("| quantize | quantize | 12,000 | 75.0 % | 36,864 |", text)
        html = page.render(run, GRAPH)
        self.assertIn("quantize: 60 µs on the CPU, the CPU converts; 75.00 % of all", html)
        for words in ("75.0 % of the cycles", "in-order core", "80 µs"):
            self.assertIn(words, html)

    def test_without_cpu_layers_the_accelerators_sum_is_all(self):
        run = self.read(made_run.about())
        self.assertEqual([row[:4] for row in tables.total_rows(run)], [["all", "", "4,000", "100.0 %"]])
        self.assertNotIn('id="host"', page.render(run, GRAPH))
        self.assertNotIn("End to end", markdown.render(run))

    def test_what_was_measured_stands_beside_and_counts_nowhere(self):
        run = self.read(measured(), rows())
        self.assertEqual(
            tables.host_rows(run)[0],
            ("quantize", "quantize", "12,000", "60 µs", "75.00 %", "60 µs", "the CPU converts"),
        )
        for text in (page.render(run, GRAPH), markdown.render(run)):
            self.assertIn("They are the median of 5 runs: the simulated one, and 4 without", text)
        self.assertEqual(host.end_to_end(self.read(measured(1.0), rows())), host.end_to_end(run))
        self.assertIn("They are from the simulated run", host.words(self.read(measured(1.0, runs=1))))
        self.assertEqual(
            tables.host_rows(self.read(measured()))[0],
            ("quantize", "quantize", "", "", "", "60 µs", "the CPU converts"),
        )

    def test_a_target_of_the_users_has_rows_of_its_own(self):
        gemm = {**made_run.cpu_row("quantize", 500, 36864), "backend": "gemm"}
        run = self.read(facts(), [gemm, made_run.csv_row("conv1"), made_run.csv_row("conv2")])
        self.assertEqual([(layer.name, layer.target) for layer in run.target_layers], [("quantize", "gemm")])
        self.assertEqual((run.cycles, run.cpu_layers), (500 + 2 * 2000, []))
        self.assertEqual(
            [row[:4] for row in tables.total_rows(run)],
            [["accelerator", "", "4,000", "88.9 %"], ["gemm", "", "500", "11.1 %"], ["all", "", "4,500", "100.0 %"]],
        )
        self.assertEqual(tables.host_rows(run)[0][:3], ("quantize", "quantize on gemm", "500"))
        self.assertIn(("all on gemm", "", "500"), [row[:3] for row in tables.host_rows(run)])
        self.assertEqual([step.place for step in host.steps(run)], ["on gemm"] + 2 * ["on the accelerator"])
        for text in (page.render(run, GRAPH), markdown.render(run)):
            self.assertIn("all on gemm", text)

    def test_a_layer_that_falls_back_takes_its_time_on_the_cpu_instead(self):
        made = measured()
        made["on_cpu"] = {
            "runs": 5,
            "layers": [
                {"layer": name, "seconds": seconds}
                for name, seconds in (("quantize", 0.00006), ("conv1", 0.0005), ("conv2", 0.00001))
            ],
        }
        run = self.read(made)
        self.assertEqual(
            tables.fallback_rows(run),
            [
                ("conv1", "qconv2d_relu", "2,000", "10 µs", "0.5 ms", "100,000", "0.57 ms"),
                ("conv2", "qconv2d_relu", "2,000", "10 µs", "10 µs", "2,000", "80 µs"),
                ("all", "", "4,000", "20 µs", "0.51 ms", "102,000", "0.57 ms"),
            ],
        )
        for text in (page.render(run, GRAPH), markdown.render(run)):
            self.assertIn("Where a layer falls back", text)
            self.assertIn("80 µs without it", text)
        self.assertEqual(tables.fallback_rows(self.read(measured())), [])

    def test_runs_are_compared_end_to_end(self):
        one, other = self.read(facts(), rows()), self.read(facts(), rows(28000))
        self.assertEqual(
            [
                (figure.name, figure.here, figure.others[0].value, figure.others[0].change)
                for figure in compare.compare_times([one, other])
            ],
            [("all layers on the CPU", "60 µs", "0.14 ms", "−57.1 %"), ("end to end", "80 µs", "0.16 ms", "−50.0 %")],
        )
        without = self.read(made_run.about())
        self.assertEqual(compare.compare_times([without, one])[1].others[0].change, "−75.0 %")
        self.assertEqual(compare.compare_times([without, without]), [])


if __name__ == "__main__":
    unittest.main()
