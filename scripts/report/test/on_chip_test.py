# SPDX-License-Identifier: Apache-2.0
"""What stays on chip, of the made run with a tensor between its layers: tables, boxes of the GLB, events of a trace,
worked out by hand."""
import gzip
import json
import pathlib
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser
import made_run
import figures
import markdown
import on_chip
import page
import tables
from charts import memory
from read_run import read_run
from report_folder import ReportFolder

# conv1's 1,024 B are 16 channels of 8 x 8 in 4 columns: 4 planes of 64 B under each other.
SLICES = {"slices": 2, "layers": ["conv1", "conv2"], "on_chip_bytes": 8192, "dram_bytes_alone": 5632}
TENSOR = {
    "name": "conv1",
    "first": "conv1",
    "last": "conv2",
    "rows": 8,
    "plane_rows": 4,
    "begin": 0,
    "end": 512,
    "readers": 1,
    "bytes": 1024,
    "saved": 2048,
}


def made(steps=(SLICES,), tensors=(TENSOR,)):
    """(rows, about()) where conv2 reads what conv1 writes on chip: 1,024 B, of which it has 16 channels."""
    facts = made_run.about()
    facts["summary"]["on_chip"] = {"steps": list(steps), "tensors": list(tensors)}
    first, second = (layer["calls"][0] for layer in facts["summary"]["layers"][1:])
    first["shape"]["ofmap_on_chip"] = second["shape"]["ifmap_on_chip"] = True
    second["shape"]["C"] = 16
    second["glb"]["ifmap"] = [0, 8192]
    rows = [
        made_run.csv_row("conv1", **{"write_bytes": 0, "Memory write": 0}),
        made_run.csv_row("conv2", **{"ifmap_read_bytes": 0, "Memory read": 1280, "C": 16}),
    ]
    return rows, facts


class OnChipTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_ = read_run(made_run.write(self.folder, *made()))

    def test_steps_and_tensors_have_rows(self):
        """Read in conv1: 512 B of ifmap and 1,280 of filters; in conv2 1,280 of filters; 1,024 B are written."""
        moved = 512 + 2 * 1280 + 1024
        step = ("2", "4,000", "8,192", f"{moved:,}", "5,632", "−27.3 %")
        self.assertEqual(
            tables.step_rows(self.run_),
            [("conv1 to conv2", *step), ("all", "", "4,000", "", f"{moved:,}", "5,632", "−27.3 %")],
        )
        self.assertEqual(
            tables.chip_rows(self.run_),
            [
                ("conv1", "conv1", "conv2", "1", "1,024", "0", "512", "4 of 8", "2,048"),
                ("all", "", "", "", "", "", "", "", "2,048"),
            ],
        )

    def test_what_must_move_is_without_what_is_on_chip(self):
        first, second = map(figures.compulsory_bytes, self.run_.layers)
        self.assertEqual(first, {"ifmap": 512, "filter": 16 * 72 + 16 * 4, "output": 0})
        self.assertEqual(second, {"ifmap": 0, "filter": 16 * 144 + 16 * 4, "output": 1024})
        headline = {name: (value, note) for name, value, note in tables.headline(self.run_)}
        self.assertEqual(headline["saved"][0], "2,048 B")
        self.assertIn("1 tensor", headline["saved"][1])

    def test_a_residual_on_chip_is_only_read(self):
        rows, facts = made()
        reads = facts["summary"]["layers"][2]["calls"][0]["accesses"]["glb_reads"]
        reads["residual"] = 256
        with tempfile.TemporaryDirectory() as folder:
            run = read_run(made_run.write(folder, rows, facts))
        self.assertEqual(figures.glb_words(run.layers[1])["residual"], (256, 0))

    def test_energy_is_of_what_was_counted(self):
        """100 a byte of DRAM, 6 a word of the GLB: 1,024 B written and 512 read less, 256 and 128 words more in it."""
        rows, facts = made()
        rows[0]["glb_write_words"] += 256
        rows[1]["glb_read_words"] += 128
        with tempfile.TemporaryDirectory() as folder:
            chip = read_run(made_run.write(folder, rows, facts))
        with tempfile.TemporaryDirectory() as folder:
            none = read_run(made_run.write(folder))
        energy = [sum(sum(figures.energy(run, layer).values()) for layer in run.layers) for run in (none, chip)]
        self.assertEqual(energy[0] - energy[1], 100 * (1024 + 512) - 6 * (256 + 128))

    def test_the_glb_has_a_box_for_the_tensor_and_a_frame(self):
        chart = memory.draw_glb(self.run_)
        boxes = [one for one in chart.layers[0]["data"]["values"] if one["c"] == "chip"]
        self.assertEqual(
            boxes,
            [
                {
                    "x": 0,
                    "x2": 4000,
                    "y": 0,
                    "y2": 512,
                    "c": "chip",
                    "w": (
                        "conv1 on chip from conv1 to conv2: 512 B of the GLB from 0 on, a ring of 4 of 8 rows; saves"
                        " 2,048 B of DRAM traffic"
                    ),
                    "t": "conv1",
                }
            ],
        )
        ifmaps = [one["w"].split(":")[0] for one in chart.layers[0]["data"]["values"] if one["c"] == "ifmap"]
        self.assertEqual(ifmaps, ["conv1"], "what conv2 reads is the tensor")
        frames = [one for one in chart.layers if one["mark"].get("strokeDash")]
        self.assertEqual(frames[0]["data"]["values"][0]["w"], "conv1 to conv2: 2 layers depth first, in 2 slices")
        self.assertEqual(chart.legend["chip"], "stays on chip")

    def test_a_run_with_all_in_dram_has_none_of_it(self):
        made_run.write(self.folder)
        run = read_run(self.folder)
        self.assertEqual((tables.step_rows(run), tables.chip_rows(run), on_chip.trace_events(run, [])), ([], [], []))
        self.assertNotIn("chip", memory.draw_glb(run).legend)
        self.assertNotIn("On chip", markdown.render(run))
        self.assertNotIn("on-chip", page.render(run, '<svg width="9pt" height="9pt"></svg>'))

    def test_the_page_and_the_summary_have_the_tables(self):
        found = page.render(self.run_, '<svg width="9pt" height="9pt"></svg>')
        for words in ('id="step-table"', 'id="chip-table"', "conv1 to conv2"):
            self.assertIn(words, found)
        self.assertIn("| conv1 to conv2 | 2 | 4,000 |", markdown.render(self.run_))

    def test_pointer_and_keyboard_find_tensors_and_frames(self):
        """A frame lies above the boxes, and hides none of them from the pointer."""
        high = {**TENSOR, "begin": 20000, "end": 40000}
        path = self.folder / "index.html"
        run = read_run(made_run.write(self.folder, *made(tensors=[high])))
        spans = {"end": 4000, "width": 1, "layers": [["conv1", 0, 2000], ["conv2", 2000, 4000]], "units": []}
        spans["chains"] = on_chip.depth_first_spans(run, spans["layers"])
        path.write_text(page.render(run, '<svg width="9pt" height="9pt"></svg>', spans=spans), encoding="utf-8")
        chromium = browser.start()
        self.addCleanup(chromium.quit)
        browser.resize(chromium, 1280)
        chromium.get(path.as_uri())
        browser.draw_all(chromium)
        drawing = chromium.find_element(By.CSS_SELECTOR, ".chart[aria-label='GLB: 64 KiB'] svg")
        hit = chromium.execute_script(
            "arguments[0].scrollIntoView(); const {left, top, width, height} = arguments[0].getBoundingClientRect();"
            " return document.elementFromPoint(left + width / 3, top + height / 2).getAttribute('aria-label')",
            drawing,
        )
        self.assertTrue(hit.startswith("conv1 on chip from conv1 to conv2: 20,000 B of the GLB"), hit)
        chromium.execute_script("arguments[0].focus()", drawing)
        chromium.switch_to.active_element.send_keys(Keys.END)
        frame = "conv1 to conv2: 2 layers depth first, in 2 slices"
        self.assertEqual(chromium.find_element(By.ID, "tip").text, frame)
        words = chromium.execute_script(
            "return [...document.querySelectorAll('#timeline .role-mark > [aria-label]')].map((mark) =>"
            " mark.getAttribute('aria-label'))"
        )
        self.assertIn("conv1 to conv2 depth first: cycles 0 to 4,000", words)
        self.assertEqual((browser.console(chromium), browser.cut_texts(chromium)), ([], []))

    def test_a_trace_gets_spans_and_a_counter(self):
        """Two slices: conv1, conv2, conv1, conv2; a tensor beside another gets a track of its own."""
        layers = [["conv1", 10, 20], ["conv2", 20, 30], ["conv1", 30, 50], ["conv2", 50, 60]]
        self.assertEqual(on_chip.depth_first_spans(self.run_, layers), [["conv1 to conv2", 10, 60]])
        other = {**TENSOR, "name": "beside"}
        run = read_run(made_run.write(self.folder, *made(tensors=[TENSOR, other])))
        events = on_chip.trace_events(run, layers)
        spans = [(one["tid"], one["name"], one["ts"], one["dur"]) for one in events if one["ph"] == "X"]
        self.assertEqual(spans, [(20, "conv1 to conv2", 10, 50), (21, "conv1", 10, 50), (22, "beside", 10, 50)])
        self.assertEqual([one["args"] for one in events if one["ph"] == "C"], [{"bytes": 8192}])
        trace = self.folder / "trace.json"
        trace.write_text('{"traceEvents":[\n{"ph":"X"},\n{"ph":"X"}\n]}\n')
        with ReportFolder(self.folder / "report") as files:
            files.write("run.json", "{}")
            files.write_trace(trace, events)
        whole = json.loads(gzip.decompress((self.folder / "report/trace.json.gz").read_bytes()))
        self.assertEqual(whole["traceEvents"], [{"ph": "X"}, {"ph": "X"}, *events])


if __name__ == "__main__":
    unittest.main()
