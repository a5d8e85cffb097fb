# SPDX-License-Identifier: Apache-2.0
"""Figures of the made run, worked out by hand; numbers and differences as people read them."""
import dataclasses
import pathlib
import tempfile
import unittest

import made_run
import compare
import figures
import formats
import markdown
import page
import rows
import tables
from read_run import read_run


class FiguresTest(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_ = read_run(made_run.write(pathlib.Path(folder)))
        self.layer = self.run_.layers[0]
        self.row = rows.Row("conv1", (self.layer,))

    def test_causes_add_up(self):
        self.assertEqual(sum(figures.causes(self.layer).values()), 2000)
        self.assertEqual(figures.lost_cycles(self.layer), 464)

    def test_dram_bytes_and_what_must_move(self):
        self.assertEqual(figures.dram_bytes(self.layer), {"ifmap": 512, "filter": 1280, "output": 1024})
        self.assertEqual(
            figures.compulsory_bytes(self.layer), {"ifmap": 512, "filter": 16 * 72 + 16 * 4, "output": 1024}
        )

    def test_each_group_has_bytes_that_must_move(self):
        grouped = dataclasses.replace(self.layer, counters={**self.layer.counters, "G": 3})
        once = figures.compulsory_bytes(self.layer)
        self.assertEqual(figures.compulsory_bytes(grouped), {tensor: 3 * number for tensor, number in once.items()})

    def test_a_mean_is_one_output_of_each_channel(self):
        shape = {**self.layer.call["shape"], "mean": True}
        mean = dataclasses.replace(self.layer, call={**self.layer.call, "shape": shape})
        self.assertEqual(figures.compulsory_bytes(mean)["output"], 16)

    def test_a_batch_has_filters_once_and_figures_of_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            run = read_run(made_run.write(pathlib.Path(folder), *made_run.batch()))
        self.assertEqual([layer.name for layer in run.layers], ["conv1", "conv2"])
        one, both = self.layer, run.layers[0]
        self.assertEqual(both.counters["Cycles"], 2 * one.counters["Cycles"])
        self.assertEqual(both.counters["H"], one.counters["H"])
        self.assertEqual(sum(figures.energy(run, both).values()), 2 * sum(figures.energy(run, one).values()))
        once = figures.compulsory_bytes(one)
        self.assertEqual(
            figures.compulsory_bytes(both),
            {"ifmap": 2 * once["ifmap"], "filter": once["filter"], "output": 2 * once["output"]},
        )
        self.assertEqual(figures.frames_per_second(run), 2 * 200e6 / 6000)
        self.assertAlmostEqual(figures.gops(run), figures.gops(self.run_))
        headline = {name: (value, note) for name, value, note in tables.headline(run)}
        self.assertEqual(headline["cycles of a picture"][0], "3,000")
        self.assertIn("of 2 pictures at once", headline["cycles of a picture"][1])

    def test_glb_words_add_up_by_tensor(self):
        words = figures.glb_words(self.layer)
        self.assertEqual(
            words, {"ifmap": (600, 128), "filter": (320, 320), "psum": (2048, 2048), "output": (1024, 1024)}
        )
        self.assertEqual(sum(read for read, _ in words.values()), self.layer.counters["glb_read_words"])
        self.assertEqual(sum(written for _, written in words.values()), self.layer.counters["glb_write_words"])

    def test_ports_of_the_glb(self):
        # Four ifmap columns, filter, psum and store; the load, psum and one output lane.
        self.assertEqual(figures.glb_ports(made_run.MACHINE), figures.GlbPorts(banks=32, read=7, written=3))
        wide = made_run.MACHINE | {"psum_lanes": 16, "filter_bytes_per_cycle": 8}
        self.assertEqual(figures.glb_ports(wide), figures.GlbPorts(banks=32, read=4 + 2 + 16 + 1, written=1 + 16 + 16))

    def test_energy_is_accesses_times_cost(self):
        self.assertEqual(
            figures.energy(self.run_, self.layer),
            {
                "mac": 80000 / 4,
                "spad": 60000 + 2 * 30000 + 3 * 80000,
                "pe": 70000 + 4 * 20000,
                "glb": 6 * (3992 + 3520),
                "dram": 100 * (1792 + 1024),
            },
        )
        self.assertEqual(
            sum(figures.energy(self.run_, self.layer).values()),
            sum(count * self.run_.cost["access_energy"][kind] for kind, count in figures.accesses(self.layer).items()),
        )

    def test_a_layer_under_the_roofline(self):
        point = figures.roofline(self.run_, self.layer)
        self.assertAlmostEqual(point.macs_per_byte, 73728 / 2816)
        self.assertAlmostEqual(point.macs_per_cycle, 36.864)
        self.assertEqual(point.attainable, 48)

    def test_prediction_and_time(self):
        self.assertAlmostEqual(figures.prediction_error(self.layer), -0.05)
        self.assertEqual(
            figures.prediction_errors(self.row),
            {"compute": 0, "psum": -0.025, "filter": 0, "ifmap": 0, "dram": -0.05, "output": 0.025, "control": 0},
        )
        self.assertAlmostEqual(sum(figures.prediction_errors(self.row).values()), figures.prediction_error(self.layer))
        self.assertAlmostEqual(figures.milliseconds(self.run_, 2000), 0.01)

    def test_the_headline_has_rates_and_a_unit_of_energy(self):
        """147,456 MACs in 4,000 cycles of 5 ns, which is 20 us; of 48 PEs at 200 MHz."""
        rows_ = {name: (value, note) for name, value, note in tables.headline(self.run_)}
        self.assertEqual(rows_["frames a second"][0], "50,000")
        self.assertEqual(rows_["GOPS"], ("14.75", "of 19.2 that 48 PEs can do; a MAC is two operations"))
        value, note = rows_["energy of a frame"]
        macs = 2 * sum(figures.energy(self.run_, self.layer).values())
        self.assertEqual(value, f"{formats.short(macs)} MACs")
        self.assertIn("the Eyeriss paper's unit", note)
        self.assertNotIn("GOPS/W", rows_)
        cost = {**self.run_.cost, "mac_pj": 2.5, "pj_source": "a paper", "area_mm2": 0.5, "density_source": "a library"}
        priced = dataclasses.replace(self.run_, cost=cost)
        rows_ = {name: (value, note) for name, value, note in tables.headline(priced)}
        self.assertEqual(rows_["GOPS/W"][0], f"{2 * 147456 / (2.5e-3 * macs):.1f}")
        self.assertEqual(rows_["TOPS/mm2"][0], "0.0295", "14.75 GOPS on half a square millimetre")
        self.assertIn("a library", rows_["TOPS/mm2"][1])
        value, note = tables.energy_words(priced)
        self.assertEqual(value, formats.joules(2.5 * macs))
        self.assertIn("a 16-bit MAC takes 2.5 pJ: a paper", note)

    def test_what_helps_is_said_from_one_percent_on(self):
        rows_ = tables.help_rows(self.run_)
        lost = "364, 19.2 %"
        self.assertEqual(
            rows_,
            [
                ("conv1", lost, "psum_lanes 2", "1", "1,600 for 1,900", "−15.8 %", "+5.2 %"),
                ("conv2", lost, "no larger size", "", "", "", ""),
            ],
        )
        self.assertIn("psum_lanes 2", markdown.render(self.run_))
        self.assertIn('id="help-table"', page.render(self.run_, '<svg width="9pt" height="9pt"></svg>'))

    def test_differences_are_marked(self):
        one = compare.difference(900, 1000)
        self.assertEqual((one.change, one.verdict), ("−10.0 %", "good"))
        self.assertEqual(compare.difference(1100, 1000).verdict, "bad")
        self.assertEqual(compare.difference(47, 40, less_is_good=False).verdict, "good")
        same = compare.difference(1000, 1000)
        self.assertEqual((same.change, same.verdict), ("same", "same"))
        self.assertEqual(compare.difference(5, 0).change, "")

    def test_totals_are_of_the_layers_that_both_have(self):
        other = dataclasses.replace(self.run_, layers=self.run_.layers[:1])
        cycles = compare.compare_totals([self.run_, other])[0]
        self.assertEqual((cycles.here, cycles.others), ("2,000", [compare.Difference("2,000", "same", "same")]))
        layers = compare.compare_layers([self.run_, other])
        self.assertEqual(
            [(one.name, one.figures[0].here, one.figures[0].others[0].value) for one in layers],
            [("conv1", "2,000", "2,000"), ("conv2", "2,000", "")],
        )
        self.assertEqual(
            compare.missing_words([self.run_, other], ["this run", "b"]),
            ["Only this run has on the accelerator: conv2."],
        )
        mirrored = compare.compare_layers([other, self.run_])
        self.assertEqual(
            [(one.name, one.figures[0].here, one.figures[0].others[0].value) for one in mirrored],
            [("conv1", "2,000", "2,000"), ("conv2", "", "2,000")],
        )

    def test_runs_are_called_by_what_tells_their_folders_apart(self):
        self.assertEqual(compare.label_runs(["reports/a", "reports/b"]), ["this run", "a", "b"])
        self.assertEqual(compare.label_runs(["x/net", "y/net"]), ["this run", "x/net", "y/net"])
        self.assertEqual(compare.label_runs([]), ["this run"])

    def test_a_shorter_drawing_keeps_its_words(self):
        self.assertEqual(
            page.shorter('<g d="M 1.234 5.04" aria-label="1.234 ms">\n <text x="0.55">36.864</text></g>'),
            '<g d="M 1.2 5" aria-label="1.234 ms"> <text x="0.6">36.864</text></g>',
        )

    def test_a_row_adds_its_layers_up(self):
        row = rows.Row("both", tuple(self.run_.layers))
        self.assertEqual(row.counters["Cycles"], 4000)
        self.assertEqual(figures.causes(row)["psum"], 600)
        self.assertEqual(figures.added(figures.glb_words, row)["ifmap"], (1200, 256))
        self.assertEqual(figures.added(figures.dram_bytes, row), {"ifmap": 1024, "filter": 2560, "output": 2048})
        self.assertAlmostEqual(figures.prediction_error(row), -0.05)

    def test_numbers_read_well(self):
        self.assertEqual(
            [formats.short(n) for n in (0, 9999, 10000, 999_499, 999_999, 2_401_472, -2e9)],
            ["0", "9,999", "10 k", "999 k", "1 M", "2.4 M", "-2 G"],
        )
        self.assertEqual(
            [formats.signed_percent(p, 2) for p in (0.0114, -0.0114, 0.00001)], ["+1.14 %", "−1.14 %", "0.00 %"]
        )
        self.assertEqual(
            [formats.first_to_last(0, 4), formats.first_to_last(5, 1), formats.span(4, 4)], ["0 to 3", "5", "4–7"]
        )
        self.assertEqual(
            [formats.milliseconds(n) for n in (0.01234, 0.1234, 12.345, 1234.5)],
            ["12.3 µs", "0.123 ms", "12.3 ms", "1,234 ms"],
        )
        self.assertEqual(
            [formats.joules(n) for n in (5, 12345, 1_234_567, 5e10)], ["5 pJ", "12.3 nJ", "1.23 µJ", "50 mJ"]
        )
        self.assertEqual([formats.byte_count(n) for n in (4000, 2_401_472)], ["4,000 B", "2.4 MB"])
        self.assertEqual([formats.several(1, "pass", "passes"), formats.several(2, "tile")], ["1 pass", "2 tiles"])


if __name__ == "__main__":
    unittest.main()
