# SPDX-License-Identifier: Apache-2.0
"""scripts/install_npm asks npm for the locked version once, and says in one line why it could not."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WANTED = "testbench/onnxruntime"


class InstallNpmTest(unittest.TestCase):
    """A copy of the script and its lock file, with a fake npm that writes down how it is called."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("scripts/install_npm", f"{WANTED}/package.json", f"{WANTED}/package-lock.json"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        for tool in ("bash", "dirname", "cmp", "cp", "rm", "mkdir", "sed", "head"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.tool("node", "")
        self.tool("npm", f'echo "$PWD: $*" >>{self.root}/calls')
        self.script("scripts/install_packages", f'echo "install_packages $*" >>{self.root}/calls')

    def tool(self, name, script):
        self.script(f"bin/{name}", script)

    def script(self, name, script):
        (self.root / name).write_text(f"#!/bin/bash\n{script}\n")
        (self.root / name).chmod(0o755)

    def run_it(self, install="1", part="onnxruntime"):
        environment = {"PATH": str(self.bin), "INSTALL": install}
        done = subprocess.run(
            [str(self.root / "scripts/install_npm"), part], env=environment, capture_output=True, text=True
        )
        calls = self.root / "calls"
        return done, calls.read_text().splitlines() if calls.exists() else []

    def test_it_installs_once(self):
        done, calls = self.run_it()
        self.assertEqual(
            (done.returncode, done.stdout, done.stderr),
            (0, "installing ONNX Runtime with npm in build/onnxruntime\n", ""),
        )
        self.assertEqual(calls, [f"{self.root}/build/onnxruntime: ci --ignore-scripts --no-audit --no-fund"])
        done, calls = self.run_it()
        self.assertEqual((done.returncode, done.stdout, done.stderr, len(calls)), (0, "", "", 1))

    def test_another_version_is_installed_anew(self):
        self.run_it()
        lock = self.root / WANTED / "package-lock.json"
        lock.write_text(lock.read_text() + "\n")
        self.assertEqual(len(self.run_it()[1]), 2)

    def test_a_failure_is_one_line_and_is_tried_again(self):
        self.tool("npm", "echo npm ERR! code ENOTFOUND; echo npm ERR! more; exit 1")
        for _ in range(2):
            done, _ = self.run_it()
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
            self.assertIn("npm could not install ONNX Runtime: ENOTFOUND; ", done.stderr)
            self.assertIn("to try again, run: scripts/install_npm onnxruntime", done.stderr)

    def test_a_missing_npm_is_asked_for(self):
        (self.bin / "npm").unlink()
        done, calls = self.run_it()
        self.assertEqual(calls[0], "install_packages node")
        self.assertEqual(done.returncode, 1)

    def test_install_0_only_prints(self):
        done, calls = self.run_it(install="0")
        self.assertEqual(
            (done.returncode, done.stderr, calls),
            (1, "ONNX Runtime is missing; run: scripts/install_npm onnxruntime\n", []),
        )

    def test_an_unknown_part_is_named(self):
        done, _ = self.run_it(part="nothing")
        self.assertEqual(
            (done.returncode, done.stderr), (2, "install_npm: no part 'nothing'; choose onnxruntime or vega\n")
        )

    def test_the_lock_files_hold_one_version_and_no_address(self):
        for wanted in (WANTED, "scripts/report/vega"):
            lock = (ROOT / wanted / "package-lock.json").read_text()
            for name, version in json.loads((ROOT / wanted / "package.json").read_text())["dependencies"].items():
                self.assertEqual(json.loads(lock)["packages"][f"node_modules/{name}"]["version"], version)
            self.assertFalse("://" in lock, wanted)


if __name__ == "__main__":
    unittest.main()
