# SPDX-License-Identifier: Apache-2.0
"""scripts/build configures where it must, says which libraries CMake makes for machines, and prints what failed; in a
copy, with programs in place of CMake and Ninja."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = "eyeriss_6x8;eyeriss_12x14"
CMAKE = f"""#!/bin/sh
echo "cmake $*" >>calls
machines="{SHIPPED}"
for word; do case $word in -DFOVEA_MACHINES=*) machines=${{word#*=}} ;; esac; done
echo "FOVEA_MACHINES:STRING=$machines" >build/release/CMakeCache.txt
touch build/release/build.ninja
"""
NINJA = """#!/bin/sh
echo "ninja $*" >>calls
[ ! -e fails ] || { cat fails; exit 1; }
"""


class BuildTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        for part in ("scripts", "sim/common", "sim/spec"):
            shutil.copytree(ROOT / part, self.root / part)
        (self.root / "models").mkdir()
        (self.root / "models/vgg8_cifar10_power2.onnx").touch()
        shutil.copy(ROOT / "CMakePresets.json", self.root)
        for name, text in (("cmake", CMAKE), ("ninja", NINJA)):
            (self.root / name).write_text(text)
            (self.root / name).chmod(0o755)
        self.own = self.root / "own.json"
        self.write_own("own", 5)

    def write_own(self, name, rows):
        machine = json.loads((self.root / "sim/spec/machines/eyeriss_12x14.json").read_text())
        self.own.write_text(json.dumps({**machine, "name": name, "rows": rows}))

    def build(self, *targets, **variables):
        """How it ended, and what it called."""
        calls = self.root / "calls"
        calls.unlink(missing_ok=True)
        environment = {"PATH": f"{self.root}:{os.environ['PATH']}", **variables}
        done = subprocess.run([self.root / "scripts/build", *targets], env=environment, capture_output=True, text=True)
        return done, calls.read_text().splitlines() if calls.exists() else []

    def test_it_configures_once(self):
        self.assertEqual(self.build("foveac")[1], ["cmake --preset release", "ninja -C build/release foveac"])
        self.assertEqual(self.build("foveac")[1], ["ninja -C build/release foveac"])

    def test_a_machine_that_ships_needs_no_other_list(self):
        self.build("foveac")
        for machine in ("eyeriss_12x14", "sim/spec/machines/eyeriss_12x14.json"):
            self.assertEqual(
                self.build("fovea", "device", MACHINE=machine, BACKEND="rtl")[1],
                ["ninja -C build/release fovea fovea_rtl_eyeriss_12x14"],
            )

    def test_a_machine_of_ones_own_stays_until_all_is_built(self):
        self.build("foveac")
        device = "ninja -C build/release fovea_rtl_own"
        self.assertEqual(
            self.build("device", MACHINE="own.json", BACKEND="rtl")[1],
            [f"cmake --preset release -DFOVEA_MACHINES={SHIPPED};{self.own}", device],
        )
        self.assertEqual(self.build("device", MACHINE="own.json", BACKEND="rtl")[1], [device])
        self.assertEqual(self.build("foveac")[1], ["ninja -C build/release foveac"])
        self.assertEqual(
            self.build("all")[1], ["cmake --preset release -UFOVEA_MACHINES", "ninja -C build/release all"]
        )
        self.assertEqual(self.build("all")[1], ["ninja -C build/release all"])

    def test_a_machine_with_another_s_name_is_refused_before_anything_is_configured(self):
        self.build("foveac")
        self.write_own("eyeriss_12x14", 5)
        done, calls = self.build("device", MACHINE="own.json", BACKEND="rtl")
        self.assertEqual(
            (done.returncode, done.stderr, calls),
            (
                2,
                (
                    "MACHINE=own.json: its name, eyeriss_12x14, is that of "
                    "sim/spec/machines/eyeriss_12x14.json; give it another\n"
                ),
                [],
            ),
        )
        self.assertEqual(
            self.build("device", MACHINE="own.json", BACKEND="systemc")[1], ["ninja -C build/release fovea_systemc"]
        )
        shutil.copy(self.root / "sim/spec/machines/eyeriss_12x14.json", self.own)
        self.assertEqual(
            self.build("device", MACHINE="own.json", BACKEND="rtl")[1],
            ["ninja -C build/release fovea_rtl_eyeriss_12x14"],
        )

    def test_only_the_words_of_a_failure_are_printed(self):
        (self.root / "fails").write_text("[1/2] good\nFAILED: bad.o\nits words\n")
        done, _ = self.build("foveac")
        self.assertEqual(
            (done.returncode, done.stdout, done.stderr),
            (1, "building in build/release: foveac\n", "FAILED: bad.o\nits words\n"),
        )

    def test_a_source_that_is_gone_and_an_unknown_target_are_named(self):
        for error in ("ninja: error: 'x.sv', needed by 'x.a', missing\n", "ninja: error: unknown target 'nowhere'\n"):
            (self.root / "fails").write_text(error)
            done, _ = self.build("foveac")
            self.assertEqual((done.returncode, done.stderr), (1, error))

    def test_a_variable_of_the_device_is_checked(self):
        self.build("foveac")
        done, calls = self.build("device", DRAM="fast")
        self.assertEqual((done.returncode, len(done.stderr.splitlines()), calls), (2, 1, []))


if __name__ == "__main__":
    unittest.main()
