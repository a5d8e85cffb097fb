# SPDX-License-Identifier: Apache-2.0
"""Layers on the CPU beside those on the accelerator: the sums end to end, worked out by hand, and how they were measured."""
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


def facts(seconds, runs=5):
    made = made_run.about()
    made["answer"] = {**made["answer"], "host": {"runs": runs, "layers": [{"layer": "quantize", "seconds": seconds}]}}
    return made


class HostTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def read(self, made):
        return read_run(made_run.write(self.folder, facts=made))

    def test_end_to_end_is_one_layer_after_another(self):
        run = self.read(facts(0.00006))
        self.assertEqual([(step.name, step.on_cpu) for step in host.steps(run)], [("quantize", True), ("conv1", False), ("conv2", False)])
        self.assertAlmostEqual(host.end_to_end(run), 0.06 + 2 * 0.01)  # 2,000 cycles each at 200 MHz.
        self.assertEqual(tables.host_rows(run), [("quantize", "quantize", "60 µs", "12,000", "75.00 %", "the CPU converts"),
                                                 ("all on the CPU", "", "60 µs", "12,000", "75.00 %", ""), ("the accelerator", "", "20 µs", "4,000", "25.00 %", "")])

    def test_page_and_summary_say_it_and_how_it_was_measured(self):
        run = self.read(facts(0.00006))
        html, text = page.render(run, GRAPH), markdown.render(run)
        for words in ("The median of 5 runs: the simulated one, and 4 with", "80 µs"):
            self.assertIn(words, html)
            self.assertIn(words, text)
        self.assertIn("quantize: 60 µs on the CPU, the CPU converts; 75.00 % of all", html)
        self.assertIn("Measured once", host.words(self.read(facts(1.0, runs=1))))

    def test_a_layer_that_falls_back_takes_its_time_on_the_cpu_instead(self):
        made = facts(0.00006)
        made["on_cpu"] = {"runs": 5, "layers": [{"layer": name, "seconds": seconds} for name, seconds in (("quantize", 0.00006), ("conv1", 0.0005), ("conv2", 0.00001))]}
        run = self.read(made)
        self.assertEqual(tables.fallback_rows(run), [("conv1", "qconv2d_relu", "2,000", "10 µs", "0.5 ms", "100,000", "0.57 ms"),
                                                     ("conv2", "qconv2d_relu", "2,000", "10 µs", "10 µs", "2,000", "80 µs"),
                                                     ("all", "", "4,000", "20 µs", "0.51 ms", "102,000", "0.57 ms")])
        for text in (page.render(run, GRAPH), markdown.render(run)):
            self.assertIn("Where a layer falls back", text)
            self.assertIn("what all of it then takes, of 80 µs", text)
        self.assertEqual(tables.fallback_rows(self.read(facts(0.00006))), [])

    def test_without_times_there_is_no_section(self):
        run = self.read(made_run.about())
        self.assertNotIn('id="host"', page.render(run, GRAPH))
        self.assertNotIn("End to end", markdown.render(run))

    def test_runs_are_compared_end_to_end(self):
        one, other = self.read(facts(0.00006)), self.read(facts(0.00014))
        times = compare.compare_times([one, other])
        self.assertEqual([(figure.name, figure.here, figure.others[0].value, figure.others[0].change) for figure in times],
                         [("all layers on the CPU", "60 µs", "0.14 ms", "−57.1 %"), ("end to end", "80 µs", "0.16 ms", "−50.0 %")])
        self.assertEqual(compare.compare_times([one, self.read(made_run.about())]), [])


if __name__ == "__main__":
    unittest.main()
