# SPDX-License-Identifier: Apache-2.0
"""A variable that may not have its value ends make with one line, before anything is built."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORK = "models/vgg8_cifar10_power2.onnx"


def choices(table):
    """The names in a table, as they are offered."""
    return " or ".join(re.findall(r"^FOVEA_\w+\((\w+),", (ROOT / f"{table}.def").read_text(), re.M))


# make's arguments, and the one line they must be answered with.
REFUSED = [
    (["test_dla", "CLASS=four"], "CLASS=four: not a whole number from 0 to 999999999"),
    (["test_dla", "CLASS=-1"], "CLASS=-1: not a whole number from 0 to 999999999"),
    (["test_cpu", "INDEX=1.5"], "INDEX=1.5: not a whole number from 0 to 999999999"),
    (["test_cpu", "INDEX=12345678901"], "INDEX=12345678901: not a whole number from 0 to 999999999"),
    (["test_dla", "MODEL=none.onnx"], "MODEL=none.onnx: no such file"),
    (["test_dla", "MODEL=models"], "MODEL=models: no such file"),
    (["test_dla", "EXACT_TO=onnx"], "EXACT_TO=onnx: unknown value; choose integers or ort"),
    (["test_dla", "BATCH=two"], "BATCH=two: not a whole number from 0 to 999999999"),
    (["test_dla", "INPUT=none.bin"], "INPUT=none.bin: no such file"),
    (["test_dla", "IMAGE=my cat.png"], "IMAGE=my cat.png: no such file"),
    (["test_dla", "INPUT_RAW=none.f32"], "INPUT_RAW=none.f32: no such file"),
    (["test_dla", "LABELS=none.txt"], "LABELS=none.txt: no such file"),
    (["test_dla", f"INPUT_RAW=left={NETWORK},right=none.f32"], "INPUT_RAW=right=none.f32: no such file"),
    (["test_dla", "OUTPUT_RAW=out.f32"], "OUTPUT_RAW: give INPUT_RAW too"),
    (["test_dla", f"IMAGE={NETWORK}", f"INPUT_RAW={NETWORK}"], "IMAGE and INPUT_RAW: give one of them"),
    (["test_dla", "ROUNDING=up"], "ROUNDING=up: unknown value; choose nearest_even or floor"),
    (["test_dla", "MAPPING=best"], "MAPPING=best: unknown value; choose search or lab"),
    (["test_dla", "RESIDENCY=glb"], "RESIDENCY=glb: unknown value; choose none or chip"),
    (["test_dla", "OPTIMIZE=area"], "OPTIMIZE=area: unknown value; choose cycles or dram or energy or edp"),
    (["test_dla", "SLACK=-1"], "SLACK=-1: not a whole number from 0 to 999999999"),
    (["test_dla", "TUNE=many"], "TUNE=many: not a whole number from 0 to 999999999"),
    (["test_dla", "TUNE=4"], "TUNE: give RECORDS too, the file to keep what is measured in"),
    (["test_dla", "DRAM=fast"], "DRAM=fast: unknown value; choose " + choices("sim/spec/dram_presets")),
    (["test_dla", "BACKEND=fpga"], "BACKEND=fpga: unknown value; choose " + choices("sim/common/backends")),
    (
        ["test_dla", "MACHINE=none"],
        "MACHINE=none: no such machine; choose eyeriss_12x14,eyeriss_6x8,eyeriss_chip,fovea_16x16, or give a JSON file",
    ),
    (["test_dla", "DLA_INFO=yes"], "DLA_INFO=yes: unknown value; choose 0 or 1"),
    (["report", "HOST_TIMES=yes"], "HOST_TIMES=yes: unknown value; choose 0 or 1"),
    (["test_dla", "USE_VCD=2"], "USE_VCD=2: unknown value; choose 0 or 1"),
    (["test_dla", "USE_VCD=1", "VCD_FORMAT=lxt"], "VCD_FORMAT=lxt: unknown value; choose fst or vcd"),
    (["test_dla", "USE_VCD=1", "VCD_FROM=x"], "VCD_FROM=x: not a whole number from 0 to 999999999"),
    (["test_dla", "USE_VCD=1", "VCD_CYCLES=-5"], "VCD_CYCLES=-5: not a whole number from 0 to 999999999"),
    (["test_dla", "VCD_LAYER=conv1"], "VCD_LAYER, VCD_FROM, VCD_CYCLES and VCD_TRIGGER: give USE_VCD=1 too"),
    (
        ["test_dla", "USE_VCD=1", "VCD_FORMAT=fst"],
        "VCD_FORMAT=fst: the SystemC model writes VCD only; leave VCD_FORMAT out, or give BACKEND=rtl",
    ),
    (["test_dla", "TRACE=yes"], "TRACE=yes: unknown value; choose 0 or 1"),
    (["test_dla", "LISTS=yes"], "LISTS=yes: unknown value; choose 0 or 1"),
    (["test_dla", "DEBUG=on"], "DEBUG=on: unknown value; choose 0 or 1"),
    (["report", "COMPARE=models"], "COMPARE=models: no report; give a folder that make report wrote"),
    (["report", "COMPARE=a,b,c,d"], "COMPARE=a,b,c,d: 4 reports; give up to three, with commas between"),
    (["check", "INSTALL=no"], "INSTALL=no: unknown value; choose 0 or 1"),
    (["accuracy", "DATA=nowhere"], "DATA=nowhere: no such file"),
    (["accuracy", "DATA=Makefile,nowhere"], "DATA=nowhere: no such file"),
    (["sensitivity", "CALIBRATE=nowhere"], "CALIBRATE=nowhere: no such file"),
    (["accuracy", "BESIDE=none.onnx"], "BESIDE=none.onnx: no such file"),
    (["test_full", "JOBS=two"], "JOBS=two: not a whole number from 0 to 999999999"),
    (["check", "SEED=x"], "SEED=x: not a whole number from 0 to 999999999"),
    (["check_full", "SAMPLE=x"], "SAMPLE=x: not a whole number from 0 to 999999999"),
    (["check", "CASES=x"], "CASES=x: not a whole number from 0 to 999999999"),
    (["fuzz", "SECONDS=-1"], "SECONDS=-1: not a whole number from 0 to 999999999"),
    (["test_dla", "CLAS=4"], "CLAS: no such variable; make usage lists them; did you mean CLASS?"),
    (["test_dla", "QUUX=4"], "QUUX: no such variable; make usage lists them"),
    (["test_dla", "BACKEND=systmc"], "BACKEND=systmc: unknown value; choose systemc or rtl; did you mean systemc?"),
    (["test_dal"], "test_dal: no such target; make usage lists them; did you mean test_dla?"),
    (["visu", "ROUNDING=Floor"], "ROUNDING=Floor: unknown value; choose nearest_even or floor; did you mean floor?"),
]
# Found by the scripts that build and run.
REFUSED_LATER = [
    (
        ["scripts/build", "all"],
        {"BUILD": "build/fast"},
        "BUILD=build/fast: not a build folder; choose build/release, build/debug or build/sanitize",
    ),
    (
        ["scripts/run_fovea", "test_cpu"],
        {"USE_VCD": "1"},
        (
            "DLA_INFO, USE_VCD, TRACE and TRANSACTIONS: only the accelerator has them: make test_dla, or make test_full"
            " BACKEND=rtl"
        ),
    ),
]


class MakeVariablesTest(unittest.TestCase):
    def setUp(self):
        """Puts tools in front of the real ones that leave a mark when they are called."""
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.mark = pathlib.Path(self.folder, "called")
        for tool in ("cmake", "ninja", "apt-get", "dpkg-query", "sudo"):
            path = pathlib.Path(self.folder, tool)
            path.write_text(f"#!/bin/sh\necho {tool} >>'{self.mark}'\nexit 1\n")
            path.chmod(0o755)
        kept = {k: os.environ[k] for k in ("HOME", "LANG", "TMPDIR") if k in os.environ}
        self.environment = {**kept, "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def refuse(self, command, line, environment=None):
        done = subprocess.run(
            command, cwd=ROOT, env={**self.environment, **(environment or {})}, capture_output=True, text=True
        )
        said = [s for s in done.stderr.splitlines() if not s.startswith("make: ***")]
        self.assertEqual((said, done.stdout, done.returncode), ([line], "", 2))
        self.assertFalse(self.mark.exists(), "something was called before the variables were checked")

    def test_each_bad_value_is_refused_with_one_line(self):
        for arguments, line in REFUSED:
            with self.subTest(arguments):
                self.refuse(["make", *arguments], line)

    def test_a_bad_value_in_the_environment_is_refused_too(self):
        self.refuse(
            ["make", "test_dla"], "ROUNDING=up: unknown value; choose nearest_even or floor", {"ROUNDING": "up"}
        )

    def test_what_the_scripts_find(self):
        for command, environment, line in REFUSED_LATER:
            with self.subTest(command):
                self.refuse(command, line, environment)

    def test_every_variable_with_limited_values_is_tested(self):
        rows = [
            row.split("|")
            for row in (ROOT / "scripts/variables.txt").read_text().replace("\\|", ",").splitlines()
            if not row.startswith("#")
        ]
        limited = {row[0].strip() for row in rows if row[2].strip() not in ("text", "folder", "output")}
        tested = {argument.partition("=")[0] for arguments, _ in REFUSED for argument in arguments}
        self.assertEqual(limited - tested, set())

    def test_a_row_of_a_table_is_a_choice(self):
        """In a copy of what the scripts read, with a backend and a preset more."""
        copy = pathlib.Path(self.folder, "copy")
        for part in ("Makefile", "scripts", "sim/common", "sim/spec/machines", "sim/spec/dram_presets.def", NETWORK):
            (copy / part).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, copy / part)
        tables = {
            "sim/common/backends": 'FOVEA_BACKEND(silent, common_library, "", "the silent model", "a silent one")',
            "sim/spec/dram_presets": "FOVEA_DRAM_PRESET(slow, 90, 9, 0, {1, 1}, 10, 1, kDuplex, {0, 0}, {}, 0)",
        }
        for table, row in tables.items():
            with (copy / f"{table}.def").open("a") as file:
                file.write(f"{row}\n")

        def say(command, **variables):
            done = subprocess.run(
                command, cwd=copy, env={**self.environment, **variables}, capture_output=True, text=True
            )
            return done.stdout + done.stderr

        usage = say(["make", "usage"])
        for words in (
            "|silent ",
            ", or a silent one; test_full",
            "VCD only, the silent model writes no waves\n",
            "|slow ",
        ):
            self.assertIn(words, usage)
        self.assertEqual(say("scripts/check_variables", BACKEND="silent", DRAM="slow"), "")
        self.assertEqual(
            say("scripts/check_variables", BACKEND="silent", USE_VCD="1"),
            "USE_VCD=1: the silent model writes no waves; leave USE_VCD out\n",
        )
        shipped = "eyeriss_6x8;eyeriss_12x14"
        for variables, target in (
            ({"BACKEND": "silent", "MACHINE": "eyeriss_12x14"}, "fovea_silent"),
            ({"USE_VCD": "1"}, "fovea_systemc"),
            ({"BACKEND": "rtl", "MACHINE": "eyeriss_12x14"}, "fovea_rtl_eyeriss_12x14"),
            ({"BACKEND": "rtl", "USE_VCD": "1"}, "fovea_rtl_eyeriss_6x8_fst"),
            ({"BACKEND": "rtl", "USE_VCD": "1", "VCD_FORMAT": "vcd"}, "fovea_rtl_eyeriss_6x8_vcd"),
        ):
            self.assertEqual(say(["scripts/device_target", shipped], **variables), f"{target} {shipped}\n")
        own = copy / "own.json"
        own.write_text((copy / "sim/spec/machines/eyeriss_12x14.json").read_text().replace("eyeriss_12x14", "own"))
        self.assertEqual(
            say(["scripts/device_target", shipped], MACHINE="own.json", BACKEND="rtl"),
            f"fovea_rtl_own {shipped};{own}\n",
        )
        self.assertEqual(
            say(["scripts/device_target", f"{shipped};{own}"], MACHINE="own.json", BACKEND="rtl"),
            f"fovea_rtl_own {shipped};{own}\n",
        )

    def test_good_values_pass(self):
        several = {
            "CLASS": "0",
            "MACHINE": "sim/spec/machines/eyeriss_12x14.json",
            "ROUNDING": "floor",
            "USE_VCD": "1",
            "VCD_FROM": "10",
            "IMAGE": NETWORK,
        }
        for good in (
            several,
            {"INPUT_RAW": NETWORK},
            {"INPUT_RAW": f"left={NETWORK},in=2={NETWORK}", "OUTPUT_RAW": "sum=s.f32,product=p.f32"},
        ):
            with self.subTest(good):
                done = subprocess.run(
                    ["scripts/check_variables", *good],
                    cwd=ROOT,
                    env={**self.environment, **good},
                    capture_output=True,
                    text=True,
                )
                self.assertEqual((done.stderr, done.returncode), ("", 0))


if __name__ == "__main__":
    unittest.main()
