# SPDX-License-Identifier: Apache-2.0
"""What is installed works where it was moved to, for another user, from another folder and without a compiler cache.

Everything is done below one scratch folder; commands run as `nobody` where this is root.
"""
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build/release")
NOBODY = 65534

# y = x[0] + x[1] + 5 in both channels, on integers.
NETWORK = """fn (%x: Tensor[(1, 2, 4, 4), float32] from "x") {
  %q = qnn.quantize(%x, 1f, 0u8, axis=1)
  %d = qnn.dequantize(%q, 1f, 0u8, axis=1)
  %w8 = constant 1 : Tensor[(2, 2, 1, 1), int8]
  %w = qnn.dequantize(%w8, 1f, 0i8, axis=0)
  %b32 = constant 5 : Tensor[(2,), int32]
  %b = qnn.dequantize(%b32, 1f, 0i32, axis=0)
  %c = nn.conv2d(%d, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv"
  %s = nn.bias_add(%c, %b, axis=1)
  %t = qnn.quantize(%s, 1f, 0u8, axis=1)
  %y = qnn.dequantize(%t, 1f, 0u8, axis=1) from "y"
  return %y
}
"""
INPUT = [float(i) for i in range(32)]
OUTPUT = [INPUT[i % 16] + INPUT[16 + i % 16] + 5 for i in range(32)]


def read_bytes(path):
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="fovea_install_"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.scratch.chmod(0o755)
        for name in ("user", "home"):
            (cls.scratch / name).mkdir()
            if os.getuid() == 0:
                os.chown(cls.scratch / name, NOBODY, NOBODY)
        cls.user, cls.home = cls.scratch / "user", cls.scratch / "home"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.scratch / "first", "--strip"], check=True,
                       capture_output=True)
        cls.prefix = cls.scratch / "moved" / "fovea"
        cls.prefix.parent.mkdir()
        (cls.scratch / "first").rename(cls.prefix)

    def run_as_user(self, *words, expected=0, path="/usr/bin:/bin"):
        """What a command prints that another user starts in a folder of theirs, with little in the environment."""
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.getuid() == 0 else []
        environment = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "CCACHE_DISABLE": "1"}
        done = subprocess.run([*become, *map(str, words)], cwd=self.user, env=environment, capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, expected, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_nothing_names_where_it_was_built(self):
        built_in = [str(path).encode() for path in {ROOT, BUILD.resolve(), self.scratch / "first"}]
        named = {path.name for path in self.prefix.rglob("*") if any(text in read_bytes(path) for text in built_in)}
        # Its assertions say in which source they are.
        self.assertLessEqual(named, {"libfovea_rtl_eyeriss_6x8.so"})

    def test_a_program_of_somebody_else_runs_a_network_on_the_systemc_model(self):
        (self.user / "net.txt").write_text(NETWORK)
        (self.user / "x.f32").write_bytes(struct.pack("<32f", *INPUT))
        example = self.user / "build"
        shutil.copytree(ROOT / "testbench/install/example", self.scratch / "example")
        self.run_as_user("cmake", "-S", self.scratch / "example", "-B", example,
                         f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DMODEL={self.user}/net.txt")
        self.run_as_user("cmake", "--build", example)
        *outputs, cycles = self.run_as_user(example / "classify", example / "net/weight.bin", "x.f32").splitlines()
        self.assertEqual([float(text) for text in outputs], OUTPUT)
        self.assertGreater(int(cycles.split()[0]), 0)


if __name__ == "__main__":
    unittest.main()
