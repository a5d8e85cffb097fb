# SPDX-License-Identifier: Apache-2.0
"""Long names of layers in a report's charts: whole where there is room, else without their middle, and whole in what a
pointer is told. Long paths make no page wider. In a browser."""
import json
import pathlib
import tempfile
import unittest

import browser
import made_run
import page
from read_run import read_run

NAME = "model_layers_3_attention_output_dense_matmul"
GRAPH = '<svg width="9pt" height="9pt"></svg>'


class NamesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        here = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        facts = json.loads(json.dumps(made_run.about()).replace('"conv1"', f'"{NAME}"'))
        facts["settings"]["input"] = facts["made_by"]["command"] = f"photos/{NAME}/{NAME}.png"
        run = read_run(made_run.write(here / "run", [made_run.csv_row(NAME), made_run.csv_row("conv2")], facts))
        cls.path = here / "index.html"
        cls.path.write_text(page.render(run, GRAPH, [run], ["again"], None, None), encoding="utf-8")
        cls.browser = browser.start()
        cls.addClassCleanup(cls.browser.quit)

    def labels(self, width):
        """Of the chart of cycles: the names beside its bars, and what its bars say."""
        browser.resize(self.browser, width)
        self.browser.get("about:blank")
        self.browser.get(self.path.as_uri())
        browser.draw_all(self.browser)
        self.assertEqual(browser.cut_texts(self.browser), [], width)
        self.assertEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), width)
        return self.browser.execute_script(
            "const chart = document.querySelector('.chart[aria-label=Cycles]'); return ["
            "[...chart.querySelectorAll('.role-axis-label text')].map((text) => text.textContent),"
            "[...chart.querySelectorAll('[aria-label]')].map((mark) => mark.getAttribute('aria-label'))]"
        )

    def test_names_are_whole_where_there_is_room(self):
        for width, shown in ((1400, NAME), (400, "model_layers…dense_matmul")):
            names, words = self.labels(width)
            self.assertIn(shown, names)
            self.assertIn("conv2", names)
            self.assertTrue(any(word.startswith(f"{NAME}: ") for word in words), words)


if __name__ == "__main__":
    unittest.main()
