# SPDX-License-Identifier: Apache-2.0
"""Emitted C answers alike on every CPU of compiler/targets/cpu/cpus.def: whole networks, compiled by
scripts/build_for_cpu and run here or under qemu; integers bit for bit, float32 within 1e-5 of the largest output. For a
CPU without an operating system it is built and linked."""
import array
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOVEAC = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release")) / "bin/foveac"
NETWORKS = ROOT.parent / "shared/networks"
VGG8 = ROOT / "models/vgg8_cifar10_power2.onnx"
MOST_APART = 1e-5
ROW = re.compile(r'^FOVEA_CPU\((\w+), *"([^"]*)", *"[^"]*", *"([^"]*)"\)$', re.M)


def cpus():
    """name: (compiler, what runs its programs)."""
    return {
        name: (compiler, runs)
        for name, compiler, runs in ROW.findall((ROOT / "compiler/targets/cpu/cpus.def").read_text())
    }


def has_avx2():
    info = pathlib.Path("/proc/cpuinfo")
    return info.exists() and " avx2 " in info.read_text()


def missing(name):
    """What a CPU's programs need that is not here; None if all is."""
    compiler, runs = cpus()[name]
    if not shutil.which(compiler):
        return f"no {compiler} here"
    if name == "x86_64" and not has_avx2():
        return "this processor has no AVX2"
    return None if runs in ("here", "bare") or shutil.which(runs) else f"no {runs} here"


def numbers(seed, count, most):
    draw = random.Random(seed)
    return array.array("f", (draw.uniform(-most, most) for _ in range(count)))


def constant(name, *shape):
    """A line of IR text: a constant of drawn weights."""
    count = 1
    for size in shape:
        count *= size
    values = ", ".join(f"{x:.6f}" for x in numbers(name, count, 0.4))
    return (
        f"  %{name} = constant [{values}] : Tensor[({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}),"
        " float32]"
    )


# Convolutions of all kinds, pools, a fully connected layer, and functions that the compiler writes loops for.
FLOAT_NETWORK = "\n".join(
    [
        'fn (%x: Tensor[(1, 3, 17, 19), float32] from "x") {',
        *(
            constant(*c)
            for c in [("w1", 9, 3, 3, 3), ("b1", 9), ("w2", 9, 1, 5, 3), ("w3", 16, 9, 1, 1), ("w4", 10, 16)]
        ),
        "  %1 = nn.conv2d(%x, %w1, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1)",
        "  %2 = nn.bias_add(%1, %b1, axis=1)",
        "  %3 = nn.relu(%2)",
        "  %4 = nn.conv2d(%3, %w2, strides=[2, 2], pads=[2, 0, 1, 2], dilations=[1, 2], groups=9)",
        "  %5 = tanh(%4)",
        "  %6 = nn.max_pool2d(%5, kernel=[2, 3], strides=[1, 2], pads=[0, 1, 1, 0], dilations=[1, 1], ceil_mode=0)",
        "  %7 = nn.conv2d(%6, %w3, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1)",
        "  %8 = sigmoid(%7)",
        "  %9 = nn.global_avg_pool2d(%8)",
        "  %10 = reshape(%9, newshape=[1, 16])",
        "  %11 = nn.dense(%10, %w4)",
        "  %12 = nn.softmax(%11, axis=1)",
        "  return %12",
        "}",
        "",
    ]
)


class BuildForCpuTest(unittest.TestCase):
    def setUp(self):
        if not FOVEAC.exists():
            self.skipTest("foveac is not built")
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="fovea_cpus_"))

    def build(self, model, cpu):
        """Compiles a network for a CPU; returns its folder, and what scripts/build_for_cpu said."""
        net = pathlib.Path(self.folder) / f"{model.stem}_{cpu}"
        for command in (
            [FOVEAC, model, "-o", net, "--target", "cpu", "--cpu", cpu],
            [ROOT / "scripts/build_for_cpu", net],
        ):
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return net, done.stdout

    def answer(self, net, cpu, inputs):
        runs = cpus()[cpu][1]
        (net / "x.f32").write_bytes(inputs)
        command = [
            *([] if runs == "here" else [runs]),
            net / "run_plain",
            net / "weight.bin",
            net / "x.f32",
            net / "y.f32",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return array.array("f", (net / "y.f32").read_bytes())

    def answers(self, model, inputs):
        """What each CPU answers to each input: {cpu: [answer, ...]}."""
        found = {}
        for cpu, (_, runs) in cpus().items():
            if runs == "bare":
                continue
            if missing(cpu):
                print(f"left out: {cpu}, {missing(cpu)}")
                continue
            net, _ = self.build(model, cpu)
            found[cpu] = [self.answer(net, cpu, x) for x in inputs]
        self.assertIn("host", found)
        return found

    def check_alike(self, model, inputs, expected=None, apart=0.0):
        found = self.answers(model, inputs)
        for cpu, answers in found.items():
            for i, answer in enumerate(answers):
                right = expected[i] if expected else found["host"][i]
                with self.subTest(model=model.name, cpu=cpu, input=i):
                    self.assertEqual(len(answer), len(right))
                    self.assertGreater(max(right) - min(right), 0, "nothing is tested by equal outputs")
                    furthest = max(abs(a - b) for a, b in zip(answer, right))
                    self.assertLessEqual(furthest, apart * max(map(abs, right)))

    def shared(self, name, kind, count=2):
        """A network of ../shared/networks, its first inputs, and what ONNX Runtime answers to them."""
        if not NETWORKS.exists():
            self.skipTest(f"{NETWORKS} is not present")
        files = (NETWORKS / f"{name}.x.f32").read_bytes(), (NETWORKS / f"{name}_{kind}.y.f32").read_bytes()
        x, y = (array.array("f", file) for file in files)
        first = [[all[len(all) // 8 * i : len(all) // 8 * (i + 1)] for i in range(count)] for all in (x, y)]
        return NETWORKS / f"{name}_{kind}.onnx", *first

    def test_our_int8_network_answers_alike(self):
        self.check_alike(VGG8, [numbers(2, 3 * 32 * 32, 2)])

    def test_an_int8_network_answers_as_onnx_runtime(self):
        self.check_alike(*self.shared("resnet8", "int8"))

    def test_a_float_network_answers_as_onnx_runtime(self):
        for name in ("resnet8", "ds_cnn"):
            self.check_alike(*self.shared(name, "float"), MOST_APART)

    def test_a_drawn_float_network_answers_alike(self):
        model = pathlib.Path(self.folder) / "drawn.txt"
        model.write_text(FLOAT_NETWORK)
        self.check_alike(model, [numbers(3, 3 * 17 * 19, 2)], None, MOST_APART)

    def test_without_an_operating_system_it_links_and_needs_no_library(self):
        for cpu in [name for name, (_, runs) in cpus().items() if runs == "bare"]:
            if missing(cpu):
                self.skipTest(missing(cpu))
            net, words = self.build(VGG8, cpu)
            self.assertTrue((net / "network.o").exists())
            self.assertIn("network.o", words)

    def test_what_is_no_network_is_one_line(self):
        done = subprocess.run([ROOT / "scripts/build_for_cpu", self.folder], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
        self.assertIn("no network there", done.stderr)


if __name__ == "__main__":
    unittest.main()
