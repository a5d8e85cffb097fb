# SPDX-License-Identifier: Apache-2.0
"""scripts/draw_lab_picture reads an input.bin, draws a PNG, and with the lab's files reproduces the lab's table."""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import struct
import subprocess
import sys
import unittest
import zlib

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SCRIPTS))
LOADER = importlib.machinery.SourceFileLoader("draw_lab_picture", str(SCRIPTS / "draw_lab_picture"))
DRAW = importlib.util.module_from_spec(importlib.util.spec_from_loader("draw_lab_picture", LOADER))
LOADER.exec_module(DRAW)
LAB = SCRIPTS.parents[1] / "shared"


class DrawLabPictureTest(unittest.TestCase):
    def test_names_and_pictures_are_read(self):
        data = struct.pack("<I", 2) + b"".join(struct.pack("<I", len(n)) + n for n in (b"cat", b"deer"))
        self.assertEqual(DRAW.read_pictures(data + struct.pack("<II", 7, 12) + b"rest"), (["cat", "deer"], 7, b"rest"))

    def test_pixels_are_kept(self):
        values = [(7 * i) % 256 for i in range(3 * 32 * 32)]
        written = DRAW.png(struct.pack(f"<{len(values)}f", *(v / 255 for v in values)))
        (length,) = struct.unpack_from(">I", written, written.index(b"IDAT") - 4)
        start = written.index(b"IDAT") + 4
        rows = zlib.decompress(written[start : start + length])
        for x, y, channel in ((0, 0, 0), (31, 0, 1), (5, 31, 2)):
            self.assertEqual(rows[y * 97 + 1 + 3 * x + channel], values[1024 * channel + 32 * y + x])

    def test_the_lab_is_reproduced(self):
        fovea = pathlib.Path(os.environ.get("BUILD", "build/release"), "bin/fovea")
        if not (LAB / DRAW.MODEL).is_file() or not (SCRIPTS.parent / fovea).is_file():
            self.skipTest("the lab's files are not beside the checkout, or fovea is not built")
        subprocess.run([SCRIPTS / "draw_lab_picture", LAB], cwd=SCRIPTS.parent, check=True, capture_output=True)
        drawn = (SCRIPTS.parent / "output/lab.svg").read_text()
        printed = "5.203 0.058 0.621 0.333 20.578 0.484 0.058 71.826 0.090 0.750".split()
        self.assertEqual(re.findall(r"([\d.]+) %<", drawn), printed)
        self.assertIn("a deer, taken for a horse", drawn)

    def test_missing_files_are_named(self):
        done = subprocess.run([SCRIPTS / "draw_lab_picture", "nowhere"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nowhere/models/alexnetbn_v2-power2.onnx: no such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
