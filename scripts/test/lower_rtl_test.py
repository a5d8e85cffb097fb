# SPDX-License-Identifier: Apache-2.0
"""The lowered RTL is what yosys and Icarus Verilog read, as each machine that ships; without sv2v a line says so."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/synthesis"))

from machine import Machine

MACHINES = ("eyeriss_6x8", "eyeriss_12x14")


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)


class LowerRtlTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.verilog = cls.folder / "dla.v"
        cls.lowered = run(["scripts/lower_rtl", str(cls.verilog)])

    def machines(self, tool):
        if self.lowered.returncode == 77:
            self.skipTest(self.lowered.stderr.strip())
        if not shutil.which(tool):
            self.skipTest(f"no {tool} here")
        self.assertEqual((self.lowered.returncode, self.lowered.stderr), (0, ""))
        return [Machine(name, self.verilog.read_text(encoding="utf-8")) for name in MACHINES]

    def test_yosys_reads_it(self):
        for machine in self.machines("yosys"):
            numbers = " ".join(f"-chparam {name} {value}" for name, value in machine.parameters.items())
            done = run(
                [
                    "yosys",
                    "-q",
                    "-p",
                    (
                        f"read_verilog -sv -defer {self.verilog}; hierarchy -check -top dla_top {numbers}; proc; check"
                        " -assert"
                    ),
                ]
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_icarus_verilog_reads_it(self):
        for machine in self.machines("iverilog"):
            numbers = [f"-Pdla_top.{name}={value}" for name, value in machine.parameters.items()]
            done = run(
                ["iverilog", "-g2012", "-s", "dla_top", *numbers, "-o", f"{self.verilog}.vvp", str(self.verilog)]
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_without_sv2v_a_line_says_so(self):
        """In a copy that has no tools beside it."""
        copy = self.folder / "copy/repo"
        for part in ("scripts", "sim/rtl"):
            shutil.copytree(ROOT / part, copy / part)
        words = [word for word in os.environ["PATH"].split(":") if not (pathlib.Path(word) / "sv2v").exists()]
        done = run([str(copy / "scripts/lower_rtl"), str(copy / "dla.v")], env={**os.environ, "PATH": ":".join(words)})
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (77, "", 1))
        self.assertIn("no sv2v on the path", done.stderr)
        self.assertFalse((copy / "dla.v").exists())


if __name__ == "__main__":
    unittest.main()
