# SPDX-License-Identifier: Apache-2.0
"""The package's types hold within it and for those who use it, and the stub says what the extension has."""
import ast
import inspect
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fovea
from fovea import _fovea
from programs import BUILD, ROOT

USE = """\
import fovea
net = fovea.compile("net.onnx", fovea.Machine(rows=4), optimize="dram")
reveal_type(net.run_many([[1.0]], processes=2)[0].energy_macs)
reveal_type(net.machine and net.machine.psum_lanes)
net.run([1.0], dram=3)
"""


class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = cls.enterClassContext(tempfile.TemporaryDirectory())

    def mypy(self, *words):
        return subprocess.run(
            ["mypy", "--strict", "--python-executable", sys.executable, "--cache-dir", self.cache, *words],
            capture_output=True,
            text=True,
            env={**os.environ, "MYPYPATH": str(BUILD.resolve() / "python")},
        )

    def test_hold(self):
        done = self.mypy("-p", "fovea")
        self.assertEqual((done.returncode, done.stdout.splitlines()[:-1]), (0, []), done.stdout + done.stderr)

    def test_show_a_mistake_of_the_user(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "use.py").write_text(USE)
            said = self.mypy(str(Path(folder) / "use.py")).stdout
        self.assertIn('use.py:3: note: Revealed type is "builtins.float"', said)
        self.assertIn('use.py:4: note: Revealed type is "Union[fovea.machine.Machine, None, builtins.int]"', said)
        self.assertIn('use.py:5: error: Argument "dram" to "run" of "Network" has incompatible type "int"', said)
        self.assertIn("Found 1 error", said)

    def test_name_all_that_the_extension_has(self):
        stub = ast.parse((ROOT / "python/fovea/_fovea.pyi").read_text())
        named = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        named |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
        self.assertEqual(named, {name for name in dir(_fovea) if not name.startswith("__")})
        for node in stub.body:
            if isinstance(node, ast.ClassDef):
                members = {each.name if isinstance(each, ast.FunctionDef) else each.target.id for each in node.body}
                has = {
                    name
                    for name, value in inspect.getmembers(getattr(_fovea, node.name))
                    if not name.startswith("_") or name == "__len__" or name in members
                }
                self.assertEqual(members, has, node.name)

    def test_name_all_fields_of_a_machine(self):
        cpu = {"name": "big core", "clock_mhz": 400, "cycles_per_mac": 0.5, "cycles_per_byte": 1}
        word = {"bits": 8, "pj": 1}
        energy_pj = {"technology": "65 nm", "source": "this test", "mac": word, "hop": word, "dram": word}
        energy_pj["memories"] = [{"bytes": size, **word} for size in (1, 1 << 20)]
        density = {"technology": "65 nm", "source": "this test", "gates_per_mm2": 1e6, "sram_bits_per_mm2": 1e6}
        declared = fovea.Machine(cpu=cpu, dram="ddr", energy_pj=energy_pj, density=density)
        self.assertEqual((declared.cpu, declared.replace(cpu={"clock_mhz": 800}).cpu), (cpu, {**cpu, "clock_mhz": 800}))
        self.assertEqual(set(inspect.get_annotations(fovea.Machine)), set(declared.fields) - {"note"})

    def test_every_public_name_says_what_it_is(self):
        for name in fovea.__all__:
            thing = getattr(fovea, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                        if member not in ("node", "field", "argument", "advice"):
                            self.assertTrue(inspect.getdoc(value), f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
