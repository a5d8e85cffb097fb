# SPDX-License-Identifier: Apache-2.0
"""Each reader has a bug to plant, each bug still has its place in the sources, and a copy has the bugs it is given."""
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from planted_bugs import COPY, LIST, Bug, read_bugs, write_copy

BUG = Bug("npy", "reader.cpp", "if (size > left) {", "if (size > left + 1) {")


class PlantedBugs(unittest.TestCase):
    bugs = read_bugs((ROOT / LIST).read_text())

    def test_each_reader_has_one(self):
        readers = re.findall(r"^FOVEA_READER\((\w+)", (ROOT / "testbench/fuzz/readers.def").read_text(), re.M)
        self.assertEqual([bug.reader for bug in self.bugs], [*readers, "python"])

    def test_each_can_be_planted(self):
        for reader, name, text, instead in self.bugs:
            self.assertEqual((ROOT / name).read_text().count(text), 1, f"{LIST}: {reader}: its text, in {name}")
            self.assertNotEqual(text, instead)

    def test_a_bar_is_a_part_of_a_text(self):
        self.assertEqual(read_bugs("# reader | file\nir | a.cpp | a \\|\\| b | b"), [Bug("ir", "a.cpp", "a || b", "b")])


class Copy(unittest.TestCase):
    def setUp(self):
        self.enterContext(contextlib.chdir(self.enterContext(tempfile.TemporaryDirectory())))
        for name, text in ((BUG.file, f"{BUG.text}}}\n"), ("other/source.cpp", "int x;\n")):
            pathlib.Path(name).parent.mkdir(exist_ok=True)
            pathlib.Path(name).write_text(text)
        subprocess.run(["git", "init", "-q"], check=True)
        subprocess.run(["git", "add", "."], check=True)
        write_copy([BUG])

    def test_it_has_the_bug_and_the_sources_stay(self):
        self.assertEqual((COPY / BUG.file).read_text(), f"{BUG.instead}}}\n")
        self.assertEqual(pathlib.Path(BUG.file).read_text(), f"{BUG.text}}}\n")

    def test_only_what_changed_is_written_again(self):
        for name in (BUG.file, "other/source.cpp"):
            os.utime(COPY / name, (1, 1))
        write_copy([])
        self.assertEqual((COPY / BUG.file).read_text(), f"{BUG.text}}}\n")
        self.assertGreater((COPY / BUG.file).stat().st_mtime, 1)
        self.assertEqual((COPY / "other/source.cpp").stat().st_mtime, 1)

    def test_it_loses_files_that_are_gone_and_keeps_its_build(self):
        (COPY / "build").mkdir()
        (COPY / "build/built.o").touch()
        pathlib.Path("other/source.cpp").unlink()
        write_copy([BUG])
        self.assertFalse((COPY / "other/source.cpp").exists())
        self.assertTrue((COPY / "build/built.o").exists())

    def test_a_text_that_is_not_there_once_is_a_failure(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as end:
            write_copy([BUG._replace(text="if (is_gone) {")])
        self.assertEqual(end.exception.code, 2)
        self.assertEqual(
            said.getvalue(), "testbench/fuzz/planted.txt: npy: reader.cpp has its text 0 times; once is needed\n"
        )


if __name__ == "__main__":
    unittest.main()
