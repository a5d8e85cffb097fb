# SPDX-License-Identifier: Apache-2.0
"""The report of a network of 101 device layers, beside three others: it stays small, folds, finds layers, and compares,
in a browser."""
import copy
import pathlib
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser
import made_run
import compare
import markdown
import page
from read_run import read_run

MOST_BYTES = 3_000_000
GRAPH = '<svg width="9pt" height="9pt"></svg>'


class LargeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        here = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        made, facts = made_run.large()
        faster = [{**row, "Cycles": row["Cycles"] - 64, "control_cycles": row["control_cycles"] - 64} for row in made]
        fewer, shorter = made[:-1], copy.deepcopy(facts)  # Without the last layer.
        del shorter["summary"]["layers"][-1]
        shorter["summary"]["arena"] = shorter["summary"]["arena"][:-2]
        cls.run_ = read_run(made_run.write(here / "this", made, facts))
        folders = [
            made_run.write(here / "faster", faster, facts),
            made_run.write(here / "same", made, facts),
            made_run.write(here / "shorter", fewer, shorter),
        ]
        cls.others = [read_run(folder) for folder in folders]
        cls.labels = compare.label_runs(folders)
        cls.path = here / "index.html"
        cls.path.write_text(page.render(cls.run_, GRAPH, cls.others, cls.labels), encoding="utf-8")
        cls.browser = browser.start()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        browser.resize(self.browser, 1280)
        self.browser.get("about:blank")
        self.browser.get(self.path.as_uri())

    def find(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return browser.texts(self.browser, selector)

    def shown(self, selector):
        return browser.shown(self.browser, selector)

    def test_it_stays_small_and_alone(self):
        self.assertLess(self.path.stat().st_size, MOST_BYTES)
        asked = [
            address
            for address in browser.addresses(self.browser)
            if not address.startswith(("file:", "data:", "about:"))
        ]
        self.assertEqual((browser.console(self.browser), asked), ([], []))
        self.assertEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), 1280)

    def test_no_text_of_a_chart_is_cut(self):
        rows, facts = made_run.large(20)
        layers = facts["summary"]["layers"]
        last = {**layers[0], "name": "dequantize", "input": {**layers[-1]["input"], "from": layers[-1]["name"]}}
        layers.append(last)  # Named at the very end of the arena's axis.
        path = self.path.with_name("last.html")
        run = read_run(made_run.write(path.with_name("last"), rows, facts))
        path.write_text(page.render(run, GRAPH), encoding="utf-8")
        for width in (400, 1280):
            browser.resize(self.browser, width)
            self.browser.get(path.as_uri())
            browser.draw_all(self.browser)
            self.assertEqual(browser.cut_texts(self.browser), [], width)

    def test_a_machine_of_256_pes_keeps_it_small(self):
        with tempfile.TemporaryDirectory() as folder:
            run = read_run(made_run.write(folder, *made_run.large(cols=42)))
        self.assertLess(len(page.render(run, GRAPH).encode()), MOST_BYTES)

    def test_blocks_add_their_layers_up(self):
        layers = [layer for layer in self.run_.layers if layer.name.startswith("layer1_0_")]
        self.assertEqual(
            self.texts("#block-2 > *")[:3],
            ["layer1_0", "4 layers", f"{sum(layer.counters['Cycles'] for layer in layers):,}"],
        )
        self.assertEqual(len(self.find("#block-table tbody tr")), 25)
        self.assertIn("| layer1_0 | 4 | ", markdown.render(self.run_))

    def test_blocks_fold(self):
        self.assertEqual(len(self.shown("#layer-table tbody tr")), 26)
        button = self.find("#block-2 .fold")[0]
        self.assertEqual(button.get_attribute("aria-expanded"), "false")
        button.send_keys(Keys.ENTER)
        self.assertEqual(button.get_attribute("aria-expanded"), "true")
        self.assertEqual(len(self.shown("#layer-table tbody tr")), 30)
        button.send_keys(Keys.ENTER)
        self.assertEqual(len(self.shown("#layer-table tbody tr")), 26)
        self.find(".fold-all")[0].click()
        self.assertEqual(len(self.shown("#layer-table tbody tr")), 126)

    def test_layers_stay_behind_their_block_when_a_heading_sorts(self):
        self.find(".sortable thead button")[self.texts(".sortable thead button").index("cycles")].click()
        order = self.browser.execute_script(
            "return [...document.querySelectorAll('#layer-table tbody tr')].map((row) => [row.className,"
            " row.dataset.block])"
        )
        self.assertEqual(order[0], ["block", "26"])  # The last block has most cycles, the first layer fewest.
        self.assertEqual(order[:5], [["block", "26"], *[["member", "26"]] * 4])
        self.assertEqual(order[-1], ["", None])

    def test_the_box_finds_layers(self):
        self.browser.find_element(By.TAG_NAME, "body").send_keys("/")
        box = self.browser.switch_to.active_element
        self.assertEqual(box.get_attribute("id"), "find-layer")
        box.send_keys("LAYER2_3 conv4")
        self.assertEqual(self.find("#found")[0].text, "1 of 102")
        self.assertEqual(
            [row.get_attribute("id") for row in self.shown("#layer-table tr.member")], ["layer-layer2_3_conv4"]
        )
        self.assertEqual([one.get_attribute("id") for one in self.shown(".card")], ["array-layer2_3_conv4"])
        box.send_keys(Keys.ENTER)
        self.assertTrue(self.browser.current_url.endswith("#layer-layer2_3_conv4"))
        box.send_keys(Keys.ESCAPE)
        self.assertEqual(len(self.shown("#layer-table tbody tr")), 26)
        box.send_keys("no such layer")
        self.assertEqual(self.find("#found")[0].text, "0 of 102")

    def test_a_link_opens_the_block_of_its_layer(self):
        self.assertFalse(self.find("#layer-layer2_1_conv2")[0].is_displayed())
        self.browser.execute_script("location.hash = '#layer-layer2_1_conv2'")
        self.browser.execute_async_script("const done = arguments[0]; setTimeout(done, 50)")
        self.assertTrue(self.find("#layer-layer2_1_conv2")[0].is_displayed())

    def test_arrays_are_drawn_when_they_come_into_view(self):
        self.browser.execute_script("document.querySelector('#array-layer1_0_conv1').scrollIntoView()")
        self.browser.execute_async_script("const done = arguments[0]; setTimeout(done, 200)")
        words = [mark.get_attribute("aria-label") for mark in self.find("#array-layer1_0_conv1 .mark")]
        self.assertEqual(len(words), 48)
        self.assertIn(
            "PE (4, 5): filter row 1, output row 5, ifmap row 6; filters 0 to 3, channels 4 to 7 of a pass", words
        )
        self.assertFalse(self.find("#array-layer5_0_conv1 .mark"))

    def test_four_runs_are_compared(self):
        headings = self.texts("#compared-totals thead th")
        self.assertEqual(headings, ["figure", "this run", "faster", "change", "same", "change", "shorter", "change"])
        cycles = self.texts("#compared-totals tbody tr:first-child td")
        common = sum(layer.counters["Cycles"] for layer in self.run_.layers[:-1])
        faster = common - 64 * 100
        self.assertEqual(
            cycles,
            [
                f"{common:,}",
                f"{faster:,}",
                f"+{100 * (common - faster) / faster:.1f} %",
                f"{common:,}",
                "same",
                f"{common:,}",
                "same",
            ],
        )
        self.assertEqual(
            self.texts(".missing"), ["Only this run and faster and same have on the accelerator: layer5_0_conv4."]
        )
        for name in (".compared-layers .block", ".compared-layers .member"):
            self.assertTrue(self.find(name))

    def test_another_figure_is_compared(self):
        self.assertEqual([one.get_attribute("data-figure") for one in self.shown("[data-figure]")], ["1"])
        self.find("[name=figure]")[3].click()
        self.assertEqual([one.get_attribute("data-figure") for one in self.shown("[data-figure]")], ["4"])
        self.assertEqual(self.shown(".compared-layers thead th")[0].text, "DRAM bytes read")

    def test_the_summary_compares_four_too(self):
        text = markdown.render(self.run_, self.others, self.labels)
        self.assertIn("| figure | this run | faster | same | shorter |", text)
        self.assertIn("| **layer1_0** |", text)


if __name__ == "__main__":
    unittest.main()
