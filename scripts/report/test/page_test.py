# SPDX-License-Identifier: Apache-2.0
"""`make report` on both backends: the sums agree, and a browser finds the CSV's figures on a page that works."""
import csv
import pathlib
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser
import made_run  # pylint: disable=unused-import  # It puts the report's own folder on the path.
import figures
import read_run
import spec
from made_report import make_report

MARKS = ".mark, .role-mark > [aria-label]"  # As in page.js.
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 28, 36)"}
TENSORS = {"Memory read": ("ifmap_read_bytes", "filter_read_bytes"), "Memory write": ("write_bytes",)}


def read_rows(folder):
    with open(folder / "dla_info.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def total(rows, column):
    return sum(int(row[column]) for row in rows)


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The SystemC model's report, then the RTL's beside it."""
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.folders = {backend: pathlib.Path(folder, backend) for backend in ("systemc", "rtl")}
        cls.make("systemc")
        cls.make("rtl", f"COMPARE={cls.folders['systemc']}")
        cls.rows = {backend: read_rows(path) for backend, path in cls.folders.items()}
        cls.browser = browser.start()
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def make(cls, backend, *words):
        make_report(cls.folders[backend], f"BACKEND={backend}", *words)

    def open(self, backend, width=1280, colour_scheme="light"):
        browser.resize(self.browser, width, colour_scheme)
        self.browser.get((self.folders[backend] / "index.html").as_uri())
        browser.draw_all(self.browser)

    def find(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return browser.texts(self.browser, selector)

    def test_sums_agree_on_both_backends(self):
        for backend, rows in self.rows.items():
            for row in rows:
                with self.subTest(backend=backend, layer=row["layer"]):
                    self.assertEqual(sum(int(row[f"{cause}_cycles"]) for cause in spec.CAUSES), int(row["Cycles"]))
                    for whole, parts in TENSORS.items():
                        self.assertEqual(sum(int(row[part]) for part in parts), int(row[whole]))

    def test_the_compilers_glb_words_by_tensor_are_those_that_the_device_counts(self):
        for backend, folder in self.folders.items():
            for layer in read_run.read_run(folder).layers:
                with self.subTest(backend=backend, layer=layer.name):
                    words = figures.glb_words(layer).values()
                    self.assertEqual(sum(read for read, _ in words), layer.counters["glb_read_words"])
                    self.assertEqual(sum(written for _, written in words), layer.counters["glb_write_words"])

    def test_both_backends_count_the_same(self):
        def without_backend(rows):
            return [{name: value for name, value in row.items() if name != "backend"} for row in rows]

        self.assertEqual(without_backend(self.rows["rtl"]), without_backend(self.rows["systemc"]))

    def test_what_the_machine_takes_is_shown(self):
        """The 6 x 8 machine: its GLB, 48 filter spads of 96 B, biases of two sets of 128 filters, their scales of four,
        a table of 256 B."""
        self.open("systemc")
        self.assertIn(f"{65536 + 48 * 96 + (2 + 4) * 128 * 4 + 256:,}", self.find("#machine-memories")[0].text)
        rows = {
            part: int(gates.replace(",", ""))
            for part, gates in zip(
                self.texts("#machine-gates tbody th"), self.texts("#machine-gates tbody td:nth-of-type(1)")
            )
        }
        chip, whole = rows.pop("the Eyeriss chip, 12 x 14 of 16 bits"), rows.pop("all")
        self.assertEqual(chip, 1176000)
        self.assertAlmostEqual(sum(rows.values()), whole, delta=len(rows))
        self.assertIn("not the clock of a synthesis", self.find("#machine-gates caption")[0].text)
        self.assertIn("not the clock of the synthesis", self.find(".tiles")[0].text)

    def test_layers_add_up_to_the_totals_shown(self):
        rows = self.rows["rtl"]
        sums = [f"{total(rows, column):,}" for column in ("Cycles", "macs", "Memory read", "Memory write", "passes")]
        self.open("rtl")
        cells = self.texts("#layer-table tfoot td")
        markdown = (self.folders["rtl"] / "report.md").read_text(encoding="utf-8")
        last = next(line for line in markdown.splitlines() if line.startswith("| all |"))
        for number in sums:
            self.assertIn(number, cells)
            self.assertIn(f"| {number} |", last)
        self.assertEqual(self.find("#headline-cycles")[0].text, sums[0])

    def test_the_table_shows_each_layers_figures(self):
        self.open("rtl")
        for row in self.rows["rtl"]:
            cells = self.texts(f"#layer-{row['layer']} > *")
            for column in ("Cycles", "macs", "Memory read", "Memory write", "passes"):
                self.assertIn(f"{int(row[column]):,}", cells)

    def test_bars_say_each_layers_causes_and_bytes(self):
        self.open("systemc")
        words = self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((mark) => mark.getAttribute('aria-label'))", MARKS
        )
        for row in self.rows["systemc"]:
            for cause in spec.CAUSES:
                number = int(row[f"{cause}_cycles"])
                if number:
                    self.assertTrue(
                        any(text.startswith(f"{row['layer']}: {number:,} cycles {cause},") for text in words),
                        (row["layer"], cause),
                    )
            for column, tensor in (
                ("ifmap_read_bytes", "ifmap read"),
                ("filter_read_bytes", "filter read"),
                ("write_bytes", "output written"),
            ):
                self.assertTrue(
                    any(text.startswith(f"{row['layer']}: {int(row[column]):,} B of {tensor}") for text in words),
                    (row["layer"], tensor),
                )

    def test_nothing_is_loaded_and_nothing_goes_wrong(self):
        for backend in self.folders:
            self.open(backend)
            for selector in ("summary", ".sortable button", "nav a"):
                for one in self.find(selector):
                    one.click()
            asked = [
                address for address in browser.addresses(self.browser) if not address.startswith(("file:", "data:"))
            ]
            self.assertEqual((browser.console(self.browser), asked), ([], []))

    def test_every_link_leads_somewhere_and_no_id_is_there_twice(self):
        for backend in self.folders:
            self.open(backend)
            beside = {path.name for path in self.folders[backend].iterdir()}
            missing = self.browser.execute_script(
                "return [...document.querySelectorAll('a, ' + arguments[0])].map((a) => a.__data__?.datum?.l ||"
                " a.getAttribute('href') || a.getAttribute('xlink:href')).filter((to) => to && (!to.startsWith('#') ||"
                " !document.getElementById(to.slice(1))))",
                MARKS,
            )
            twice = self.browser.execute_script(
                "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.filter((id, at) =>"
                " ids.indexOf(id) !== at)"
            )
            self.assertEqual(([name for name in missing if name not in beside], twice), ([], []))

    def test_a_heading_sorts(self):
        self.open("systemc")
        button = self.find(".sortable button")[self.texts(".sortable button").index("cycles")]

        def column():
            return [int(text.replace(",", "")) for text in self.texts("#layer-table tbody td:nth-of-type(2)")]

        button.click()
        self.assertEqual(column(), sorted((int(row["Cycles"]) for row in self.rows["systemc"]), reverse=True))
        button.click()
        self.assertEqual(column(), sorted(int(row["Cycles"]) for row in self.rows["systemc"]))

    def test_the_keyboard_walks_through_a_chart(self):
        self.open("systemc")
        chart = self.find(".chart svg")[0]
        marks = chart.find_elements(By.CSS_SELECTOR, MARKS)
        self.browser.execute_script("arguments[0].focus()", chart)
        tip = self.find("#tip")[0]
        self.assertEqual(tip.text, marks[0].get_attribute("aria-label"))
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(tip.text, marks[1].get_attribute("aria-label"))
        self.browser.switch_to.active_element.send_keys(Keys.END)
        self.assertEqual(tip.text, marks[-1].get_attribute("aria-label"))
        self.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.assertFalse(tip.is_displayed())

    def test_marks_and_boxes_lead_to_their_rows(self):
        self.open("systemc")
        roofline = self.find(".chart[aria-label='Roofline'] svg")[0]
        self.browser.execute_script("arguments[0].focus()", roofline)
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.assertTrue(self.browser.current_url.endswith("#layer-conv1"))
        self.browser.execute_script(
            "document.querySelector('#graph-conv2 a').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        self.assertTrue(self.browser.current_url.endswith("#layer-conv2"))

    def test_the_page_fits_any_window(self):
        """Nothing scrolls sideways but the graph, and no text of a chart is cut."""
        for width in (400, 800, 1280, 1400):
            self.open("rtl", width)
            self.assertEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), width)
            wide = self.browser.execute_script(
                "return [...document.querySelectorAll('.scroll:not(.graph-box)')].filter((box) => box.scrollWidth >"
                " box.clientWidth).map((box) => box.firstElementChild.id)"
            )
            self.assertEqual((wide, browser.cut_texts(self.browser)), ([], []), width)

    def test_charts_have_one_size_alone_and_compared(self):
        for width in (400, 1400):
            sizes = {}
            for backend in self.folders:
                self.open(backend, width)
                sizes[backend] = self.browser.execute_script(
                    "return Object.fromEntries([...document.querySelectorAll('.chart')].map((chart) => [chart"
                    ".getAttribute('aria-label'), [chart.offsetWidth, chart.offsetHeight]]))"
                )
            self.assertEqual(sizes["systemc"], {name: sizes["rtl"][name] for name in sizes["systemc"]})
            self.assertGreater(len(sizes["rtl"]), len(sizes["systemc"]))

    def test_text_stands_out_light_and_dark(self):
        """4.5 to 1, as WCAG has it, of words in charts, tables and headings against the page."""
        for scheme in ("light", "dark"):
            self.open("rtl", colour_scheme=scheme)
            found = browser.contrasts(
                self.browser,
                ".chart text, h1, h2, h3, p, th, td, dt, dd, a:not(svg *), li, caption, figcaption, button",
            )
            self.assertGreater(len(found), 2)
            self.assertEqual({pair: ratio for pair, ratio in found.items() if ratio < 4.5}, {}, scheme)
            self.assertIn(PAPER[scheme], {background for _, background in found})

    def test_the_timeline_zooms(self):
        self.open("systemc")
        said, choice = self.find("#timeline output")[0], self.find("#timeline select")[0]
        end = int(said.text.split()[-1].replace(",", ""))
        self.assertEqual(said.text, f"cycles 0 to {end:,} of {end:,}")
        self.browser.execute_script("document.querySelector(\"#timeline [data-move='in']\").click()")
        self.assertEqual(
            said.text, f"cycles {int(end / 4 + 0.5):,} to {int(end / 4 + 0.5) + int(end / 2):,} of {end:,}"
        )
        option = next(one for one in choice.find_elements(By.TAG_NAME, "option") if one.text == "conv1")
        option.click()
        begin, done = map(int, option.get_attribute("value").split())
        self.assertEqual(done - begin, int(self.rows["systemc"][0]["Cycles"]))
        self.assertEqual(said.text, f"cycles {begin:,} to {done:,} of {end:,}")
        words = self.browser.execute_script(
            "return [...document.querySelectorAll('#timeline .role-mark > [aria-label]')].map((mark) =>"
            " mark.getAttribute('aria-label'))"
        )
        self.assertTrue(any(text.startswith("array: busy in ") and text.endswith(", conv1") for text in words), words)

    def test_two_backends_side_by_side_are_the_same(self):
        self.open("rtl")
        self.assertEqual(set(self.texts("#compared-totals tr:not(.measured) .change")), {"same"})
        self.assertEqual(sorted(self.texts("#compared-settings .differs")), ["rtl", "systemc"])


if __name__ == "__main__":
    unittest.main()
