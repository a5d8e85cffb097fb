#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A network with six operators that Fovea has not answers as ONNX Runtime, with C functions and with definitions."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
from externs_network import OPERATORS, externs_network
from oracle import Question, ask_onnxruntime

import fovea
from fovea.expressions import exp, integer, maximum, select, sqrt

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BIN = pathlib.Path(os.environ["BUILD"]) / "bin"
SOURCE = HERE / "operators.c"
EXTERNS = [fovea.Extern(op, SOURCE) for op in OPERATORS]

cosh = fovea.operator("mine.cosh", lambda x: 0.5 * (exp(x) + exp(-x)), onnx="Cosh")


@fovea.operator("mine.bit_shift", inputs=["x", "n"], attributes={"direction": "LEFT"}, onnx="BitShift",
                type=lambda inputs, attributes: inputs[0])  # fmt: skip
def bit_shift(b, direction):
    """By a power of two, as there are eight."""
    n, factor = b.broadcast(1), integer(128)
    for bits in range(7):
        factor = select(n == bits, 1 << bits, factor)
    return b.broadcast(0) / factor if direction == "RIGHT" else b.broadcast(0) * factor


@fovea.operator("mine.lp_normalization", attributes={"axis": -1, "p": 2}, onnx="LpNormalization",
                type=lambda inputs, attributes: inputs[0])  # fmt: skip
def lp_normalization(b, axis, p):
    axis %= len(b.shape)
    k = b.axis(b.shape[axis])
    x = b.at(0, [k if i == axis else place for i, place in enumerate(b.places)])
    total = b.reduce("+", [k], 0, abs(x) if p == 1 else x * x)
    norm = b.stage([axis], total if p == 1 else sqrt(total))
    return select(norm == 0, 0, b.broadcast(0) / maximum(norm, 1e-30))


@fovea.operator("mine.reverse_sequence", inputs=["x", "lengths"], attributes={"time_axis": 0, "batch_axis": 1},
                onnx="ReverseSequence", type=lambda inputs, attributes: inputs[0])  # fmt: skip
def reverse_sequence(b, time_axis, batch_axis):
    places = b.places
    length = b.at(1, [places[batch_axis]])
    time = integer(places[time_axis])
    places[time_axis] = select(time < length, length - 1 - time, time)
    return b.at(0, places, outside=0)


OWN = [cosh, bit_shift, lp_normalization, reverse_sequence]


class Externs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(folder := tempfile.TemporaryDirectory())
        cls.folder = pathlib.Path(folder.name)
        cls.model = cls.folder / "six.onnx"
        externs_network().save(cls.model)
        cls.x = np.random.default_rng(2).normal(0, 1, (1, 4, 16, 16)).astype(np.float32)
        cls.x.tofile(cls.folder / "x.f32")
        answer = ask_onnxruntime([Question(cls.model, {"x": cls.x})], cls.folder)[0]
        assert not answer.error, answer.error
        cls.expected = answer.outputs

    def assert_answers(self, net, backend):
        run = net.run(self.x[0], backend=backend)
        for name, expected in self.expected.items():
            np.testing.assert_allclose(run.outputs[name].reshape(expected.shape), expected, atol=2e-6, err_msg=name)

    def test_runs_with_c_functions(self):
        net = fovea.compile(self.model, externs=EXTERNS)
        for backend in ("systemc", "cpu"):
            self.assert_answers(net, backend)
        kinds = {layer.name: (layer.kind, layer.on_device) for layer in net.layers}
        self.assertEqual(kinds["shift"], ("extern_BitShift", False))
        self.assertEqual(kinds["inverse"], ("extern_Inverse", False))
        self.assertEqual([kinds[name][1] for name in ("conv1", "conv2", "conv3")], [True] * 3)

    def test_runs_with_definitions_beside_c_functions(self):
        rest = [each for each in EXTERNS if each.op in ("RNN", "com.microsoft.Inverse")]
        net = fovea.compile(self.model, externs=rest, operators=OWN)
        for backend in ("systemc", "cpu"):
            self.assert_answers(net, backend)

    def run_program(self, *words):
        words = [BIN / words[0], *words[1:], *(f"--extern={op}={SOURCE}" for op in OPERATORS)]
        return subprocess.run(list(map(str, words)), cwd=ROOT, capture_output=True, text=True)

    def test_runs_from_the_command_line(self):
        model, x = self.model, self.folder / "x.f32"
        for words in (
            ("fovea", "run", model, "--input-raw", x, "--backend", "systemc"),
            ("fovea", "compare", model, model, "--input", x, "--backend-a", "cpu", "--backend-b", "systemc",
             "--expect-equal"),
            ("foveac", "check", model),
        ):  # fmt: skip
            ran = self.run_program(*words)
            self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("extern_RNN", ran.stdout)

    def test_is_built_without_fovea(self):
        net = self.folder / "plain"
        ran = self.run_program("foveac", self.model, "-o", net, "--target", "cpu")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        subprocess.run([ROOT / "scripts/build_for_cpu", net], check=True, stdout=subprocess.DEVNULL)
        y = net / "y.f32"
        subprocess.run([net / "run_plain", net / "weight.bin", self.folder / "x.f32", y], check=True)
        numbers = np.concatenate([each.reshape(-1) for each in self.expected.values()])
        np.testing.assert_allclose(np.fromfile(y, np.float32), numbers, atol=2e-6)
        # The graph that foveac wrote compiles again, with the same functions and no others.
        text = self.folder / "text"
        text.mkdir()
        (net / "ir_before.txt").rename(text / "six.txt")
        (net / "ir_constants.bin").rename(text / "ir_constants.bin")
        again = self.run_program("foveac", text / "six.txt", "-o", self.folder / "again", "--target", "cpu")
        self.assertEqual(again.returncode, 0, again.stderr)
        for name in ("model.c", "extern_operators.c"):
            self.assertEqual((net / name).read_text(), (self.folder / "again" / name).read_text())
        alone = subprocess.run([BIN / "foveac", text / "six.txt", "-o", self.folder / "alone"],
                               capture_output=True, text=True)  # fmt: skip
        self.assertIn("rnn: operator RNN is a C function; --extern RNN=file.c says which", alone.stderr)
        self.assertFalse((self.folder / "alone").exists())


if __name__ == "__main__":
    unittest.main()
