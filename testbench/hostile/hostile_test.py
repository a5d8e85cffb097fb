# SPDX-License-Identifier: Apache-2.0
"""Files of cases/ that are made to hurt: each is refused with one line, or answered right, in little time and
memory."""
import json
import math
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = pathlib.Path("testbench/hostile/cases")
FOVEA = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release")) / "bin/fovea"
MODEL = "models/vgg8_cifar10_power2.onnx"

# Of each run. Computing, so that a busy machine makes no difference.
# Far from what any of these takes (1.3 s at most, on an idle core), as machines are noisy; without end is what fails.
MOST_SECONDS, MOST_BYTES = 6, 512 << 20

# What is said of each, behind the file's name.
MACHINES = {
    "machine_name_runs_commands.json": r': field "name" is .*; it must be 1 to 64 letters, digits, _ and -$',
    "machine_overflow.json": r': "rows" has a number that is too large$',
}
PICTURES = {
    "picture_height_0.ppm": "it is 289 pixels wide and 0 high",
    "picture_width_0.ppm": "it is 0 pixels wide and 4 high",
    "ptrunc.ppm": "it ends in row 15",
    "pb2.ppm": "it is 20000 pixels wide and 20000 high; 256 MB hold",
    "samples_above_most.png": "a sample of row 0 is larger than 800",
}
NETWORKS = {
    "depth_to_space_sigfpe.onnx": "blocksize of 1 to 46340",
    "internal_error_bool.onnx": "computes with numbers, not bool",
    "opset_twice.onnx": "imports ONNX's operators twice, of opsets 13 and 2",
    "ir_reads_etc_passwd.fovea": "this constant is in /etc/passwd, outside the folder of this text",
}

# What chains of CHAIN times as many operators are made of.
CHAIN = 2000
STEPS = {
    "relu": "  %{a} = nn.relu(%{x})",
    "twice": "  %{a} = add(%{x}, %{x})",
    "clip": "  %{a} = clip(%{x}, min=-3.0, max=3.0)",
    "swish": "  %{a} = sigmoid(%{x})\n  %{b} = multiply(%{x}, %{a})",
    "softmax": "  %{a} = nn.softmax(%{x}, axis=3)",
    "turned": "  %{a} = transpose(%{x}, axes=[0, 1, 3, 2])\n  %{b} = exp(%{a})",
    "pool": (
        "  %{a} = nn.max_pool2d(%{x}, kernel=[1, 1], strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0)"
    ),
}
# Names of what esc_names.onnx has, each in place of its "\x1b[5m", and how they are shown: in a terminal, in C, in
# Markdown. Each is harmful somewhere: as the end of a comment, a cell, a text or a tag, as mathematics, or as what a
# terminal does.
HARM = b"\x1b[5m"
NAMES = {
    HARM: r"\x1b[5m",
    b"\xff\xfe\xc3(": r"\xff\xfe\xc3(",
    "\u202ex".encode(): r"\u202ex",
    "\u009b2J".encode(): r"\x9b2J",
    b"\r\nx:": r"\x0d\x0ax:",
    b"\0\0\0\0": r"\x00\x00\x00\x00",
    b"*/x;": "*/x;",
    b"-->x": "-->x",
    b"|x|_": "|x|_",
    b'"];x': '"];x',
    b"$x\\{": "$x\\{",
    b"]]>&": "]]>&",
    b"??/\n": r"??/\x0a",
}
# What nothing that a person reads may hold, in any file or on any stream.
HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class HostileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="fovea_hostile_")))
        # What is compiled once is not measured.
        subprocess.run(
            [FOVEA, "run", MODEL, CASES / "g8.pgm", "--backend", "cpu"],
            cwd=ROOT,
            env=cls.environment(),
            check=True,
            capture_output=True,
        )

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    @classmethod
    def environment(cls):
        # The machine's name makes a file beside HOME.
        return {**os.environ, "FOVEA_CACHE": str(cls.home / "cache"), "HOME": str(cls.home / "user")}

    def ran(self, *words):
        """(status, standard output, standard error) of fovea, which may not take more than there is to take."""
        limit = f"--cpu={MOST_SECONDS + 1}"  # Whole seconds, which the kernel rounds.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                ["prlimit", limit, FOVEA, *words], cwd=ROOT, env=self.environment(), stdout=out, stderr=said
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertNotIn(process.returncode, (-signal.SIGKILL, -signal.SIGXCPU), f"{words} takes too long")
            self.assertLessEqual(usage.ru_utime + usage.ru_stime, MOST_SECONDS, words)
            self.assertLess(usage.ru_maxrss << 10, MOST_BYTES, words)
            out.seek(0)
            said.seek(0)
            return process.returncode, out.read().decode(), said.read().decode()

    def assert_refused(self, expected, *words, expected_status=1):
        status, _, said = self.ran(*words)
        self.assertEqual(status, expected_status, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertRegex(said, expected)

    def test_machines(self):
        for name, expected in MACHINES.items():
            with self.subTest(name):
                for backend in ("systemc", "rtl"):
                    self.assert_refused(name + expected, "run", MODEL, "--machine", CASES / name, "--backend", backend)
        self.assertEqual(list(self.home.glob("*pwned*")), [], "a command was run")

    def test_pictures(self):
        for name, expected in PICTURES.items():
            with self.subTest(name):
                self.assert_refused(f"{name}: .*{expected}", "run", MODEL, CASES / name, "--backend", "cpu")

    def test_sixteen_bits_answer_as_eight(self):
        answers = [self.ran("run", MODEL, CASES / name, "--backend", "cpu")[1] for name in ("g8.pgm", "g16.pgm")]
        shares = [[line for line in answer.splitlines() if line.startswith("[")] for answer in answers]
        self.assertEqual(len(shares[0]), 5, answers[0])
        self.assertEqual(*shares)

    def test_networks(self):
        for name, expected in NETWORKS.items():
            with self.subTest(name):
                status, listed, said = self.ran("check", CASES / name)
                self.assertEqual(status, 1, said)
                self.assertRegex(listed + said, expected)

    def compiled(self, network):
        """Bytes of the C of a network, which compiles."""
        folder = self.home / network.stem
        status, _, said = self.ran("compile", network, "-o", folder)
        self.assertEqual(status, 0, said)
        return (folder / "model.c").stat().st_size

    def test_values_that_are_read_twice(self):
        for name in ("a_add26.onnx", "clip_12_memory.onnx"):
            with self.subTest(name):
                self.assertLess(self.compiled(CASES / name), 100_000)
        self.assert_refused(
            "c18: what is computed from constants up to here takes more than 8388608 steps",
            "compile",
            CASES / "concat_doubling_memory.onnx",
            "-o",
            self.home / "no",
        )

    def test_long_axes_and_large_products(self):
        corpus = pathlib.Path("testbench/fuzz/corpus/onnx")
        for name in ("slice_long_axis.onnx", "turn_long_axis.onnx"):
            with self.subTest(name):
                self.assertLess(self.compiled(corpus / name), 100_000)
        self.assert_refused(
            "m: what is computed from constants up to here takes more than 8388608 steps",
            "compile",
            corpus / "matmul_constants.onnx",
            "-o",
            self.home / "no",
        )

    def test_many_operators(self):
        """Chains take time and memory as they are long; STEPS makes of `x`, value i, the next ones."""
        for name, step in STEPS.items():
            with self.subTest(name):
                lines = step.count("\n") + 1
                text = "".join(step.format(x=i * lines, a=i * lines + 1, b=i * lines + 2) + "\n" for i in range(CHAIN))
                last = CHAIN * lines
                network = self.home / f"{name}.fovea"
                network.write_text(f'fn (%0: Tensor[(1, 1, 4, 4), float32] from "x") {{\n{text}  return %{last}\n}}\n')
                self.assertLess(self.compiled(network), CHAIN * 4096)

    def test_more_values_than_a_network_may_have(self):
        network = self.home / "many.fovea"
        text = "".join(f"  %{i + 1} = nn.relu(%{i})\n" for i in range(70_000))
        network.write_text(f'fn (%0: Tensor[(1, 1, 4, 4), float32] from "x") {{\n{text}  return %70000\n}}\n')
        self.assert_refused("many.fovea:.*more than 65536 values", "compile", network, "-o", self.home / "no")

    def test_a_transposed_convolution_is_as_large_as_onnx_runtimes(self):
        self.assertIn("2x17x6", self.ran("check", CASES / "conv_transpose_size.onnx")[1])

    def test_constant_outputs_are_given(self):
        tensor = self.home / "x.f32"
        tensor.write_bytes(bytes(4 * 32))
        _, answer, said = self.ran("run", CASES / "const_out.onnx", "--backend", "cpu", "--input-raw", tensor, "--json")
        self.assertEqual(json.loads(answer)["outputs"]["z"], [1, 2, 3], said)
        # The tensor's float data: field 4 of 100 bytes.
        numbers = (ROOT / CASES / "no_input_constant_output.onnx").read_bytes().split(b"\x22\x64", 1)[1][:100]
        _, answer, said = self.ran("run", CASES / "no_input_constant_output.onnx", "--backend", "cpu", "--json")
        self.assertEqual(json.loads(answer)["output"], list(struct.unpack("<25f", numbers)), said)

    def test_records_and_baselines(self):
        self.assert_refused(
            "records_overflow.json: a number that is too large",
            "run",
            MODEL,
            "--backend",
            "systemc",
            "--records",
            CASES / "records_overflow.json",
        )
        self.assert_refused("baseline_negative.json: ", "run", MODEL, "--baseline", CASES / "baseline_negative.json")

    def named(self, name, case="esc_names.onnx", harm=HARM):
        """A network with other names of the same length."""
        self.assertEqual(len(name), len(harm))
        network = self.folder / "named.onnx"
        network.write_bytes((ROOT / CASES / case).read_bytes().replace(harm, name))
        return network

    def assert_shown(self, text):
        self.assertIsNone(HIDDEN.search(text), text)

    def assert_files_shown(self, folder, *names):
        """Of a folder that was written; \return its texts."""
        texts = [(folder / name).read_text(encoding="utf-8") for name in names]
        for text in texts:
            self.assert_shown(text)
        return texts

    def test_names_are_shown(self):
        for name, shown in NAMES.items():
            with self.subTest(shown):
                network, net, pictures = self.named(name), self.folder / "net", self.folder / "pictures"
                status, listed, said = self.ran("check", network)
                self.assertEqual((status, said), (0, ""))
                self.assert_shown(listed)
                self.assertIn(f"{shown}node", listed)
                for layer in json.loads(self.ran("check", network, "--json")[1])["layers"]:
                    self.assertIn(shown, layer["onnx"])

                self.assertEqual(self.ran("compile", network, "-o", net)[0], 0)
                code, _ = self.assert_files_shown(net, "model.c", "ir_before.txt")
                subprocess.run(
                    [
                        "cc",
                        "-std=c11",
                        "-fsyntax-only",
                        "-trigraphs",
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-Wno-error=trigraphs",
                        "-Isim",
                        "-Idriver",
                        "-Idriver/runtime",
                        net / "model.c",
                    ],
                    cwd=ROOT,
                    check=True,
                )
                self.assertIn(shown.replace("*/", "* /"), code)
                text = self.folder / "again.fovea"
                text.write_bytes((net / "ir_before.txt").read_bytes())
                (self.folder / "ir_constants.bin").write_bytes((net / "ir_constants.bin").read_bytes())
                self.assertEqual(self.ran("check", text)[1].replace("again", "named"), listed)

                self.assertEqual(self.ran("visu", network, "-o", pictures)[0], 0)
                drawn, _ = self.assert_files_shown(pictures, "named_after.svg", "named_after.dot")
                self.assertIn(f"{shown}node", "".join(ElementTree.fromstring(drawn).itertext()))

    def test_names_of_texts_are_shown(self):
        text = self.folder / "named.fovea"
        for name in NAMES:
            quoted = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
            text.write_bytes(
                b'fn (%0: Tensor[(1, 4), float32] from "x") {\n  %1 = composite cpu.two(%0) [layer="'
                + quoted
                + b'", region="'
                + quoted
                + b'", reason="'
                + quoted
                + b'"] { %2 = nn.relu(%0) from "'
                + quoted
                + b'" return %2 }\n  return %1 }\n'
            )
            _, listed, said = self.ran("compile", "--stop-after", "float-outputs", text)
            self.assertEqual(said, "")
            self.assert_shown(listed)

    def test_messages_show_what_they_name(self):
        for name, shown in NAMES.items():
            network = self.named(name)
            network.write_bytes(network.read_bytes().replace(b"Conv*", b"Xonv*"))
            self.assertRegex("".join(self.ran("check", network)[1:]), re.escape(shown))
            self.assert_refused(re.escape(shown), "compile", network, "-o", self.folder / "net")
        machine = self.folder / "named.json"
        machine.write_text(
            json.dumps({**json.loads((ROOT / "sim/spec/machines/eyeriss_6x8.json").read_text()), "a\x1b[5m\u202e\n": 1})
        )
        self.assert_refused(r'"a\\x1b\[5m\\u202e\\x0a" is not known', "run", MODEL, "--machine", machine)
        self.assert_refused(r"a\\x1b\[5m", "run", MODEL, "--no-such=a\x1b[5m", expected_status=2)

    def test_labels_are_shown(self):
        for label in ("\x1b[5mcat", "\u202etac", "a\r\nb", "größe" * 4):
            model = self.folder / "labelled.onnx"
            model.write_bytes((ROOT / MODEL).read_bytes())
            model.with_suffix(".json").write_text(json.dumps({"labels": [label] * 10}))
            for words in ([], ["--json"]):
                status, answer, said = self.ran("run", model, CASES / "g8.pgm", "--backend", "cpu", "--quiet", *words)
                self.assertEqual(status, 0, said)
                self.assert_shown(answer)

    def test_reports_show_names(self):
        harm = b"</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>{{7*7}}"
        name = b"\x1b[5m\xff|\r\n\n# `*/-->" + "\u202e".encode()
        network, folder = self.named(name + harm[len(name) :], "xss_report_md.onnx", harm), self.folder / "report"
        zeros = self.folder / "zeros.f32"
        zeros.write_bytes(bytes(4 * 64 * 64))
        size = json.loads(self.ran("check", network, "--json")[1])["layers"][0]["input"]["shape"]
        zeros.write_bytes(bytes(4 * math.prod(size)))
        subprocess.run(
            [FOVEA, "report", network, "--input-raw", zeros, "--backend", "systemc", "-o", folder],
            cwd=ROOT,
            env=self.environment(),
            check=True,
            capture_output=True,
        )
        markdown, page, _ = self.assert_files_shown(folder, "report.md", "index.html", "run.json")
        self.assertNotRegex(markdown, "<[a-z/!]")
        for table in re.findall(r"(?m)(?:^\|.*\n)+", markdown):
            self.assertEqual(len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}), 1, table)
        self.assertIn(r"\\x1b\[5m\\xff\|\\x0d\\x0a\\x0a# \`\*/--&gt;\\u202e", markdown)
        self.assertNotRegex(page, r"<img|<svg onload|<script>alert|=alert\(\d\)>[^&]*<")

    def test_too_little_memory_is_said_in_one_line(self):
        """Of any thread, and where no thread can be started."""
        for megabytes in range(25, 60, 5):
            words = ["prlimit", f"--as={megabytes << 20}", FOVEA, "check", MODEL]
            done = subprocess.run(words, cwd=ROOT, env=self.environment(), capture_output=True, text=True)
            if done.returncode != 127:  # Not even its libraries fit.
                self.assertIn(
                    (done.returncode, done.stderr),
                    ((0, ""), (1, f"fovea: {MODEL}: needs more memory than there is\n")),
                    megabytes,
                )


if __name__ == "__main__":
    unittest.main()
