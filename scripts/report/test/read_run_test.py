# SPDX-License-Identifier: Apache-2.0
"""A run is read whole or refused with one line that names the file and what does not fit."""
import pathlib
import tempfile
import unittest

import made_run
from read_run import read_run
from report_error import ReportError

GROUPS = ("conv1_group0", "conv1_group1")


class ReadRunTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refused(self, pattern):
        with self.assertRaisesRegex(ReportError, pattern) as caught:
            read_run(self.folder)
        self.assertNotIn("\n", str(caught.exception))

    def test_rows_meet_the_compilers_plans(self):
        run = read_run(made_run.write(self.folder))
        self.assertEqual([layer.name for layer in run.layers], ["conv1", "conv2"])
        self.assertEqual(run.total("Cycles"), 4000)
        self.assertEqual(run.layers[1].call["array"]["fold_rows"], 3)
        self.assertEqual(run.pes, 48)

    def test_groups_are_told_apart(self):
        facts = made_run.about()
        facts["summary"]["layers"] = [
            {**facts["summary"]["layers"][1], "calls": [made_run.call(name) for name in GROUPS]}
        ]
        run = read_run(made_run.write(self.folder, [made_run.csv_row(name) for name in GROUPS], facts))
        self.assertEqual([(layer.name, layer.origin) for layer in run.layers], [(name, "conv1") for name in GROUPS])

    def test_a_network_that_stays_on_the_cpu_has_no_report(self):
        facts = made_run.about()
        del facts["summary"]["layers"][1:]
        made_run.write(self.folder, [], facts)
        self.refused(
            "^made: no layer of it runs on the accelerator, so there are no cycles to report; make build_model says why"
            " of each$"
        )

    def test_a_missing_prediction_is_no_mistake(self):
        run = read_run(
            made_run.write(self.folder, [made_run.csv_row("conv1", predicted_cycles=""), made_run.csv_row("conv2")])
        )
        self.assertEqual(run.layers[0].counters["predicted_cycles"], 0)

    def test_another_folder_is_no_report(self):
        self.refused("no report of this version; give a folder that make report wrote")

    def test_a_json_of_something_else_is_no_report(self):
        made_run.write(self.folder, facts={"summary": {}})
        self.refused("no report")
        (self.folder / "run.json").write_text("[1, 2")
        self.refused("no report")

    def test_a_missing_table_is_named(self):
        made_run.write(self.folder)
        (self.folder / "dla_info.csv").unlink()
        self.refused(r"dla_info\.csv: can't be read")

    def test_other_columns_are_refused(self):
        made_run.write(self.folder)
        table = self.folder / "dla_info.csv"
        table.write_text(table.read_text().replace("psum_cycles", "stall_cycles", 1))
        self.refused("not the columns of sim/spec/dla.json")

    def test_a_cut_row_is_refused(self):
        made_run.write(self.folder)
        table = self.folder / "dla_info.csv"
        table.write_text(table.read_text()[:-40])
        self.refused("line 3: .* cells; a row has")

    def test_a_word_for_a_number_is_refused(self):
        made_run.write(self.folder, [made_run.csv_row("conv1", passes="many"), made_run.csv_row("conv2")])
        self.refused("line 2: passes is 'many', not a number")

    def test_causes_that_do_not_add_up_are_refused(self):
        made_run.write(self.folder, [made_run.csv_row("conv1", dram_cycles=101), made_run.csv_row("conv2")])
        self.refused("conv1: its causes add up to 2001 cycles, not to 2000")

    def test_tensors_that_do_not_add_up_are_refused(self):
        made_run.write(self.folder, [made_run.csv_row("conv1"), made_run.csv_row("conv2", filter_read_bytes=1284)])
        self.refused("conv2: its tensors add up to 1796 bytes read, not to 1792")

    def test_a_table_of_another_network_is_refused(self):
        made_run.write(self.folder, [made_run.csv_row("conv1"), made_run.csv_row("conv2", M=8)])
        self.refused("2 layers that are not the 2 device layers of made")


if __name__ == "__main__":
    unittest.main()
