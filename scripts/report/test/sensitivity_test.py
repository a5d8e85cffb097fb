# SPDX-License-Identifier: Apache-2.0
"""What is a layer, what is kept of a run that was ended, and the page on what quantizing costs."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import made_run  # pylint: disable=unused-import  # It puts the report's own folder on the path.
import measure_sensitivity
import sensitivity_page
from measure_sensitivity import Kept, find_layers
from report_error import ReportError


def value(*parts, moves=False):
    """An entry of the "layers" of fovea quantize --json: of (node, operator) in order."""
    return {"parts": [{"node": node, "operation": operation} for node, operation in parts], "moves": moves}


VALUES = [
    value(),
    value(("/a", "nn.conv2d"), ("/a", "nn.bias_add"), ("/a_relu", "nn.relu")),
    value(("/b", "nn.conv2d")),
    value(("/sum", "add"), ("/sum_relu", "nn.relu")),
    value(("/flat", "reshape"), moves=True),
    value(("/swish", "hard_sigmoid")),
    value(("/swish", "multiply")),
    value(("", "add")),
]


def figures(right, sqnr):
    return {
        "pictures": 100,
        "right": right,
        "share": right / 100,
        "low": right / 100 - 0.05,
        "high": right / 100 + 0.05,
        "sqnr_db": sqnr,
    }


def found():
    device = {"cycles": 1234, "dram_bytes": 5678, "device_layers": 3}
    return {
        "model": "net",
        "machine": "small",
        "data": "d",
        "calibrate": "c",
        "form": "power of two",
        "command": "make sensitivity",
        "float": figures(90, None),
        "forms": [
            {"name": "any scales", **figures(89, 30.0), "device": device},
            {"name": "power of two", **figures(85, 20.5), "device": None},
        ],
        "layers": [
            {"name": "/a", "operations": ["conv2d", "relu"], "alone": figures(88, 22.0), "others": figures(86, 21.0)},
            {"name": "/c", "operations": ["dense"], "alone": figures(90, 41.0), "others": figures(91, 25.0)},
        ],
    }


class SensitivityTest(unittest.TestCase):
    def test_layers_are_what_is_quantized_together(self):
        layers = [(layer.nodes, layer.operations) for layer in find_layers(VALUES)]
        self.assertEqual(
            layers,
            [
                (["/a", "/a_relu"], ["conv2d", "relu"]),
                (["/b"], ["conv2d"]),
                (["/sum", "/sum_relu", "/flat"], ["add", "relu"]),
                (["/swish"], ["hard_sigmoid", "multiply"]),
            ],
        )

    def test_what_was_measured_is_kept_until_an_input_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "measured.json")
            self.assertEqual(Kept(path, "x").get("a", lambda: {"right": 1}), {"right": 1})
            self.assertEqual(Kept(path, "x").get("a", self.fail), {"right": 1})
            self.assertEqual(Kept(path, "y").get("a", lambda: {"right": 2}), {"right": 2})
            path.write_text("[1, 2", encoding="utf-8")
            self.assertEqual(Kept(path, "y").get("a", lambda: {"right": 3}), {"right": 3})

    def test_files_of_others_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name in ("index.html", "sensitivity.json", "measured.json"):
                (folder / name).write_text("[]")
                with self.assertRaisesRegex(ReportError, f"{name}: is there, and fovea sensitivity did not make it"):
                    measure_sensitivity.check_folder(folder)
                (folder / name).unlink()
            measure_sensitivity.write(folder / "measured.json", json.dumps({"inputs": "x", "measured": {}}))
            measure_sensitivity.write(folder / "index.html", "ours")
            measure_sensitivity.check_folder(folder)
            self.assertEqual(sorted(path.name for path in folder.iterdir()), ["index.html", "measured.json"])

    def test_a_network_that_is_refused_leaves_no_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            fovea, net, pages = root / "fovea", root / "net.onnx", root / "pages"
            fovea.write_text("#!/bin/sh\necho fovea: refused >&2\nexit 1\n", encoding="utf-8")
            fovea.chmod(0o755)
            net.touch()
            done = subprocess.run(
                [
                    sys.executable,
                    "-B",
                    measure_sensitivity.__file__,
                    net,
                    pages,
                    "--calibrate",
                    net,
                    "--data",
                    net,
                    "--fovea",
                    fovea,
                ],
                capture_output=True,
                text=True,
            )
            self.assertEqual((done.returncode, done.stderr), (1, "refused\n"))
            self.assertFalse(pages.exists())

    def test_drops_are_points_below_the_float_network(self):
        self.assertEqual(
            sensitivity_page.form_rows(found())[1],
            ("any scales", "89 of 100", "84.0 to 94.0 %", "1.0", "30.0", "3", "1,234", "5,678"),
        )
        self.assertEqual(sensitivity_page.form_rows(found())[2][3:], ("5.0", "20.5", "none", "", ""))
        self.assertEqual(
            sensitivity_page.layer_rows(found()),
            [
                ("/a", "conv2d relu", "88 of 100", "2.0", "22.0", "86 of 100", "4.0", "21.0"),
                ("/c", "dense", "90 of 100", "0.0", "41.0", "91 of 100", "−1.0", "25.0"),
            ],
        )
        self.assertEqual(
            sensitivity_page.summary(found())[-1],
            "power of two, layer by layer: /a alone costs most, output SQNR 22.0 dB",
        )

    def test_names_as_long_as_tflite_joins_them_leave_room_for_bars(self):
        long = found()
        long["layers"][0]["name"] = "model/activation/Relu;" * 8
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            html = sensitivity_page.render(long)
        self.assertIn(f"{long['layers'][0]['name']}: it alone is quantized", html)

    def test_the_page_says_it_to_a_pointer(self):
        html = sensitivity_page.render(found())
        for words in (
            "/a: it alone is quantized: 2.0 points, knows 88 of 100",
            "/c: all but it are: 25.0 dB, knows 91 of 100",
            "84.0 to 94.0 %",
        ):
            self.assertIn(words, html)
        self.assertNotIn("http://", html.replace("http://www.w3.org", ""))
        self.assertNotIn("Back to the report", html)
        self.assertIn('<a href="index.html">Back to the report</a>', sensitivity_page.render(found(), "index.html"))

    def test_what_is_no_sensitivity_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "sensitivity.json")
            path.write_text(json.dumps(found()), encoding="utf-8")
            self.assertEqual(sensitivity_page.read(folder), found())
            for text in ("[1, 2", "[]", json.dumps({**found(), "layers": [{"name": "/a"}]})):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(
                    ReportError, "no whole sensitivity.json; give a folder that fovea sensitivity wrote"
                ):
                    sensitivity_page.read(folder)


if __name__ == "__main__":
    unittest.main()
