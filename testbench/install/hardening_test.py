# SPDX-License-Identifier: Apache-2.0
"""Each program and library that was built is hardened as SECURITY.md says, and so is a network that fovea compiles."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build/release")
PLACES = ("bin/*", "lib/*.so*", "lib/fovea/*.so", "python/fovea/_fovea*.so", "machines/**/*.so")

# What _FORTIFY_SOURCE leaves no call of: each has a form that checks.
UNCHECKED = {"printf", "fprintf", "vprintf", "vfprintf", "sprintf", "vsprintf", "gets"}


def read(*words):
    return subprocess.run(["readelf", "-W", *words], capture_output=True, text=True, check=True).stdout


def is_elf(path):
    if not path.is_file() or path.is_symlink():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def faults_of_linking(path):
    segments, dynamic = read("-lh", path), read("-d", path)
    return [
        fault
        for fault, is_there in (
            ("not position independent", not re.search(r"Type: +DYN", segments)),
            ("tables that are not read-only", "GNU_RELRO" not in segments),
            ("symbols bound when they are called", not re.search(r"BIND_NOW|\bNOW\b", dynamic)),
            ("no word on its stack", "GNU_STACK" not in segments),
            ("a stack that can be run", bool(re.search(r"GNU_STACK.* RWE", segments))),
            ("a segment to write and to run", bool(re.search(r"LOAD.* RWE", segments))),
        )
        if is_there
    ]


def faults_of_compiling(path):
    taken = set(re.findall(r" UND (\w+)", read("--dyn-syms", path)))
    return ["no checked stack"] * ("__stack_chk_fail" not in taken) + [
        f"{name}() without a check" for name in sorted(UNCHECKED & taken)
    ]


class HardeningTest(unittest.TestCase):
    def test_what_is_built(self):
        found = sorted({path for place in PLACES for path in BUILD.glob(place) if is_elf(path)})
        self.assertIn(BUILD / "bin/fovea", found)
        for path in found:
            with self.subTest(path.name):
                is_test = re.search(
                    r"_(test|bench|net)$|^(tiny|version)_", path.stem
                )  # Its C library's checks are the test framework's.
                self.assertEqual(faults_of_linking(path) + ([] if is_test else faults_of_compiling(path)), [])

    def test_what_fovea_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "FOVEA_CACHE": folder}
            net = subprocess.run(
                [BUILD / "bin/fovea", "build", ROOT / "models/vgg8_cifar10_power2.onnx", "--backend", "cpu"],
                cwd=ROOT,
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            ).stdout.strip()
            self.assertEqual(faults_of_linking(pathlib.Path(net.splitlines()[-1], "model.so")), [])


if __name__ == "__main__":
    unittest.main()
