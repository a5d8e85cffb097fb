# SPDX-License-Identifier: Apache-2.0
"""Each reader has a bug to plant, and each bug still has its place in the sources."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANTED = ROOT / "testbench/fuzz/planted.txt"


def rows():
    """[reader, file, text, text instead], as scripts/run_fuzz takes them."""
    lines = [line for line in PLANTED.read_text().splitlines() if not line.startswith("#")]
    return [[cell.replace(r"\|", "|") for cell in re.split(r" (?<!\\)\| ", line)] for line in lines]


class PlantedBugs(unittest.TestCase):
    def test_each_reader_has_one(self):
        readers = re.findall(r"^FOVEA_READER\((\w+)", (ROOT / "testbench/fuzz/readers.def").read_text(), re.M)
        self.assertEqual([reader for reader, *_ in rows()], [*readers, "python"])

    def test_each_can_be_planted(self):
        for reader, name, text, instead in rows():
            self.assertEqual((ROOT / name).read_text().count(text), 1, f"{PLANTED.relative_to(ROOT)}: {reader}: its text, in {name}")
            self.assertNotEqual(text, instead)


if __name__ == "__main__":
    unittest.main()
