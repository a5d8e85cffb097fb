# SPDX-License-Identifier: Apache-2.0
"""fovea: help, man pages and completion of each subcommand; runs, their cache and their baselines; what is refused."""
import array
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "testbench/hostile"))
import small_network

BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release"))
FOVEA = BUILD / "bin/fovea"
MODEL = "models/vgg8_cifar10_power2.onnx"
VGG8 = "models/vgg8_cifar10_power2.onnx"
SMALL = "models/resnet8_cifar10_power2.onnx"


def setUpModule():
    """A cache for all that ask nothing about it, so that a network is compiled once."""
    FoveaTest.cache = unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="fovea_test_cache_"))


class FoveaTest(unittest.TestCase):
    cache = ""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="fovea_test_")))
        self.environment = {**os.environ, "FOVEA_CACHE": self.cache}

    def fovea(self, *words, cwd=ROOT, **more):
        return subprocess.run(
            [FOVEA, *words], cwd=cwd, env={**self.environment, **more}, capture_output=True, text=True
        )

    def said(self, *words):
        done = self.fovea(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *words, status=1, **more):
        """The one line that it is refused with."""
        done = self.fovea(*words, **more)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done.stderr)
        return done.stderr.rstrip()


class HelpTest(FoveaTest):
    def subcommands(self):
        return re.findall(r"^  ([a-z]+)  +\S", self.said("--help"), re.M)

    def test_each_subcommand_has_help_an_example_and_a_man_page(self):
        self.said("man", str(self.folder / "man"))
        names = self.subcommands()
        self.assertIn("run", names)
        for name in names:
            with self.subTest(name):
                help_text = self.said(name, "--help")
                self.assertRegex(help_text, rf"Example:\n  .*fovea {name}|Example:\n  source <\(fovea {name}")
                page = (self.folder / "man" / f"fovea-{name}.1").read_text()
                for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_text, re.M):
                    self.assertIn(option.replace("-", "\\-"), page)
        self.assertEqual(len(list((self.folder / "man").iterdir())), len(names) + 1)

    def test_man_reads_the_pages(self):
        if not shutil.which("man"):
            self.skipTest("no man here")
        self.said("man", str(self.folder / "man"))
        for page in (self.folder / "man").iterdir():
            done = subprocess.run(
                ["man", "--warnings", "-l", page],
                capture_output=True,
                text=True,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)

    def test_completion_offers_subcommands_options_and_machines(self):
        (self.folder / "complete").write_text(self.said("completion"))

        def offered(*words):
            script = (
                f'source {self.folder}/complete; PATH={FOVEA.parent}:$PATH; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));'
                ' _fovea; echo "${COMPREPLY[*]}"'
            )
            return subprocess.run(
                ["bash", "-c", script, "bash", *words], capture_output=True, text=True, check=True
            ).stdout.split()

        self.assertEqual(sorted(offered("fovea", "")), sorted(self.subcommands()))
        self.assertEqual(offered("fovea", "run", "--max-c"), ["--max-cycles"])
        self.assertIn("fovea_16x16", offered("fovea", "run", "net.onnx", "--machine", ""))
        self.assertIn("fovea_16x16", offered("fovea", "machine", ""))
        self.assertEqual(sorted(offered("fovea", "run", "net.onnx", "--backend", "")), ["cpu", "rtl", "systemc"])
        self.assertEqual(offered("fovea", "report", "net.onnx", "--dram", "p"), ["pipelined"])
        self.assertEqual(offered("fovea", "completion", "z"), ["zsh"])

    def test_zsh_completes_likewise(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh here")
        (self.folder / "complete").write_text(self.said("completion", "zsh"))

        def offered(*words):
            script = (
                "compdef() { :; }; compadd() { shift; print -- $*; }; _files() { print FILES; };"
                f" _describe() {{ print -l -- $names; }}; source {self.folder}/complete;"
                f" PATH={FOVEA.parent}:$PATH; words=($*); CURRENT=$#; words[CURRENT]=$argv[-1]; _fovea"
            )
            return subprocess.run(
                ["zsh", "-fc", script, "zsh", *words], capture_output=True, text=True, check=True
            ).stdout.split("\n")[:-1]

        self.assertEqual(sorted(line.split(":")[0] for line in offered("fovea", "")), sorted(self.subcommands()))
        self.assertIn("--max-cycles", offered("fovea", "run", "-")[0].split())
        self.assertEqual(offered("fovea", "run", "x"), ["FILES"])
        self.assertEqual(offered("fovea", "run", "net.onnx", "--backend", "x"), ["cpu rtl systemc"])
        self.assertIn("fovea_16x16", offered("fovea", "run", "net.onnx", "--machine", "x")[0].split())

    def test_fish_completes_likewise(self):
        if not shutil.which("fish"):
            self.skipTest("no fish here")
        (self.folder / "complete").write_text(self.said("completion", "fish"))

        def offered(line):
            script = f"set PATH {FOVEA.parent} $PATH; source {self.folder}/complete; complete -C '{line}'"
            done = subprocess.run(
                ["fish", "-Nc", script],
                cwd=self.folder,
                capture_output=True,
                text=True,
                check=True,
                env=self.environment,
            )
            return [row.split("\t")[0] for row in done.stdout.splitlines()]

        self.assertEqual(sorted(offered("fovea ")), sorted(self.subcommands()))
        self.assertEqual(offered("fovea run --max-c"), ["--max-cycles"])
        self.assertEqual(sorted(offered("fovea run net.onnx --backend ")), ["cpu", "rtl", "systemc"])
        self.assertIn("fovea_16x16", offered("fovea run net.onnx --machine "))

    def test_help_is_where_people_look_for_it(self):
        self.assertEqual(self.said(), self.said("--help"))
        self.assertEqual(self.said("help"), self.said("--help"))
        self.assertEqual(self.said("help", "run"), self.said("run", "--help"))
        self.assertEqual(self.said("help", "machines", "show"), self.said("machines", "show", "--help"))

    def test_a_slip_is_understood(self):
        self.assertEqual(
            self.refused("rnu", MODEL, status=2),
            "fovea: rnu: no such subcommand; did you mean run?; fovea --help lists them",
        )
        self.assertEqual(
            self.refused("help", "chekc", status=2),
            "fovea: chekc: no such subcommand; did you mean check?; fovea --help lists them",
        )
        self.assertIn("--bakend; did you mean --backend?; ", self.refused("run", MODEL, "--bakend", "rtl", status=2))
        self.assertIn("--jsn; did you mean --json?; ", self.refused("machines", "list", "--jsn", status=2))

    def test_a_slip_in_a_value_too(self):
        for meant, status, *words in (
            ("systemc", 2, "run", MODEL, "--backend", "sytemc"),
            ("rtl", 2, "accuracy", MODEL, "--backend", "rlt"),
            ("search", 2, "run", MODEL, "--mapping", "serch"),
            ("pipelined", 2, "run", MODEL, "--dram", "pipe"),
            ("power2", 2, "sensitivity", MODEL, "--calibrate", "models", "--scales", "power"),
            ("zsh", 2, "completion", "zhs"),
            ("eyeriss_12x14", 1, "run", MODEL, "--machine", "eyeris_12x14"),
            ("eyeriss_12x14", 1, "machines", "show", "eyeriss_12x15"),
            ("conv2", 1, "map", MODEL, "--layer", "cnv2"),
            (MODEL, 1, "check", MODEL.replace("vgg8", "vgg")),
            (MODEL, 1, "run", MODEL.removesuffix(".onnx")),
            ("models/samples", 1, "accuracy", MODEL, "--data", "models/sample"),
        ):
            with self.subTest(words):
                said = self.fovea(*words)
                self.assertEqual((said.returncode, said.stderr.split("; ")[-1]), (status, f"did you mean {meant}?\n"))

    def test_an_interrupt_is_said(self):
        os.mkfifo(self.folder / "net.onnx")
        running = subprocess.Popen(
            ["env", "--default-signal=INT", FOVEA, "check", self.folder / "net.onnx"], stderr=subprocess.PIPE, text=True
        )
        with open(self.folder / "net.onnx", "wb"):  # It has come so far as to read it.
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.communicate()[1], "\nfovea: interrupted\n")
        self.assertEqual(running.returncode, -signal.SIGINT)

    def test_what_is_no_network_has_no_table(self):
        self.assertEqual(self.refused("check", "gone.onnx"), "fovea: gone.onnx: no such file")
        self.assertEqual(self.fovea("check", "gone.onnx").stdout, "")

    def test_what_never_ends_is_refused(self):
        for words in (["run", MODEL, "--labels", "/dev/zero"], ["machines", "check", "/dev/zero"]):
            self.assertRegex(
                self.refused(*words), "^fovea: /dev/zero: (has more than [0-9]+ bytes; give |larger than 64 MB)"
            )

    def test_the_name_says_whether_it_is_the_compiler(self):
        self.assertTrue(self.said("--version").startswith("fovea "))
        self.assertTrue(
            subprocess.run(
                [BUILD / "bin/foveac", "--version"], capture_output=True, text=True, check=True
            ).stdout.startswith("foveac ")
        )


class RunTest(FoveaTest):
    def setUp(self):
        super().setUp()
        self.environment["FOVEA_CACHE"] = str(self.folder / "cache")

    def test_a_picture_on_the_model_and_on_the_host(self):
        for backend in ("systemc", "cpu"):
            answer = self.said("run", SMALL, "models/samples/ship_0.png", "--backend", backend)
            self.assertRegex(answer, r"=\n\[        ship\]")
        self.assertEqual(len(list((self.folder / "cache/nets").iterdir())), 2)

    def test_a_network_is_compiled_once_and_again_where_its_bytes_or_options_changed(self):
        model = self.folder / "net.onnx"
        shutil.copy(ROOT / SMALL, model)

        def compiles(*options):
            return "compiled" in self.fovea("run", str(model), "--backend", "systemc", *options).stderr

        self.assertTrue(compiles())
        self.assertFalse(compiles())
        self.assertTrue(compiles("--mapping", "lab"))
        self.assertTrue(compiles("--machine", "eyeriss_12x14"))
        with model.open("ab") as file:
            file.write(b"\x32\x00")  # an empty doc_string more
        self.assertTrue(compiles())
        self.assertFalse(compiles())
        self.assertRegex(self.said("clean", "--all"), r"removed \d entries")
        self.assertFalse((self.folder / "cache").exists())

    def test_build_says_where_a_network_is_kept(self):
        folder = pathlib.Path(self.said("build", SMALL, "--backend", "cpu", "--rounding", "floor").rstrip())
        self.assertRegex(folder.name, r"^resnet8_cifar10_power2-floor-cpu-[0-9a-f]{32}$")
        self.assertTrue((folder / "model.so").exists())
        text = self.said("build", SMALL, "--backend", "cpu", "--rounding", "floor", "--layers")
        self.assertRegex(text, r"(?s)^layer +composite.*written: .*cpu-[0-9a-f]{32}\n.*  model.so +[\d,]+ bytes\n")

    def test_of_two_at_once_one_compiles_and_a_killed_one_leaves_nothing_broken(self):
        words = [FOVEA, "run", MODEL, "--backend", "systemc"]
        runs = [
            subprocess.Popen(
                words, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(3)
        ]
        texts = [run.communicate() for run in runs]
        self.assertEqual([run.returncode for run in runs], [0, 0, 0])
        self.assertEqual(sum("compiled" in err for _, err in texts), 1, texts)
        self.assertEqual(len({out for out, _ in texts}), 1)
        shutil.rmtree(self.folder / "cache")
        killed = subprocess.Popen(
            words, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        nets = self.folder / "cache/nets"
        while not (nets.exists() and any(name.suffix == ".part" for name in nets.iterdir())) and killed.poll() is None:
            time.sleep(0.002)
        killed.kill()
        killed.wait()
        self.said("run", MODEL, "--backend", "systemc", "--quiet")
        self.assertEqual([name for name in nets.iterdir() if name.name.startswith(".")], [])

    def test_what_is_missing_is_one_line(self):
        self.assertEqual(self.refused("run", "gone.onnx"), "fovea: gone.onnx: no such file")
        self.assertIn("give a file", self.refused("run", "models"))
        self.assertIn("unknown; floor|nearest_even work", self.refused("run", MODEL, "--rounding", "up", status=2))
        self.assertIn(
            "only the accelerator has it", self.refused("run", MODEL, "--backend", "cpu", "--trace", "t.json", status=2)
        )
        self.assertIn("fovea run --help shows what works", self.refused("run", MODEL, "--no-such", status=2))
        self.assertEqual(
            self.refused("bake", MODEL, status=2), "fovea: bake: no such subcommand; fovea --help lists them"
        )
        self.assertIn("or give a JSON file", self.refused("run", MODEL, "--machine", "eyeriss_1x1"))
        machine = json.loads((ROOT / "sim/spec/machines/eyeriss_6x8.json").read_text())
        copy = self.folder / "copy.json"
        copy.write_text(json.dumps({**machine, "rows": 5}))
        self.assertEqual(
            self.fovea("run", MODEL, "--machine", str(copy)).stderr.splitlines()[-1],
            (
                f"fovea: {copy}: its name, eyeriss_6x8, is that of {ROOT}/sim/spec/machines/eyeriss_6x8.json; give it"
                " another"
            ),
        )
        self.assertIn(
            "its name, eyeriss_6x8, is that of",
            self.refused("run", MODEL, "--machine", str(copy), "--backend", "systemc"),
        )
        self.assertIn(
            "name another folder in FOVEA_CACHE",
            self.refused("run", MODEL, "--backend", "systemc", FOVEA_CACHE="/dev/null/cache"),
        )


# A float network of a picture of C channels; its ten outputs are multiples of the mean of what the convolution gives.
PICTURE_NETWORK = """fn (%x: Tensor[(1, SHAPE), float32] from "x") {TURNED
  %w = constant 0.25 : Tensor[(4, C, 4, 4), float32]
  %c = nn.conv2d(%p, %w, strides=[4, 4], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv"
  %m = nn.global_avg_pool2d(%c) from "mean"
  %f = reshape(%m, newshape=[1, 4]) from "flat"
  %v = constant WEIGHTS : Tensor[(10, 4), float32]
  %d = nn.dense(%f, %v) from "fc"
  return %d
}
""".replace(
    "WEIGHTS", str([i / 8 for i in range(40)])
)


class OwnNetworkTest(FoveaTest):
    """What a network of one's own does, without a file beside it."""

    def network(self, channels, is_last=False):
        file = self.folder / f"net{channels}{'last' if is_last else ''}.txt"
        shape = f"16, 16, {channels}" if is_last else f"{channels}, 16, 16"
        turned = "\n  %p = transpose(%x, axes=[0, 3, 1, 2])" if is_last else ""
        text = PICTURE_NETWORK.replace("SHAPE", shape).replace("TURNED", turned).replace("C,", f"{channels},")
        file.write_text(text if is_last else text.replace("%p", "%x"))
        return str(file)

    def answer(self, *words):
        """Of the last class: 4 * 16 * 0.25 * mean of the pixels * sum of its weights, 147 / 2 / 4."""
        classes = json.loads(self.said("run", *words, "--backend", "cpu", "--json"))["classes"]
        return classes[9]["logit"] / (16 * 0.25 * 18.75)

    def test_pictures_of_any_channels_and_layout(self):
        (self.folder / "grey.pgm").write_bytes(b"P5 16 16 255\n" + bytes(256 * [51]))
        (self.folder / "red.ppm").write_bytes(b"P6 16 16 255\n" + bytes(256 * [255, 0, 0]))
        for channels in (1, 3):
            for is_last in (False, True):
                words = [self.network(channels, is_last), str(self.folder / "grey.pgm")]
                self.assertAlmostEqual(self.answer(*words), channels * 0.2, places=5)
                self.assertAlmostEqual(self.answer(*words, "--mean", "0.1", "--std", "0.5"), channels * 0.2, places=5)
                words[1] = str(self.folder / "red.ppm")
                self.assertAlmostEqual(self.answer(*words), 0.299 if channels == 1 else 1, places=5)
        done = self.fovea("run", self.network(3), words[1], "--backend", "systemc")
        self.assertRegex(done.stdout, r"\n\[           9\] [^c]*\nlayer ")
        self.assertIn("outputs are numbered (--labels names them), pixels go from 0 to 1", done.stderr)

    def test_without_an_input_it_runs_on_random_numbers(self):
        for channels in (1, 2):
            done = self.said("run", self.network(channels), "--backend", "systemc")
            self.assertRegex(
                done,
                r"^no input given: it takes random numbers from 0 to 1 \(--seed 1\)\n"
                r"output: 10 numbers, .*\nlayer (?s:.*)\nfloat_conv2d ",
            )
        report, model = self.folder / "report", self.folder / "net.txt"
        model.write_text(small_network.text(5))
        self.said("report", str(model), "--backend", "systemc", "-o", str(report))
        self.assertIn("random numbers, seed 1", (report / "run.json").read_text())
        self.assertIn("Class index: 4", self.said("run", SMALL, "--backend", "systemc"), "a drawn picture")

    def test_what_is_written_has_a_place_where_none_is_named(self):
        words = [str(ROOT / SMALL), "--backend", "systemc"]
        for command, written in (
            (["trace", *words], "written to output/trace.json\n"),
            (["waves", *words], "written to output/waves.vcd\n"),
            (["compile", words[0]], "written: output/resnet8_cifar10_power2\n"),
            (["visu", words[0]], "written: output/visu/resnet8_cifar10_power2.svg, and each graph alone\n"),
            (["export", words[0], "--qdq"], "written: output/resnet8_cifar10_power2_qdq.onnx\n"),
            (["export", words[0], "--qoperator"], "written: output/resnet8_cifar10_power2_qoperator.onnx\n"),
            (["dataset", str(ROOT / "models/samples")], "output/input.bin: 10 classes, 10 pictures each, 32x32\n"),
            (
                [
                    "quantize",
                    str(ROOT / "models/resnet8_cifar10_float.onnx"),
                    "--calibrate",
                    str(ROOT / "models/samples"),
                ],
                "written: output/resnet8_cifar10_float_quantized.onnx\n",
            ),
        ):
            done = self.fovea(*command, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout.endswith(written)), (0, True), done.stderr + done.stdout)
        files = {file.name for file in (self.folder / "output").iterdir()}
        self.assertLessEqual({"trace.json", "waves.vcd", "waves.vcd.gtkw", "resnet8_cifar10_power2", "visu"}, files)
        self.said("check", str(self.folder / "output/resnet8_cifar10_float_quantized.onnx"))
        self.assertTrue((self.folder / "output/resnet8_cifar10_power2/model.c").exists())
        trace = self.fovea("trace", *words, "-o", "-")
        self.assertEqual(json.loads(trace.stdout)["displayTimeUnit"], "ms")
        self.assertIn("\nall ", trace.stderr)

    def test_labels_of_a_batch_are_those_of_one_picture(self):
        network, names = str(shutil.copy(ROOT / SMALL, self.folder / "net.onnx")), self.folder / "names.txt"
        names.write_text("".join(f"class{i}\n" for i in range(10)))
        self.assertIn("output: 20 numbers", self.said("run", network, "--batch", "2", "--labels", str(names)))
        names.write_text("a\nb\n")
        self.assertIn(
            "names.txt: has 2 labels; the network has 10 outputs",
            self.fovea("run", network, "--batch", "2", "--labels", str(names)).stderr,
        )

    def test_a_batch_answers_each_of_its_pictures(self):
        """As each alone: on both simulators and the CPU, in a list, from files and from the drawn pictures."""
        images = ["models/samples/cat_3.png", "models/samples/ship_0.png"]
        alone = [
            json.loads(self.said("run", SMALL, image, "--backend", "cpu", "--json"))["classes"] for image in images
        ]
        for words in (["systemc"], ["systemc", "--lists"], ["rtl"], ["cpu"]):
            with self.subTest(words):
                run = json.loads(
                    self.said("run", SMALL, ",".join(images), "--batch", "2", "--json", "--backend", *words)
                )
                self.assertEqual([picture["classes"] for picture in run["pictures"]], alone)
        said = self.said("run", SMALL, "--batch", "3", "--index", "8", "--backend", "systemc")
        names = re.findall(r"Image Test: (\d)/10 image class +(\w+)\n", said)
        self.assertEqual(names, [("8", "deer"), ("9", "deer"), ("0", "dog")])
        self.assertEqual(said.count("[       truck]"), 3)
        self.assertRegex(said, r"above, 3 pictures at once; a picture takes [\d,]+ cycles and [\d,]+ DRAM bytes\n")
        report = self.folder / "report"
        self.said("report", SMALL, "--batch", "2", "--backend", "systemc", "-o", str(report))
        self.assertIn("of 2 pictures at once", (report / "report.md").read_text())

    def test_a_batch_that_does_not_fit_is_refused(self):
        image = "models/samples/cat_3.png"
        for words, line in (
            ([image, "--batch", "2"], "--image: 1 picture; a run takes 2; give as many, with commas between"),
            ([f"{image},{image}"], "--image: 2 pictures; a run takes 1, and of a batch of N it takes N; give as many"),
            (
                ["--full", "--batch", "2"],
                "--full: runs its pictures one by one, and the network takes 2 at once; one of a batch of 1 works",
            ),
            (["--batch", "0"], "--batch: Value 0 not in range 1 to 65536; "),
        ):
            with self.subTest(words):
                self.assertIn(line, self.refused("run", SMALL, *words, "--backend", "systemc", "--quiet", status=2))
        self.assertRegex(
            self.refused("run", SMALL, "--batch", "65536", "--backend", "systemc", "--quiet"),
            r"its weights are \d+ bytes and its activations \d+, of 65536 pictures at once; memory holds 2146435072$",
        )

    def test_a_long_name_leaves_the_table_in_its_columns(self):
        name = "a" * 50 + "b" * 50
        text = pathlib.Path(self.network(3)).read_text().replace('"conv"', f'"{name}"')
        (self.folder / "long.txt").write_text(text)
        said = self.said("run", str(self.folder / "long.txt"), "--backend", "systemc")
        rows = said[said.index("\nlayer ") + 1 :].splitlines()
        end = rows[0].index("MACs") + len("MACs")
        self.assertTrue(all(row[end - 1].isdigit() for row in rows[1:7]), said)
        self.assertLess(max(map(len, rows)), 120)
        (self.folder / "x.f32").write_bytes(array.array("f", range(2 * 3 * 16 * 16)).tobytes())
        words = ["--calibrate", str(self.folder / "x.f32"), "-o", str(self.folder / "long.onnx")]
        said = self.said("quantize", str(self.folder / "long.txt"), *words)
        self.assertIn(f"\n{'a' * 29}...{'b' * 28} ", said)
        self.assertIn(f'"{name}"', self.said("quantize", str(self.folder / "long.txt"), *words, "--json"))

    def test_what_is_no_picture_and_a_misspelt_key_are_refused(self):
        picture = "models/samples/ship_0.png"
        self.assertEqual(
            self.fovea("run", self.network(2), picture, "--backend", "cpu").stderr.splitlines()[-1],
            f"fovea: {self.network(2)}: its input is (2, 16, 16), no picture of one or three channels; give it a tensor"
            " (--input-raw FILE)",
        )
        (self.folder / "net3.json").write_text('{"labls": []}')
        self.assertIn(
            '"labls" is not known; labels, mean and std are; did you mean labels?',
            self.fovea("run", self.network(3), picture, "--backend", "cpu").stderr,
        )


class BaselineTest(FoveaTest):
    def run_to(self, name, *options):
        file = self.folder / name
        file.write_text(self.said("run", MODEL, "--backend", "systemc", "--json", *options))
        return str(file)

    def test_the_same_is_0_a_slower_mapping_is_1_and_says_which_layers(self):
        baseline = self.run_to("before.json")
        words = ["run", MODEL, "--backend", "systemc", "--baseline", baseline]
        same = self.said(*words)
        self.assertIn("within what is allowed", same)
        run = json.loads(pathlib.Path(baseline).read_text())
        conv1 = run["device"]["layers"][0]
        conv1["Cycles"] -= 40_000  # So that the same run is a slower one: by 1.07 % of 3,743,673.
        slower_than = self.write("faster.json", run)
        slower = self.fovea(*words[:-1], slower_than, "--max-cycles", "+0.5%")
        self.assertEqual(slower.returncode, 1, slower.stderr)
        self.assertRegex(slower.stdout, r"\nconv1 +26,748 +66,748 +\+149.54 %")
        self.assertIn("more cycles than allowed: +1.07 %, and +0.50 % would be\n", slower.stdout)
        self.assertEqual(self.fovea(*words[:-1], slower_than, "--max-cycles", "+10%").returncode, 0)
        lab = self.fovea(*words, "--mapping", "lab", "--max-cycles", "+10000%", "--max-dram", "1000%")
        self.assertEqual(lab.returncode, 1)
        self.assertTrue(lab.stdout.endswith("no longer on the accelerator: fc6, fc7, fc8\n"), lab.stdout)
        told = self.fovea(*words[:-1], slower_than, "--json")
        self.assertEqual((told.returncode, told.stderr), (1, ""))
        whole = json.loads(told.stdout)
        self.assertEqual(whole["device"]["cycles"], whole["baseline"]["layers"][-1]["now"]["cycles"])
        self.assertEqual(whole["baseline"]["layers"][0]["before"]["cycles"], 26748)
        self.assertRegex(whole["baseline"]["complaints"][0], "^more cycles than allowed")
        self.assertFalse(whole["baseline"]["within"])
        report = self.folder / "report"
        report.mkdir()
        (report / "run.json").write_text(json.dumps({"answer": json.loads(pathlib.Path(baseline).read_text())}))
        self.assertIn("within", self.said(*words[:-1], str(report)))

    def write(self, name, run):
        """A run as a file, and its path."""
        (self.folder / name).write_text(json.dumps(run))
        return str(self.folder / name)

    def test_a_baseline_of_other_conditions_is_refused(self):
        before = self.run_to("before.json")
        words = ["--backend", "systemc", "--baseline"]
        self.said("build", SMALL, "--backend", "systemc")
        ending = "; give a run of the same network on the same machine and DRAM preset"
        self.assertEqual(
            self.refused("run", SMALL, *words, before, status=2),
            (
                f"fovea: --baseline {before}: its network is vgg8_cifar10_power2, and this run's is"
                f" resnet8_cifar10_power2{ending}"
            ),
        )
        self.assertIn(
            f"its DRAM preset is pipelined, and this run's is lab{ending}",
            self.refused("run", MODEL, *words, before, "--dram", "lab", status=2),
        )
        run = json.loads(pathlib.Path(before).read_text())
        self.assertEqual((run["device"]["conditions"]["MACs"], run["device"]["runs"]), ("168002816", 1))
        for name, there in (
            ("MACs", "7"),
            ("machine", "eyeriss_12x14"),
            ("machine's glb_bytes", "32768"),
            ("machine's clock_mhz", "100"),
        ):
            changed = json.loads(json.dumps(run))
            here, changed["device"]["conditions"][name] = run["device"]["conditions"][name], there
            self.assertIn(
                f"its {name} is {there}, and this run's is {here}{ending}",
                self.refused("run", MODEL, *words, self.write("changed.json", changed), status=2),
            )
        negative = json.loads(json.dumps(run))
        negative["device"]["layers"][0]["Cycles"] = -5
        self.assertIn(
            '"Cycles" is -5; it must be a whole number',
            self.refused("run", MODEL, *words, self.write("negative.json", negative)),
        )
        run["device"]["runs"] = 2
        self.assertTrue(
            self.refused("run", MODEL, *words, self.write("two.json", run), status=2).endswith(
                "two.json: a run of 2 pictures, and this is one of 1; give one of as many"
            )
        )
        del run["device"]["conditions"]
        self.assertTrue(
            self.refused("run", MODEL, *words, self.write("older.json", run)).endswith(
                "older.json: does not say of which network and machine it is; make it again with this version's fovea"
                " run --json"
            )
        )

    def test_what_is_no_baseline_is_one_line(self):
        self.assertIn("makes one", self.refused("run", MODEL, "--baseline", "gone.json"))
        self.assertIn(
            "only the accelerator has it",
            self.refused("run", MODEL, "--backend", "cpu", "--baseline", "gone.json", status=2),
        )
        self.assertIn(
            "--jobs 2: --baseline is of one process",
            self.refused("run", MODEL, "--full", "--jobs", "2", "--baseline", "gone.json", status=2),
        )
        self.assertIn(
            "not a run on the accelerator",
            self.refused("run", MODEL, "--baseline", "sim/spec/machines/eyeriss_6x8.json"),
        )
        file = self.run_to("before.json")
        self.assertIn(
            "no change in percent", self.refused("run", MODEL, "--baseline", file, "--max-cycles", "much", status=2)
        )


class CpuLayersTest(FoveaTest):
    """VGG-8 where a filter spad of 2 bytes holds no row of 3: its five convolutions fall back to the CPU."""

    # By hand: conv1 multiplies 3 x 64 x 3 x 3 at 32 x 32 places, and moves 3 x 32 x 32 pixels, as many weights, 64
    # biases of 4 bytes and, pooled, 64 x 16 x 16 results.
    CONV1 = {
        "layer": "conv1",
        "operation": "qconv2d_relu_maxpool",
        "macs": 1728 * 1024,
        "bytes": 3072 + 1728 + 256 + 16384,
    }
    CONV1_CYCLES = 4 * CONV1["macs"] + CONV1["bytes"]
    ALL_MACS = 168_002_816
    ACCELERATED = 4096 * 256 + 256 * 128 + 128 * 10

    def machine(self, name, **fields):
        file = self.folder / f"{name}.json"
        shipped = json.loads((ROOT / "sim/spec/machines/eyeriss_6x8.json").read_text())
        file.write_text(json.dumps({**shipped, "name": name, **fields}))
        return str(file)

    def test_layers_that_fall_back_stand_in_every_table_and_total(self):
        words = [MODEL, "--backend", "systemc", "--machine", self.machine("small_spads", filter_spad_bytes=2)]
        text = self.said("run", *words)
        self.assertRegex(text, rf"\nconv1 +{self.CONV1['macs']:,} +{self.CONV1_CYCLES:,} +on the CPU\n")
        rows = {
            name: (int(macs.replace(",", "")), int(cycles.replace(",", "")), rest)
            for name, macs, cycles, rest in re.findall(r"\n(\w+) +([\d,]+) +([\d,]+) +(.*)", text)
        }
        self.assertEqual(
            [name for name, (_, _, rest) in rows.items() if rest == "on the CPU"],
            ["conv1", "conv2", "conv3", "conv4", "conv5"],
        )
        accelerator, cpu, whole = (rows[name] for name in ("accelerator", "CPU", "all"))
        self.assertEqual(
            (accelerator[0], cpu[0], whole[0]), (self.ACCELERATED, self.ALL_MACS - self.ACCELERATED, self.ALL_MACS)
        )
        self.assertEqual(whole[1], accelerator[1] + cpu[1])
        self.assertEqual(
            whole[2], f"accelerator {100 * accelerator[1] / whole[1]:.1f}%, CPU {100 * cpu[1] / whole[1]:.1f}%"
        )
        self.assertEqual(cpu[2], "99.4% of the MACs")
        self.assertTrue(
            text.endswith(
                "CPU: in-order core, 200 MHz, 4 cycles a MAC and 1 a byte moved, as declared; its cycles are given at"
                " 200 MHz\n"
                f"{2e8 / whole[1]:.4g} frames a second, {0.4 * self.ALL_MACS / whole[1]:.4g} GOPS at 200 MHz\n"
            ),
            text,
        )

        table = self.folder / "table.csv"
        told = json.loads(self.said("run", *words, "--json", "--info", str(table)))
        self.assertEqual(told["cpu"]["layers"][0], {**self.CONV1, "cycles": self.CONV1_CYCLES})
        self.assertEqual(
            (told["cpu"]["cycles"], told["device"]["cycles"], told["all"]["cycles"]), (cpu[1], accelerator[1], whole[1])
        )
        self.assertAlmostEqual(told["all"]["milliseconds"], whole[1] / 200_000)
        self.assertAlmostEqual(told["all"]["cpu_share"], cpu[1] / whole[1])
        self.assertNotIn("host", told, "this computer's own times are asked for")
        with open(table, newline="") as file:
            csv_rows = list(csv.DictReader(file))
        self.assertEqual(
            [(row["layer"], row["backend"]) for row in csv_rows],
            [(f"conv{i}", "cpu") for i in range(1, 6)] + [(f"fc{i}", "systemc") for i in (6, 7, 8)],
        )
        self.assertEqual(
            [csv_rows[0][name] for name in ("Cycles", "Time(ns)", "macs", "Memory read", "m", "passes")],
            [str(self.CONV1_CYCLES), str(5 * self.CONV1_CYCLES), str(self.CONV1["macs"]), "", "", ""],
        )

        report = self.folder / "report"
        self.said("report", *words, "-o", str(report))
        page = (report / "report.md").read_text()
        self.assertIn(f"| cycles | {whole[1]:,} |", page)
        self.assertIn(
            f"| on the CPU | {100 * cpu[1] / whole[1]:.1f} % of the cycles | {cpu[1]:,} cycles and 99.4 % of the MACs;",
            page,
        )
        self.assertIn(f"| conv1 | qconv2d_relu_maxpool | {self.CONV1_CYCLES:,} |", page)
        self.assertNotIn(
            "on_cpu", [name for name, found in json.loads((report / "run.json").read_text()).items() if found]
        )

        before = self.folder / "before.json"
        told["cpu"]["layers"][0]["cycles"] //= 2
        before.write_text(json.dumps(told))
        slower = self.fovea("run", *words, "--baseline", str(before))
        self.assertEqual(slower.returncode, 1)
        self.assertRegex(
            slower.stdout, rf"\nconv1 +{self.CONV1_CYCLES // 2:,} +{self.CONV1_CYCLES:,} +\+100.00 % +0 +0"
        )
        self.assertNotIn("no longer", slower.stdout)

    def test_a_machine_declares_its_cpu(self):
        cpu = {"name": "big core", "clock_mhz": 400, "cycles_per_mac": 0.5, "cycles_per_byte": 2}
        words = [
            "run",
            MODEL,
            "--backend",
            "systemc",
            "--machine",
            self.machine("big_core", filter_spad_bytes=2, cpu=cpu),
        ]
        told = json.loads(self.said(*words, "--json", "--host-times"))
        self.assertEqual(told["cpu"]["layers"][0]["cycles"], (self.CONV1["macs"] // 2 + 2 * self.CONV1["bytes"]) // 2)
        self.assertEqual({name: told["cpu"][name] for name in cpu}, cpu)
        self.assertEqual(told["host"]["runs"], 5)
        self.assertIn(
            'cpu: field "clock_mhz" is missing',
            self.refused("machines", "check", self.machine("half", cpu={"name": "half"})),
        )

    def test_without_the_labs_mapping_a_layer_is_the_cpus(self):
        text = self.said("run", MODEL, "--backend", "systemc", "--mapping", "lab")
        macs = 4096 * 256
        self.assertRegex(text, rf"\nfc6 +{macs:,} +{4 * macs + 4096 + macs + 4 * 256 + 256:,} +on the CPU\n")

    def test_where_all_is_on_the_accelerator_its_sum_is_all(self):
        text = self.said("run", MODEL, "--backend", "systemc")
        self.assertRegex(text, r"\nall +168,002,816 +3,783,673 ")
        self.assertNotIn("CPU", text)
        told = json.loads(self.said("run", MODEL, "--backend", "systemc", "--json"))
        self.assertEqual((told["cpu"]["layers"], told["all"]["cycles"], told["all"]["cpu_share"]), ([], 3783673, 0))


class HostTest(FoveaTest):
    def test_each_layers_time_on_this_computer(self):
        text = self.said("run", SMALL, "--backend", "cpu")
        head, _, table = text.partition("\nlayer ")
        rows = re.findall(r"\n(\w+) +(\d+\.\d{4}) +(\d+\.\d)%", table)
        self.assertEqual((rows[0][0], rows[-1][0], rows[-1][2]), ("quantize", "all", "100.0"))
        self.assertAlmostEqual(sum(float(ms) for _, ms, _ in rows[:-1]), float(rows[-1][1]), delta=0.00005 * len(rows))
        self.assertRegex(table, r"\non this computer, one core: the median of \d runs\n$")
        quiet = self.said("run", SMALL, "--backend", "cpu", "--quiet")
        self.assertNotIn("layer", quiet)
        self.assertTrue((head + "\n").endswith(quiet), "the lab's form stands above")
        told = json.loads(self.said("run", SMALL, "--backend", "cpu", "--json"))
        self.assertEqual([layer["layer"] for layer in told["host"]["layers"]], [name for name, _, _ in rows[:-1]])


class ReportTest(FoveaTest):
    def test_a_page_of_a_run_and_one_beside_it(self):
        first, second = self.folder / "it's first", self.folder / "second"
        words = ["report", SMALL, "models/samples/ship_0.png", "--backend", "systemc"]
        self.assertEqual(self.said(*words, "--lists", "-o", str(first)), f"written to {first}/index.html\n")
        self.assertEqual(
            {file.name for file in first.iterdir()},
            {"index.html", "report.md", "run.json", "dla_info.csv", "trace.json.gz"},
        )
        run = json.loads((first / "run.json").read_text())
        self.assertEqual(
            run["made_by"]["command"],
            (
                f"fovea report {SMALL} --image models/samples/ship_0.png --backend systemc --lists --output"
                f" '{str(first).replace(chr(39), chr(39) + chr(92) + chr(39) * 2)}'"
            ),
        )
        self.assertEqual(
            run["settings"],
            {
                "lists": "layers in a row by one START",
                "backend": "systemc",
                "DRAM": "pipelined",
                "mapping": "search for cycles",
                "rounding": "nearest_even",
                "input": "models/samples/ship_0.png",
            },
        )
        layers = {layer["layer"]: layer["Cycles"] for layer in run["answer"]["device"]["layers"]}
        self.assertEqual(set(run["lists"]["of"]), set(layers))
        self.assertLess(sum(layers.values()), sum(run["lists"]["alone"].values()))
        self.assertEqual(self.fovea("run", *words[1:], "--lists", "--quiet", "--baseline", str(first)).returncode, 0)

        table = self.folder / "table.csv"
        answer = json.loads(
            self.said(*words, "--json", "--info", str(table), "--compare", str(first), "-o", str(second))
        )
        self.assertEqual(
            {layer["layer"]: layer["Cycles"] for layer in answer["device"]["layers"]}, run["lists"]["alone"]
        )
        self.assertEqual(table.read_text(), (second / "dla_info.csv").read_text())
        self.assertIn("it&#39;s first", (second / "index.html").read_text())

    def test_what_is_no_report_is_one_line(self):
        words = ["report", SMALL, "-o", str(self.folder / "report")]
        self.assertIn("a report is of the accelerator", self.refused(*words, "--backend", "cpu", status=2))
        self.assertIn("--full: a report is of one picture", self.refused(*words, "--full", status=2))
        self.assertEqual(
            self.refused(*words, "--compare", "models"),
            (
                "fovea: models: no report of this version; give a folder that make report wrote, with run.json and"
                " dla_info.csv"
            ),
        )
        self.assertIn("no report; choose another folder", self.refused("report", SMALL, "-o", "models"))
        (self.folder / "jinja2.py").write_text("raise ModuleNotFoundError(\"No module named 'jinja2'\")\n")
        self.assertRegex(
            self.refused(*words, PYTHONPATH=str(self.folder)), r"as root: apt-get install .*python3-jinja2$"
        )
        self.assertFalse((self.folder / "report").exists())


class TraceTest(FoveaTest):
    def test_a_timeline_and_a_window_of_waves(self):
        words = [SMALL, "models/samples/ship_0.png", "--backend", "systemc"]
        trace, waves = self.folder / "trace.json", self.folder / "waves.vcd"
        self.assertTrue(self.said("trace", *words, "-o", str(trace)).endswith(f"written to {trace}\n"))
        self.assertIn("traceEvents", json.loads(trace.read_text()))
        self.said("waves", *words, "--vcd-layer", "qconv2d", "--vcd-cycles", "500", "-o", str(waves))
        self.assertIn("$enddefinitions", waves.read_text())
        self.assertIn("--vcd-layer requires --vcd", self.refused("run", *words, "--vcd-layer", "qconv2d", status=2))


class LockstepTest(FoveaTest):
    def test_a_layer_is_the_same_on_both_event_by_event(self):
        out = self.folder / "out"
        words = ["lockstep", SMALL, "models/samples/ship_0.png", "--layer", "qconv2d", "-o", str(out)]
        text = self.said(*words)
        events, cycles = re.fullmatch(r"equal: ([\d,]+) events, ([\d,]+) cycles\n", text).groups()
        run = json.loads(self.said("run", *words[1:3], "--backend", "systemc", "--json"))
        self.assertEqual({file.name for file in out.iterdir()}, {"rtl.txt", "systemc.txt"})
        self.assertEqual(int(events.replace(",", "")), len((out / "rtl.txt").read_text().splitlines()))
        start = next(layer["Cycles"] for layer in run["device"]["layers"] if layer["layer"] == "qconv2d")
        self.assertEqual(int(cycles.replace(",", "")), start)
        traces = [str(out / "rtl.txt"), str(out / "systemc.txt")]
        lines = (out / "systemc.txt").read_text().splitlines(True)
        (out / "systemc.txt").write_text("".join(lines[:7] + lines[8:]))
        parted = self.fovea("lockstep", "--traces", *traces)
        self.assertEqual(
            (parted.returncode, parted.stdout.splitlines()[0]),
            (1, f"they part after 7 equal events; - is {traces[0]}, + is {traces[1]}"),
        )
        self.assertEqual(json.loads(self.fovea("lockstep", "--traces", *traces, "--json").stdout)["equal_events"], 7)

    def test_what_is_no_layer_and_no_trace_is_one_line(self):
        words = ["lockstep", SMALL, "--quiet", "-o", str(self.folder)]
        self.assertIn(
            "no_such: no layer of that name runs on the device; choose qconv2d, ",
            self.refused(*words, "--layer", "no_such"),
        )
        self.assertIn("no network given", self.refused("lockstep", status=2))
        self.assertEqual(
            self.refused("lockstep", "--traces", "gone.txt", "gone.txt"),
            "fovea: gone.txt: cannot be read; give two files of --transactions",
        )
        self.assertIn("name another folder with --output", self.refused(*words[:3], "-o", "/dev/null/out"))


# A float network of a few layers; WEIGHTS are of the last one.
NETWORK = """fn (%x: Tensor[(1, 3, 32, 32), float32] from "x") {
  %w = constant 0.25 : Tensor[(4, 3, 4, 4), float32]
  %c = nn.conv2d(%x, %w, strides=[4, 4], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv"
  %r = nn.relu(%c) from "relu"
  %p = nn.max_pool2d(%r, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "pool"
  %s = add(%p, %p) from "sum"
  %m = nn.global_avg_pool2d(%s) from "mean"
  %f = reshape(%m, newshape=[1, 4]) from "flat"
  %v = constant WEIGHTS : Tensor[(10, 4), float32]
  %d = nn.dense(%f, %v) from "fc"
  return %d
}
""".replace(
    "WEIGHTS", str([(7 * i % 23 - 11) / 8 for i in range(40)])
)


class QuantizeTest(FoveaTest):
    def setUp(self):
        super().setUp()
        self.network, self.output = self.folder / "net.txt", self.folder / "q.onnx"
        self.network.write_text(NETWORK)
        self.words = [
            "quantize",
            str(self.network),
            "--calibrate",
            "models/samples",
            "--inputs",
            "10",
            "-o",
            str(self.output),
        ]

    def first_scale(self, *words):
        return json.loads(self.said(*self.words, *words, "--json"))["layers"][0]["scale"]

    def test_pictures_are_normalized_as_the_file_beside_the_network_says(self):
        given = self.first_scale("--mean", "0,0.1,0", "--std", "2,2,2")
        self.assertEqual(
            json.loads(self.output.with_suffix(".json").read_text()), {"mean": [0, 0.1, 0], "std": [2, 2, 2]}
        )
        self.output.with_suffix(".json").unlink()
        self.assertNotEqual(self.first_scale(), given)  # CIFAR-10's.
        self.assertFalse(self.output.with_suffix(".json").exists())
        beside = {"labels": list("abcdefghij"), "mean": [0, 0.1, 0], "std": [2, 2, 2]}
        self.network.with_suffix(".json").write_text(json.dumps(beside))
        self.assertEqual(self.first_scale(), given)
        self.assertEqual(json.loads(self.output.with_suffix(".json").read_text()), beside)
        self.assertNotEqual(self.first_scale("--std", "1,1,1"), given)
        self.assertEqual(json.loads(self.output.with_suffix(".json").read_text()), {**beside, "std": [1, 1, 1]})
        self.network.with_suffix(".json").write_text(json.dumps({"labels": ["cat"]}))
        self.assertIn("has 1 labels; the network has 10 outputs", self.refused(*self.words))

    def test_one_that_was_ended_leaves_nothing(self):
        running = subprocess.Popen(
            [FOVEA, *self.words, "--method", "best"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(0.05)
        running.terminate()
        running.communicate()
        self.assertEqual(
            {file.name for file in self.folder.iterdir()}, {"net.txt"} if running.returncode else {"net.txt", "q.onnx"}
        )


class WhatHelpsTest(FoveaTest):
    def test_what_a_report_promises_of_a_larger_machine_a_run_on_it_takes(self):
        """What helps most a layer that waits for psums, and one whose weights pass bus and network: predicted and
        counted cycles are within a percent, before and after."""
        report, larger = self.folder / "report", self.folder / "larger.json"
        words = [VGG8, "models/samples/ship_0.png", "--backend", "systemc"]
        self.said("report", *words, "-o", str(report))
        made = json.loads((report / "run.json").read_text())
        helps = {one["layer"]: one for one in made["helps"]}
        before = {layer["layer"]: layer["Cycles"] for layer in made["answer"]["device"]["layers"]}
        for name, fields in (("conv1", ["psum_lanes"]), ("fc6", ["bus_bytes", "filter_bytes_per_cycle"])):
            best = helps[name]["helps"][0]
            self.assertEqual([size["field"] for size in best["sizes"]], fields)
            sizes = {size["field"]: size["to"] for size in best["sizes"]}
            larger.write_text(json.dumps({**made["machine"], **sizes, "name": "larger"}))
            run = json.loads(self.said("run", *words, "--json", "--machine", str(larger)))
            after = {layer["layer"]: layer["Cycles"] for layer in run["device"]["layers"]}
            self.assertAlmostEqual(helps[name]["cycles"] / before[name], 1, delta=0.01)
            self.assertAlmostEqual(best["cycles"] / after[name], 1, delta=0.01)


class SensitivityTest(FoveaTest):
    def setUp(self):
        super().setUp()
        self.network, self.output = self.folder / "net.txt", self.folder / "costs"
        self.network.write_text(NETWORK)
        shutil.copy(ROOT / "models/vgg8_cifar10_power2.json", self.network.with_suffix(".json"))
        pictures = self.folder / "pictures"
        for name in ("airplane", "ship"):
            (pictures / name).mkdir(parents=True)
            shutil.copy(ROOT / f"models/samples/{name}_0.png", pictures / name)
        self.words = [
            "sensitivity",
            str(self.network),
            "--calibrate",
            str(pictures),
            "--data",
            str(pictures),
            "-o",
            str(self.output),
        ]

    def test_every_layer_alone_and_all_but_it_in_a_page_that_a_report_takes_in(self):
        said = self.said(*self.words, "--scales", "any")
        self.assertRegex(
            said,
            (
                r"^float: knows [012] of 2, .*\nany scales, per channel: knows [012] of 2, .*; [\d,]+ cycles, [\d,]+"
                r" DRAM bytes\n"
            ),
        )
        self.assertTrue(said.endswith(f"written to {self.output}/index.html\n"))
        found = json.loads((self.output / "sensitivity.json").read_text())
        self.assertEqual(
            [form["name"] for form in found["forms"]],
            ["any scales, per channel", "any scales", "power of two, per channel", "power of two"],
        )
        self.assertEqual(
            [(layer["name"], layer["operations"]) for layer in found["layers"]],
            [
                ("conv", ["conv2d", "relu"]),
                ("pool", ["max_pool2d"]),
                ("sum", ["add"]),
                ("mean", ["global_avg_pool2d"]),
                ("fc", ["dense"]),
            ],
        )
        for layer in found["layers"]:
            self.assertEqual((layer["alone"]["pictures"], layer["others"]["pictures"]), (2, 2))
            self.assertGreater(layer["alone"]["sqnr_db"], 20)
        self.assertGreater(len({layer["others"]["sqnr_db"] for layer in found["layers"]}), 1)

        report = self.folder / "report"
        self.said(
            "report",
            SMALL,
            "models/samples/ship_0.png",
            "--backend",
            "systemc",
            "-o",
            str(report),
            "--sensitivity",
            str(self.output),
        )
        self.assertIn('<a href="sensitivity.html">', (report / "index.html").read_text())
        self.assertIn("Back to the report", (report / "sensitivity.html").read_text())
        self.assertEqual(json.loads((report / "sensitivity.json").read_text()), found)

    def test_one_that_was_ended_goes_on(self):
        running = subprocess.Popen(
            [FOVEA, *self.words],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        kept = self.output / "measured.json"
        for _ in range(600):
            if kept.exists() and len(json.loads(kept.read_text())["measured"]) >= 2:
                break
            time.sleep(0.1)
        running.terminate()
        _, said = running.communicate()
        self.assertEqual((running.returncode, said), (130, f"ended; the same command goes on from {kept}\n"))
        self.assertEqual([file.name for file in self.output.iterdir()], ["measured.json"])
        before = json.loads(kept.read_text())["measured"]
        self.said(*self.words)
        measured = json.loads(kept.read_text())["measured"]
        self.assertEqual({key: measured[key] for key in before}, before)
        self.assertGreater(len(measured), len(before))

    def test_what_can_not_be_measured_is_one_line(self):
        self.assertIn(
            "no pictures to measure on; give --data", self.refused(*self.words[:4], "-o", str(self.output), status=2)
        )
        self.assertEqual(
            self.refused(*self.words[:3], "nowhere", *self.words[4:]), "fovea: nowhere: no such file or folder"
        )
        self.assertIn("the network is quantized already", self.refused("sensitivity", SMALL, *self.words[2:]))
        (self.folder / "file").write_text("")
        self.assertIn("File exists", self.refused(*self.words[:-1], str(self.folder / "file")))
        self.assertEqual(
            self.refused("report", SMALL, "-o", str(self.folder / "report"), "--sensitivity", "models"),
            "fovea: models: no whole sensitivity.json; give a folder that fovea sensitivity wrote",
        )


class JsonTest(FoveaTest):
    """Whatever prints a table prints it as JSON: one document, with the figures of the text."""

    def json(self, *words):
        return json.loads(self.said(*words, "--json"))

    def test_map(self):
        found = self.json("map", MODEL, "--layer", "conv2", "--best", "3")
        (layer,) = found["layers"]
        self.assertEqual((found["machine"], layer["layer"], len(layer["best"])), ("eyeriss_6x8", "conv2", 3))
        best = layer["best"][0]
        self.assertEqual((best["cycles"], best["dram_bytes"], best["glb_bytes"]), (590700, 140032, 65536))
        self.assertEqual(
            sum(
                best[f"{cause}_cycles"] for cause in ("compute", "psum", "filter", "ifmap", "dram", "output", "control")
            ),
            best["cycles"],
        )
        self.assertEqual(layer["roofline"]["binds"], "the PEs bind")
        text = self.said("map", MODEL, "--layer", "conv2", "--best", "3")
        for number in (
            best["cycles"],
            best["dram_bytes"],
            best["glb_accesses"],
            *(fate["count"] for fate in layer["fates"]),
        ):
            self.assertIn(f"{number:,}", text)
        self.assertEqual(
            [layer["layer"] for layer in self.json("map", MODEL)["layers"]],
            ["conv1", "conv2", "conv3", "conv4", "conv5", "fc6", "fc7", "fc8"],
        )
        self.assertIn("--print-nest excludes --json", self.refused("map", MODEL, "--json", "--print-nest", status=2))

    def test_build_and_compile(self):
        built = self.json("build", SMALL, "--backend", "systemc")
        folder = pathlib.Path(built["folder"])
        self.assertEqual(
            {each["name"]: each["bytes"] for each in built["files"]},
            {path.name: path.stat().st_size for path in folder.iterdir() if path.name != ".fovea_files"},
        )
        compiled = self.json("compile", SMALL, "-o", str(self.folder / "net"))
        self.assertEqual(compiled, json.loads((self.folder / "net/resnet8_cifar10_power2.json").read_text()))
        self.assertEqual({name: built[name] for name in compiled}, compiled)
        self.assertGreater(built["predicted_cycles"], 0)
        layer = next(layer for layer in built["layers"] if layer["name"] == "qconv2d")
        self.assertIn("predicted_dram_read_bytes", layer["calls"][0])

    def test_accuracy_check_machines_and_run(self):
        accuracy = self.json("accuracy", SMALL, "--data", "models/samples")
        self.assertEqual((accuracy["pictures"], accuracy["networks"][0]["network"]), (100, SMALL))
        self.assertTrue(self.json("check", SMALL)["compiles"])
        self.assertEqual(self.json("machines", "show", "eyeriss_6x8")["machine"], "eyeriss_6x8")
        self.assertIn("layers", self.json("run", SMALL, "--backend", "systemc")["device"])

    def test_help_says_of_each_that_it_does(self):
        for words in (
            "accuracy",
            "build",
            "check",
            "compare",
            "compile",
            "doctor",
            "lockstep",
            "machine",
            "map",
            "quantize",
            "run",
            "report",
            "trace",
            "waves",
        ):
            self.assertIn("--json", self.said(words, "--help"), words)


class MachinesTest(FoveaTest):
    def test_list_show_and_check(self):
        names = sorted(path.stem for path in (ROOT / "sim/spec/machines").glob("*.json"))
        self.assertEqual(self.said("machines", "list", "--names").split(), names)
        self.assertEqual([machine["name"] for machine in json.loads(self.said("machines", "list", "--json"))], names)
        self.assertIn("eyeriss_6x8", self.said("machines", "list"))
        self.assertIn("energy", json.loads(self.said("machines", "show", "eyeriss_6x8", "--json")).__str__())
        self.assertEqual(
            self.said("machines", "check", "eyeriss_12x14"), "eyeriss_12x14: 12 x 14 PEs; it can be used\n"
        )
        shipped = json.loads((ROOT / "sim/spec/machines/eyeriss_6x8.json").read_text())
        small = self.folder / "small.json"
        small.write_text(json.dumps({**shipped, "name": "small", "filter_spad_bytes": 4}))
        said = self.said("machines", "check", str(small)).splitlines()
        self.assertEqual(
            [line.split(" run on")[0] for line in said[1:]], [f"  convolutions of {k}x{k}" for k in (5, 7, 11)]
        )
        self.assertIn("needs 5 bytes in a PE; the machine's filter_spad_bytes is 4, and 5 would do", said[1])
        bad = self.folder / "bad.json"
        bad.write_text('{"name": "bad", "rows": 99}')
        self.assertIn("bad.json", self.refused("machines", "check", str(bad)))
        bad.write_text(json.dumps({**shipped, "rows": 5}))
        self.assertIn("its name, eyeriss_6x8, is that of", self.refused("machines", "check", str(bad)))


class DoctorTest(FoveaTest):
    def test_all_that_a_run_needs_is_here(self):
        self.assertIn("fovea run --backend systemc works here\n", self.said("doctor"))

    def test_without_verilator_it_says_so_and_a_network_runs(self):
        """With a PATH that has the C compiler and what it starts, and nothing else."""
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in ("cc", "as", "ld"):
            (tools / tool).symlink_to(shutil.which(tool))
        self.environment["PATH"] = str(tools)
        text = self.said("doctor")
        self.assertRegex(text, r"verilator +missing: turns the SystemVerilog .* --backend systemc")
        self.assertRegex(text, r"\nmake +missing: .* --backend systemc")
        self.assertRegex(text, r"to install what is missing, as root: apt-get install .*verilator.* make ")
        self.assertIn("[        ship]", self.said("run", SMALL, "models/samples/ship_0.png", "--backend", "systemc"))

    def test_without_a_c_compiler_no_network_runs(self):
        self.environment["PATH"] = str(self.folder)
        self.assertEqual(self.fovea("doctor").returncode, 1)
        said = json.loads(self.fovea("doctor", "--json").stdout)
        self.assertFalse(said["can_run"])
        found = {row["what"]: row for row in said["found"]}
        self.assertFalse(found["zlib.h"]["is_there"])
        self.assertEqual((found["make"]["package"], found["make"]["is_there"]), ("make", False))
        self.assertIn("numpy", found)


if __name__ == "__main__":
    unittest.main()
