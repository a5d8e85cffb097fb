# SPDX-License-Identifier: Apache-2.0
"""scripts/run_fovea hands the Makefile's variables on to the programs as options."""
import functools
import os
import pathlib
import signal
import subprocess
import tempfile
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from variables import backend, read_rows

NETWORK = "models/vgg8_cifar10_power2.onnx"
DLA = "--net NET --model " + NETWORK
DEVICE = "--backend systemc --machine sim/spec/machines/eyeriss_6x8.json"
SAMPLES = "--samples build/samples.bin"

# Target, variables, options of the program.
CASES = [
    ("test_dla", {}, f"{DLA} {SAMPLES} --class 4 --index 9 {DEVICE}"),
    (
        "test_dla",
        {"CLASS": "0", "INDEX": "2", "INPUT": NETWORK},
        f"{DLA} --input {NETWORK} --class 0 --index 2 {DEVICE}",
    ),
    ("test_dla", {"IMAGE": "models/samples/cat_3.png"}, f"{DLA} --image models/samples/cat_3.png {DEVICE}"),
    (
        "test_dla",
        {"INPUT_RAW": NETWORK, "OUTPUT_RAW": "y.f32"},
        f"{DLA} --input-raw {NETWORK} --output-raw y.f32 {DEVICE}",
    ),
    (
        "test_cpu",
        {"INPUT_RAW": f"left={NETWORK},right={NETWORK}", "OUTPUT_RAW": "sum=s.f32,product=p.f32"},
        f"--net NET --model {NETWORK} --input-raw left={NETWORK},right={NETWORK} --output-raw sum=s.f32,product=p.f32",
    ),
    (
        "test_dla",
        {"DLA_INFO": "1", "DEBUG": "1"},
        f"{DLA} {SAMPLES} --class 4 --index 9 {DEVICE} --info output/dla_info.csv --debug",
    ),
    ("test_dla", {"TRANSACTIONS": "t.txt"}, f"{DLA} {SAMPLES} --class 4 --index 9 {DEVICE} --transactions t.txt"),
    ("test_dla", {"TRACE": "1"}, f"{DLA} {SAMPLES} --class 4 --index 9 {DEVICE} --trace output/trace.json"),
    ("test_dla", {"USE_VCD": "1"}, f"{DLA} {SAMPLES} --class 4 --index 9 {DEVICE} --vcd output/waves.vcd"),
    (
        "test_dla",
        {"USE_VCD": "1", "BACKEND": "rtl", "VCD_TRIGGER": "stall=30"},
        (
            f"{DLA} {SAMPLES} --class 4 --index 9 {DEVICE.replace('systemc', 'rtl')} --vcd output/waves.fst"
            " --vcd-trigger stall=30"
        ),
    ),
    (
        "test_dla",
        {"USE_VCD": "1", "VCD_FORMAT": "vcd", "VCD_LAYER": "conv2", "VCD_FROM": "0", "VCD_CYCLES": "9"},
        (
            f"{DLA} {SAMPLES} --class 4 --index 9 {DEVICE} --vcd output/waves.vcd --vcd-layer conv2 --vcd-from 0"
            " --vcd-cycles 9"
        ),
    ),
    (
        "test_dla",
        {"DRAM": "lab", "MAPPING": "lab", "ROUNDING": "floor", "MACHINE": "eyeriss_12x14"},
        (
            f"--net NET --model {NETWORK} {SAMPLES} --class 4 --index 9 "
            "--backend systemc --machine sim/spec/machines/eyeriss_12x14.json --dram lab"
        ),
    ),
    (
        "test_cpu",
        {"DUMP_LAYERS": "out put"},
        f"--net NET --model {NETWORK} {SAMPLES} --class 4 --index 9 --dump-layers out put",
    ),
]


def help_of(command):
    fovea = ROOT / os.environ.get("BUILD", "build/release") / "bin/fovea"
    return subprocess.check_output([fovea, command, "--help"], text=True)


class RunFoveaTest(unittest.TestCase):
    built = ""

    def run_fovea(self, target, variables, *options, status=7):
        """What a program in place of test_dla is called with. What prepare or fovea is called with is self.built."""
        with tempfile.TemporaryDirectory() as build:
            for name in ("test_dla", "test_cpu"):
                program = pathlib.Path(build, "bin", name)
                program.parent.mkdir(exist_ok=True)
                program.write_text('#!/bin/sh\necho "$(basename "$0") $*"\nexit 7\n')
                program.chmod(0o755)
            for name in ("prepare", "fovea"):
                program = program.with_name(name)
                program.write_text('#!/bin/sh\necho "$*" >>"$(dirname "$0")/calls"\necho NET\n')
                program.chmod(0o755)
            environment = {"PATH": os.environ["PATH"], "BUILD": build, **variables}
            done = subprocess.run(
                [ROOT / "scripts/run_fovea", target, *options], env=environment, capture_output=True, text=True
            )
            self.built = (program.parent / "calls").read_text().rstrip()
        self.assertEqual((done.returncode, done.stderr), (status, ""), "the program's own exit status comes back")
        return done.stdout.rstrip()

    def test_each_variable_becomes_an_option(self):
        for target, variables, options in CASES:
            with self.subTest(variables):
                self.assertEqual(self.run_fovea(target, variables), f"{target} {options}")

    def test_each_variable_of_the_compiler_is_an_option_of_fovea_build(self):
        self.run_fovea("test_dla", {})
        mapping = (
            "--rounding nearest_even --exact-to integers --machine sim/spec/machines/eyeriss_6x8.json --mapping search"
            " --optimize cycles --slack 2 --residency none"
        )
        self.assertEqual(self.built, f"build {NETWORK} --backend systemc {mapping}")
        chosen = {"OPTIMIZE": "dram", "SLACK": "8", "RESIDENCY": "chip"}
        self.run_fovea("test_dla", chosen | {"RECORDS": "r.json", "TUNE": "4", "TUNING": "t"})
        options = "--optimize dram --slack 8 --residency chip --tuning t --records r.json --tune 4"
        self.assertTrue(self.built.endswith(options))
        self.run_fovea("test_cpu", {"ROUNDING": "floor", "EXACT_TO": "ort", "SHAPE": "x=1x3x8x8,y=1x4", "BATCH": "2"})
        self.assertEqual(
            self.built,
            f"build {NETWORK} --backend cpu --rounding floor --exact-to ort --shape x=1x3x8x8,y=1x4 --batch 2",
        )

    def test_each_option_is_one_of_fovea(self):
        helps = "".join(map(help_of, ("run", "report", "accuracy", "sensitivity")))
        for row in filter(lambda row: row.option, read_rows()):
            self.assertRegex(helps, rf"{row.option.split()[0]}\b", row.name)

    def test_shell_and_python_take_the_same_backend_where_nobody_says(self):
        self.assertEqual(backend("").name, "systemc")
        for command in ("run", "build", "report", "trace"):
            self.assertIn("(default: systemc)", help_of(command))
        self.assertIn('"cpu" else _fovea.backends[0]', (ROOT / "python/fovea/network.py").read_text())

    def test_pictures_whose_class_is_known_are_a_folder_or_two_files(self):
        self.run_fovea("accuracy", {}, status=0)
        self.assertEqual(
            self.built, f"accuracy {NETWORK} --rounding nearest_even --exact-to integers --data build/samples.bin"
        )
        self.run_fovea("accuracy", {"DATA": f"{NETWORK},{NETWORK}", "BACKEND": "rtl"}, status=0)
        machine = "--backend rtl --machine sim/spec/machines/eyeriss_6x8.json"
        pictures = f"--pictures {NETWORK} --classes {NETWORK}"
        self.assertEqual(
            self.built, f"accuracy {NETWORK} --rounding nearest_even --exact-to integers {machine} {pictures}"
        )
        self.run_fovea("sensitivity", {"REPORT": "r"}, status=0)
        samples = "--calibrate models/samples --data models/samples"
        self.assertEqual(
            self.built, f"sensitivity {NETWORK} {samples} --machine sim/spec/machines/eyeriss_6x8.json --output r"
        )

    def test_lockstep_is_of_both_backends(self):
        self.run_fovea("lockstep", {"DRAM": "ddr"}, "--layer", "conv1", status=0)
        self.assertTrue(
            self.built.startswith(f"lockstep {NETWORK} --rounding nearest_even --exact-to integers --machine "),
            self.built,
        )
        self.assertTrue(self.built.endswith("--class 4 --index 9 --dram ddr --layer conv1"), self.built)

    def test_a_report_measures_this_computer_where_asked(self):
        self.run_fovea("report", {}, status=0)
        self.assertNotIn("--host-times", self.built)
        self.run_fovea("report", {"HOST_TIMES": "1"}, status=0)
        self.assertIn(" --host-times", self.built)

    def test_more_options_come_last(self):
        self.assertTrue(self.run_fovea("test_cpu", {"JOBS": "3"}, "--json").endswith("--class 4 --index 9 --json"))

    def test_all_pictures_are_shared_by_all_cores_unless_one_process_writes(self):
        cores = len(os.sched_getaffinity(0))
        self.assertIn(f"--jobs {cores} --full", self.run_fovea("test_cpu", {}, "--full"))
        self.assertIn(
            "--jobs 3 ", self.run_fovea("test_dla", {"JOBS": "3", "DLA_INFO": "1"}, "--full"), "the program refuses it"
        )
        for writes in (
            {"DLA_INFO": "1"},
            {"USE_VCD": "1"},
            {"DEBUG": "1"},
            {"TRACE": "1"},
            {"TRANSACTIONS": "t.txt"},
            {"DUMP_LAYERS": "d"},
        ):
            self.assertNotIn("--jobs", self.run_fovea("test_dla", writes, "--full"))

    def test_what_fails_ends_it(self):
        with tempfile.TemporaryDirectory() as build:
            prepare = pathlib.Path(build, "bin/prepare")
            run = functools.partial(
                subprocess.run,
                [ROOT / "scripts/run_fovea", "test_dla"],
                env={"PATH": os.environ["PATH"], "BUILD": build},
                capture_output=True,
                text=True,
            )
            done = run()
            self.assertEqual((done.returncode, done.stderr), (2, f"{prepare}: no such program; is it built?\n"))
            prepare.parent.mkdir()
            prepare.write_text("#!/bin/sh\necho why >&2\nexit 5\n")
            prepare.chmod(0o755)
            done = run()
            self.assertEqual((done.returncode, done.stderr), (5, "why\n"))

    def test_a_program_ends_with_the_pipe_that_it_writes_to(self):
        with tempfile.TemporaryDirectory() as build:
            for name, text in (("prepare", "echo NET"), ("test_cpu", "grep SigIgn /proc/self/status")):
                program = pathlib.Path(build, "bin", name)
                program.parent.mkdir(exist_ok=True)
                program.write_text(f"#!/bin/sh\n{text}\n")
                program.chmod(0o755)
            printed = subprocess.check_output(
                [ROOT / "scripts/run_fovea", "test_cpu"], env={"PATH": os.environ["PATH"], "BUILD": build}, text=True
            )
        self.assertFalse(int(printed.split()[1], 16) >> (signal.SIGPIPE - 1) & 1, printed)

    def test_a_wrapper_goes_in_front(self):
        self.assertTrue(self.run_fovea("test_cpu", {"WRAPPER": "env A=1"}).startswith("test_cpu --net"))


if __name__ == "__main__":
    unittest.main()
