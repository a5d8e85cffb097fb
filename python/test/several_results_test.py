# SPDX-License-Identifier: Apache-2.0
"""Fusions with several results: one call of a target that writes several tensors, in C and in Python, beside the
accelerator and the CPU; and when they must not be fused."""
# pylint: disable=unused-argument
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from fovea import Fusion, ir
from fovea.patterns import is_constant, op, wildcard

# Two convolutions of one input, 1x1 filters, at scales of powers of two; both are read further on, one twice.
TWO_CONVS = """fn (%x: Tensor[(1, 4, 6, 6), float32] from "x") {
  %q = qnn.quantize(%x, 1f, 128u8, axis=1)
  %d = qnn.dequantize(%q, 1f, 128u8, axis=1)
  %a8 = constant [1, 2, -1, 0, 3, 0, 0, -2, 1, 1, 1, 1] : Tensor[(3, 4, 1, 1), int8]
  %a = qnn.dequantize(%a8, 0.5f, 0i8, axis=0)
  %b8 = constant [0, 1, 0, 1, 2, -2, 2, -2] : Tensor[(2, 4, 1, 1), int8]
  %b = qnn.dequantize(%b8, 0.5f, 0i8, axis=0)
  %ca = nn.conv2d(%d, %a, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "left"
  %cb = nn.conv2d(%d, %b, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "right"
  %qa = qnn.quantize(%ca, 1f, 128u8, axis=1) from "left"
  %qb = qnn.quantize(%cb, 1f, 128u8, axis=1) from "right"
  %da = qnn.dequantize(%qa, 1f, 128u8, axis=1)
  %db = qnn.dequantize(%qb, 1f, 128u8, axis=1)
  %w8 = constant [1, -1, 2] : Tensor[(1, 3, 1, 1), int8]
  %w = qnn.dequantize(%w8, 0.5f, 0i8, axis=0)
  %cc = nn.conv2d(%da, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "last"
  %qc = qnn.quantize(%cc, 1f, 128u8, axis=1) from "last"
  %y = qnn.dequantize(%qc, 1f, 128u8, axis=1) from "y"
  %z = multiply(%db, %db) from "z"
  return %y "y", %z "z"
}"""

PAIR_H = """#pragma once
#include <stdint.h>
#include "dla_runtime.h"
dla_status_t pair_run(const uint8_t* x, const int8_t* a, const int8_t* b, uint8_t* y, uint8_t* z);
"""
PAIR_C = """#include "pair.h"
static void convolve(const uint8_t* x, const int8_t* w, int filters, uint8_t* y) {
  for (int m = 0; m < filters; ++m) {
    for (int i = 0; i < 36; ++i) {
      int sum = 0;
      for (int c = 0; c < 4; ++c) sum += (x[c * 36 + i] - 128) * w[m * 4 + c];
      int half = sum >> 1; /* Scale 1/2, ties to even. */
      if ((sum & 1) && (half & 1)) ++half;
      half += 128;
      y[m * 36 + i] = (uint8_t)(half < 0 ? 0 : half > 255 ? 255 : half);
    }
  }
}
dla_status_t pair_run(const uint8_t* x, const int8_t* a, const int8_t* b, uint8_t* y, uint8_t* z) {
  convolve(x, a, 3, y);
  convolve(x, b, 2, z);
  return kDlaOk;
}
"""


def conv(data, weights):
    return op("qnn.quantize")(op("nn.conv2d")(data, op("qnn.dequantize")(weights)))


def pair_of_convs(refuse=None):
    data = op("qnn.dequantize")(wildcard())
    left, right = conv(data, is_constant().named("a")), conv(data, is_constant().named("b"))
    return Fusion("pair.convs", left, refuse, results=[right])


def weights_of(result):
    return result.inputs[0].inputs[1].inputs[0].value


def bytes_of(x, w):
    """Sums by half, to even, around 128; for the network's scales."""
    sums = np.einsum("mc,chw->mhw", w.reshape(w.shape[0], -1).astype(np.int64), x.astype(np.int64))
    return np.clip(np.rint(sums / 2), -128, 127)


def right_answer(x):
    x = np.clip(np.rint(x), -128, 127)
    graph = ir.parse(TWO_CONVS)
    a, b, w = (node.value for node in graph if node.kind == "constant" and node.dtype == "int8" and node.shape)
    return bytes_of(bytes_of(x, a), w), bytes_of(x, b) ** 2


class PairUnit(fovea.Target):
    """One pass over the input for two convolutions, in C. Its files are written by the test."""

    name = "pair"
    header = "pair.h"
    sources = ("pair.c",)

    def __init__(self):
        self.fusions = [pair_of_convs()]
        self.seen = None

    def refuse(self, layer):
        return None if len(layer.outputs) == 2 else "one result"

    def cycles(self, layer):
        return 77

    def emit(self, layer):
        self.seen = layer
        a, b = (weights_of(result) for result in layer.graph.outputs)
        if len(a) == 3:
            return fovea.Call("pair_run($input, $a, $b, $output, $output1)", a=a, b=b)
        return fovea.Call("pair_run($input, $b, $a, $output1, $output0)", a=a, b=b)


class Simulated(fovea.Target):
    """The same in numpy."""

    name = "pair"

    def __init__(self):
        self.fusions = [pair_of_convs()]

    def refuse(self, layer):
        return None if len(layer.outputs) == 2 else "one result"

    def compute(self, layer, x):
        wide = x.reshape(4, 6, 6).astype(np.int32) - 128
        return tuple((bytes_of(wide, weights_of(each)) + 128).astype(np.uint8) for each in layer.graph.outputs)


class SeveralResultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / "pair.h").write_text(PAIR_H)
        (cls.folder / "pair.c").write_text(PAIR_C)
        PairUnit.header, PairUnit.sources = cls.folder / "pair.h", (cls.folder / "pair.c",)
        cls.x = np.random.default_rng(4).uniform(-90, 90, (4, 6, 6)).astype(np.float32)

    def assert_right(self, net, **options):
        run = net.run(self.x, **options)
        for output, right in zip((run.outputs["y"], run.outputs["z"]), right_answer(self.x)):
            np.testing.assert_array_equal(output.reshape(right.shape), right)
        return run

    def test_one_call_writes_both(self):
        for target, options in (("cpu", {}), ("dla", {"backend": "systemc"}), ("dla", {"backend": "cpu"})):
            with self.subTest(target=target, **options):
                unit = PairUnit()
                net = fovea.compile(ir.parse(TWO_CONVS), target=target, targets=[unit])
                self.assertEqual(net.fusions[0].why, "")
                (layer,) = [each for each in net.layers if each.kind == "pair.convs"]
                self.assertEqual((layer.target, layer.macs), ("pair", 36 * 4 * (3 + 2)))
                self.assertEqual(
                    sorted(unit.seen.outputs), [((1, 2, 6, 6), "uint8"), ((1, 3, 6, 6), "uint8")], "both results"
                )
                self.assertEqual(net.source.count("pair_run("), 1)
                self.assert_right(net, **options)

    def test_one_region_has_both(self):
        net = fovea.compile(ir.parse(TWO_CONVS), targets=[PairUnit()], folder=self.folder / "net")
        (region,) = [each for each in net.summary["regions"] if each["target"] == "pair"]
        self.assertEqual(len(region["layers"]), 3, "the call, and its results as views")
        after = ir.load(net.folder / "ir_after.txt")
        (node,) = [each for each in after if each.kind == "region" and each.target == "pair"]
        self.assertEqual(len(node.body.outputs), 2)
        self.assertEqual(len([each for each in after if each.op == "extern_output"]), 2)
        self.assertEqual(net.run(self.x, backend="systemc").target_cycles["pair"], 77)
        self.assert_right(fovea.load(net.folder), backend="systemc")

    def test_computes_in_python(self):
        self.assert_right(fovea.compile(ir.parse(TWO_CONVS), targets=[Simulated()]))

        class Single(Simulated):
            def compute(self, layer, x):
                return super().compute(layer, x)[0]

        with self.assertRaisesRegex(
            fovea.UsageError,
            r"compute returned an array of uint8 .*several_results_test.py:\d+; return a tuple of an array",
        ):
            fovea.compile(ir.parse(TWO_CONVS), targets=[Single()]).run(self.x)

    def test_left_out_where_no_target_takes_it(self):
        class Unwilling(PairUnit):
            def refuse(self, layer):
                return "it is busy"

        for targets, why in (
            ([], "it has several results, which a target of your own computes"),
            ([Unwilling()], "it has several results, which a target of your own computes; pair: it is busy"),
        ):
            fusions = [] if targets else [pair_of_convs()]
            net = fovea.compile(ir.parse(TWO_CONVS), targets=targets, fusions=fusions)
            self.assertEqual({fused.why for fused in net.fusions}, {why})
            self.assert_right(net)
        only = pair_of_convs(lambda match: None if len(match["a"].value) == 9 else "nine filters only")
        net = fovea.compile(ir.parse(TWO_CONVS), fusions=[only])
        self.assertEqual({fused.why for fused in net.fusions}, {"nine filters only"})

    def test_value_before_its_relu_and_outputs(self):
        """A part of the pattern is a result too. Both are outputs of the network, and read further on."""
        graph = ir.parse(
            """fn (%x: Tensor[(1, 6), float32] from "x") {
          %e = exp(%x) from "e"  %r = nn.relu(%x) from "r"  %t = tanh(%r) from "t"
          %s = subtract(%e, %t) from "s"  %h = nn.relu(%s) from "h"  %m = multiply(%h, %s) from "m"
          return %h "h", %s "s", %m "m" }"""
        )
        difference = op("subtract")(wildcard(), wildcard())

        class Float(fovea.Target):
            name = "floats"
            fusions = [Fusion("floats.difference", op("nn.relu")(difference), results=[difference])]

            def compute(self, layer, a, b):
                return np.maximum(a - b, 0), a - b

        x = np.array([-2, -1, 0, 0.5, 1, 2], np.float32)
        s = np.exp(x) - np.tanh(np.maximum(x, 0))
        for target in ("cpu", "dla"):
            net = fovea.compile(graph, target=target, targets=[Float()])
            self.assertEqual([(fused.node, fused.why) for fused in net.fusions], [("h", "")])
            outputs = net.run(x).outputs
            for name, right in (("h", np.maximum(s, 0)), ("s", s), ("m", np.maximum(s, 0) * s)):
                np.testing.assert_allclose(outputs[name], right, rtol=1e-5, atol=1e-6)


X = wildcard()
SUM = op("add")(X, wildcard())
RELU = op("nn.relu")(X)


def partition_both(graph):
    return SUM.partition(graph, "mine.both", results=[RELU])


class Joined(fovea.Target):
    """x + y and max(x, 0), in one call."""

    name = "joined"
    fusions = [Fusion("joined.both", SUM, results=[RELU])]

    def compute(self, layer, x, y):
        return x + y, np.maximum(x, 0)


class OrderTest(unittest.TestCase):
    """What a call reads is there before it, so none of it may follow from a result of it."""

    def test_an_input_that_follows_from_a_result(self):
        graph = ir.parse(
            """fn (%x: Tensor[(1, 4), float32] from "x") {
          %a = nn.relu(%x) from "a"  %m = tanh(%a) from "m"  %b = add(%x, %m) from "b"  return %b }"""
        )
        net = fovea.compile(graph, target="cpu", targets=[Joined()])
        self.assertEqual([fused.why for fused in net.fusions], ["it reads m, which depends on one of its results"])
        x = np.array([-1, 0, 1, 2], np.float32)
        np.testing.assert_allclose(net.run(x).output, x + np.tanh(np.maximum(x, 0)), rtol=1e-6)
        self.assertNotIn("composite", partition_both(graph).text)

    def test_two_that_would_wait_for_each_other(self):
        graph = ir.parse(
            """fn (%x: Tensor[(1, 4), float32] from "x", %u: Tensor[(1, 4), float32] from "u") {
          %a = nn.relu(%x) from "a"  %c = nn.relu(%u) from "c"
          %m = tanh(%a) from "m"  %n = exp(%c) from "n"
          %b = add(%x, %n) from "b"  %d = add(%u, %m) from "d"
          %y = multiply(%b, %d) from "y"  return %y }"""
        )
        net = fovea.compile(graph, target="cpu", targets=[Joined()])
        self.assertEqual(sorted(fused.why == "" for fused in net.fusions), [False, True])
        x, u = np.array([-1, 0, 1, 2], np.float32), np.array([1, -2, 0.5, 0], np.float32)
        right = (x + np.exp(np.maximum(u, 0))) * (u + np.tanh(np.maximum(x, 0)))
        np.testing.assert_allclose(net.run({"x": x, "u": u}).output, right, rtol=1e-5)
        parted = partition_both(graph)
        self.assertEqual([node.kind for node in parted].count("composite"), 1)

    def test_readers_between_the_results(self):
        """A reader of the first result stands before the second in the file."""
        graph = ir.parse(
            """fn (%x: Tensor[(1, 4), float32] from "x") {
          %a = nn.relu(%x) from "a"  %m = tanh(%a) from "m"  %k = exp(%x) from "k"
          %b = add(%x, %k) from "b"  %y = multiply(%b, %m) from "y"  return %y }"""
        )
        net = fovea.compile(graph, target="cpu", targets=[Joined()])
        self.assertEqual([fused.why for fused in net.fusions], [""])
        x = np.array([-1, 0, 1, 2], np.float32)
        right = (x + np.exp(x)) * np.tanh(np.maximum(x, 0))
        np.testing.assert_allclose(net.run(x).output, right, rtol=1e-5)


class GraphTest(unittest.TestCase):
    """Composites with several results as text, as JSON, and run."""

    GRAPH = """fn (%x: Tensor[(2, 3), float32] from "x", %y: Tensor[(2, 3), float32] from "y") {
      %a = nn.relu(%x) from "a"  %b = add(%x, %y) from "b"  %z = multiply(%a, %b) from "z"  return %z }"""

    def test_partition(self):
        graph = ir.parse(self.GRAPH)
        parted = partition_both(graph)
        (node,) = [each for each in parted if each.kind == "composite"]
        self.assertEqual([each.op for each in node.body.outputs], ["add", "nn.relu"])
        # 6 floats, and at the next 16 bytes 6 more.
        self.assertEqual((node.shape, node.dtype), ((32 + 24,), "uint8"))
        x, y = np.random.default_rng(0).normal(0, 1, (2, 2, 3)).astype(np.float32)
        right = np.maximum(x, 0) * (x + y)
        for each in (parted, ir.parse(parted.text)):
            np.testing.assert_allclose(each.run(x, y)[0], right, rtol=1e-6)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("graph.json", "graph.fovea"):
                parted.save(str(Path(folder) / name))
                self.assertEqual(ir.load(Path(folder) / name).text, parted.text)

    def test_a_composite_of_a_file_needs_a_target(self):
        parted = partition_both(ir.parse(self.GRAPH))
        with self.assertRaisesRegex(
            fovea.NetworkError, "^b: mine.both has several results, which a target of your own computes"
        ):
            fovea.compile(parted, target="cpu")

        class Both(Joined):
            fusions = ()

            def refuse(self, layer):
                return None if layer.composite == "mine.both" else "another"

        x, y = np.random.default_rng(0).normal(0, 1, (2, 2, 3)).astype(np.float32)
        net = fovea.compile(parted, target="cpu", targets=[Both()])
        np.testing.assert_allclose(
            net.run({"x": x, "y": y}).output.reshape(2, 3), np.maximum(x, 0) * (x + y), rtol=1e-6
        )

    def test_mistakes(self):
        relu = op("nn.relu")
        rows = (
            (r"among its results is no operator", lambda: Fusion("mine.x", relu, results=[wildcard()])),
            (r"is a result already", lambda: Fusion("mine.x", relu, results=[relu])),
            (
                r"^fusion cpu.lookup: the compiler's composite has one result; .*mine.lookup",
                lambda: Fusion("cpu.lookup", relu, results=[op("exp")]),
            ),
        )
        for message, call in rows:
            with self.assertRaisesRegex(fovea.UsageError, message) as raised:
                call()
            self.assertRegex(str(raised.exception), r"several_results_test.py:\d+")


if __name__ == "__main__":
    unittest.main()
