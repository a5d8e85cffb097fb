# SPDX-License-Identifier: Apache-2.0
"""`make report RESIDENCY=chip` of a network with residuals and layers that run depth first: the plan's places and saved
bytes are those of the commands that ran, and a browser finds them on a page that works."""
import dataclasses
import gzip
import json
import pathlib
import tempfile
import unittest

import browser
import made_run  # pylint: disable=unused-import  # It puts the report's own folder on the path.
import figures
import on_chip
from made_report import make_report
from read_run import read_run

MODEL = "models/mobilenet_v2_cifar10.onnx"


def with_all_in_dram(layer):
    shape = {name: value for name, value in layer.call["shape"].items() if not name.endswith("_on_chip")}
    return dataclasses.replace(layer, call={**layer.call, "shape": shape})


def must_move(layers):
    return sum(sum(figures.compulsory_bytes(layer).values()) for layer in layers)


class ChipReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "report")
        make_report(cls.folder, "BACKEND=systemc", f"MODEL={MODEL}", "RESIDENCY=chip")
        cls.run_ = read_run(cls.folder)

    def test_tensors_save_what_layers_need_not_move(self):
        layers = self.run_.layers
        less = must_move(map(with_all_in_dram, layers)) - must_move(layers)
        self.assertEqual(on_chip.saved_bytes(self.run_), less)
        self.assertGreater(less, 500_000)

    def test_an_ifmap_on_chip_is_read_from_a_tensors_place(self):
        found = 0
        for layer in self.run_.layers:
            if layer.call["shape"].get("ifmap_on_chip"):
                base, size = layer.call["glb"]["ifmap"]
                within = [
                    one for one in on_chip.tensors(self.run_) if base <= one["begin"] and one["end"] <= base + size
                ]
                self.assertTrue(within, layer.name)
                found += 1
        self.assertGreater(found, 10)

    def test_energy_is_of_the_words_that_the_device_counts(self):
        for layer in self.run_.layers:
            with self.subTest(layer=layer.name):
                words = figures.glb_words(layer).values()
                self.assertEqual(sum(read for read, _ in words), layer.counters["glb_read_words"])
                self.assertEqual(sum(written for _, written in words), layer.counters["glb_write_words"])

    def test_steps_are_all_layers_and_some_run_depth_first(self):
        steps = on_chip.steps(self.run_)
        self.assertEqual(
            [layer.name for step in steps for layer in step.row.layers], [l.name for l in self.run_.layers]
        )
        self.assertGreater(sum(step.slices > 0 for step in steps), 0)
        trace = json.loads(gzip.decompress((self.folder / "trace.json.gz").read_bytes()))["traceEvents"]
        names = {one["name"] for one in trace if one["ph"] == "X"}
        self.assertLessEqual({one["name"] for one in on_chip.tensors(self.run_)}, names)
        self.assertLessEqual({step.name for step in steps if step.slices}, names)

    def test_the_page_works_and_fits(self):
        chromium = browser.start()
        self.addCleanup(chromium.quit)
        for width in (400, 1400):
            browser.resize(chromium, width)
            chromium.get((self.folder / "index.html").as_uri())
            browser.draw_all(chromium)
            self.assertEqual(chromium.execute_script("return document.documentElement.scrollWidth"), width)
            self.assertEqual((browser.console(chromium), browser.cut_texts(chromium)), ([], []), width)


if __name__ == "__main__":
    unittest.main()
