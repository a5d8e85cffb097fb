# SPDX-License-Identifier: Apache-2.0
"""Three layers on the lowered RTL under Icarus Verilog, from power-up, with random gaps on all AXI channels.

four_state_test.py MACHINE WRITE_VECTORS: right answers, and no output that is unknown. SEED=n makes
other layers and gaps.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "scripts/synthesis"))

from machine import Machine


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def _changed(text, module, old, new):
    """Verilog with `old` replaced in the statements of `module`."""
    start = text.index(";", text.index(f"module {module} ("))
    end = text.index("endmodule", start)
    body = re.sub(rf"(?m)^(?=\s*(?:assign|if))(.*?){re.escape(old)}", rf"\1{new}", text[start:end])
    if body == text[start:end]:
        raise AssertionError(f"no {old} in {module}")
    return text[:start] + body + text[end:]


def _without_reset(text, module):
    return _changed(text, module, "if (!rst_ni)", "if (1'b0)")


class FourStateTest(unittest.TestCase):
    machine_name, write_vectors = "eyeriss_6x8", "build/release/bin/write_four_state_vectors"

    @classmethod
    def setUpClass(cls):
        """The lowered RTL, and what is to come of the layers."""
        cls.inputs = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        lowered = run([ROOT / "scripts/lower_rtl", cls.inputs / "dla.v"])
        if lowered.returncode == 77:
            raise unittest.SkipTest(lowered.stderr.strip())
        if not shutil.which("iverilog"):
            raise unittest.SkipTest("no iverilog here")
        cls.verilog = (cls.inputs / "dla.v").read_text(encoding="utf-8")
        cls.machine = Machine(cls.machine_name, cls.verilog)
        done = run([cls.write_vectors, cls.machine_name, cls.inputs], cwd=ROOT)
        if (done.returncode, done.stderr) != (0, ""):
            raise AssertionError(done.stderr)

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def simulate(self, change=lambda verilog: verilog):
        """What the bench prints, of the lowered RTL after `change`."""
        verilog = self.folder / "dla.v"
        verilog.write_text(change(self.verilog), encoding="utf-8")
        geometry = self.folder / "geometry.v"
        numbers = "".join(
            f"  defparam tb_four_state.u_dla.{name} = {value};\n" for name, value in self.machine.parameters.items()
        )
        geometry.write_text(f"module geometry;\n{numbers}endmodule\n", encoding="utf-8")
        done = run(
            [
                "iverilog",
                "-g2012",
                "-s",
                "tb_four_state",
                "-s",
                "geometry",
                f"-Ptb_four_state.BusBytes={self.machine.parameters['BusBytes']}",
                f"-Ptb_four_state.Seed={os.environ.get('SEED') or 1}",
                "-o",
                self.folder / "bench.vvp",
                HERE / "tb_four_state.v",
                geometry,
                verilog,
            ]
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

        done = run(["vvp", "-n", self.folder / "bench.vvp"], cwd=self.inputs)
        return done.stdout + done.stderr

    def test_three_layers_are_right_and_nothing_is_unknown(self):
        said = self.simulate()
        self.assertRegex(said, r"(?m)^passed: ", said[-2000:])
        print(said.strip().splitlines()[-1])

    def test_a_register_without_a_reset_is_seen(self):
        said = self.simulate(lambda text: _without_reset(text, "dla_regs"))
        self.assertRegex(said, r"(?m)^cycle \d+: .* unknown$")

    def test_a_wrong_result_is_seen(self):
        said = self.simulate(lambda text: _changed(text, "dla_requant", "zero_point_i}", "~zero_point_i}"))
        self.assertRegex(said, r"(?m)^cycle \d+: memory is not what it should be$")


if __name__ == "__main__":
    FourStateTest.machine_name, FourStateTest.write_vectors = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
