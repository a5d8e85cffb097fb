# SPDX-License-Identifier: Apache-2.0
"""The layers of a float network, what is kept of a run that was ended, and the page on what quantizing costs."""
import pathlib
import tempfile
import unittest

import made_run  # noqa: F401  (puts the report's own folder on the path)
import float_network
import sensitivity_page
from measure_sensitivity import Kept

IR = """fn (%0: Tensor[(1, 3, 8, 8), float32] from "input") {
  %1 = constant [0.5] : Tensor[(1,), float32]
  %3 = nn.conv2d(%0, %1, strides=[1, 1]) : Tensor[(1, 4, 8, 8), float32] from "/a"
  %4 = nn.bias_add(%3, %2, axis=1) : Tensor[(1, 4, 8, 8), float32] from "/a"
  %5 = nn.relu(%4) : Tensor[(1, 4, 8, 8), float32] from "/a_relu"
  %8 = nn.conv2d(%5, %6, strides=[1, 1]) : Tensor[(1, 4, 8, 8), float32] from "/b"
  %9 = add(%8, %5) : Tensor[(1, 4, 8, 8), float32] from "/sum"
  %10 = nn.relu(%9) : Tensor[(1, 4, 8, 8), float32] from "/sum_relu"
  %12 = nn.dense(%10, %11) : Tensor[(1, 2), float32] from "/c"
  return %12
}
"""


def figures(right, sqnr):
    return {"pictures": 100, "right": right, "share": right / 100, "low": right / 100 - 0.05, "high": right / 100 + 0.05, "sqnr_db": sqnr}


def found():
    device = {"cycles": 1234, "dram_bytes": 5678, "device_layers": 3}
    return {"model": "net", "machine": "small", "data": "d", "calibrate": "c", "form": "power of two", "command": "make sensitivity", "float": figures(90, None),
            "forms": [{"name": "any scales", **figures(89, 30.0), "device": device}, {"name": "power of two", **figures(85, 20.5), "device": None}],
            "layers": [{"name": "/a", "alone": figures(88, 22.0), "others": figures(86, 21.0)}, {"name": "/c", "alone": figures(90, 41.0), "others": figures(91, 25.0)}]}


class SensitivityTest(unittest.TestCase):
    def test_a_layer_takes_the_relu_that_alone_reads_it(self):
        self.assertEqual(float_network.find_nodes(IR), ["/a", "/a_relu", "/b", "/sum", "/sum_relu", "/c"])
        self.assertEqual([(layer.name, layer.nodes) for layer in float_network.find_layers(IR)], [("/a", ["/a", "/a_relu"]), ("/b", ["/b"]), ("/c", ["/c"])])

    def test_what_was_measured_is_kept_until_an_input_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "measured.json")
            self.assertEqual(Kept(path, "x").get("a", lambda: {"right": 1}), {"right": 1})
            self.assertEqual(Kept(path, "x").get("a", self.fail), {"right": 1})
            self.assertEqual(Kept(path, "y").get("a", lambda: {"right": 2}), {"right": 2})
            path.write_text("[1, 2", encoding="utf-8")
            self.assertEqual(Kept(path, "y").get("a", lambda: {"right": 3}), {"right": 3})

    def test_drops_are_points_below_the_float_network(self):
        self.assertEqual(sensitivity_page.form_rows(found())[1], ("any scales", "89 of 100", "84.0 to 94.0 %", "1.0", "30.0", "3", "1,234", "5,678"))
        self.assertEqual(sensitivity_page.form_rows(found())[2][3:], ("5.0", "20.5", "none", "", ""))
        self.assertEqual(sensitivity_page.layer_rows(found()), [("/a", "88 of 100", "2.0", "22.0", "86 of 100", "4.0", "21.0"), ("/c", "90 of 100", "0.0", "41.0", "91 of 100", "−1.0", "25.0")])
        self.assertEqual(sensitivity_page.summary(found())[-1], "power of two, layer by layer: /a alone costs most, output SQNR 22.0 dB")

    def test_the_page_says_it_to_a_pointer(self):
        html = sensitivity_page.render(found())
        for words in ("/a: it alone is quantized: 2.0 points, knows 88 of 100", "/c: all but it are: 25.0 dB, knows 91 of 100", "84.0 to 94.0 %"):
            self.assertIn(words, html)
        self.assertNotIn("http://", html.replace("http://www.w3.org", ""))


if __name__ == "__main__":
    unittest.main()
