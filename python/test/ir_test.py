# SPDX-License-Identifier: Apache-2.0
"""The compiler's graphs in Python: they are what the compiler prints and parses, and they keep what they promise."""
import copy
import gc
import pickle
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from fovea import ir
from programs import ROOT, VGG8, run_program

QDQ = ROOT / "compiler/test/passes/remove-redundant-qdq.txt"
COMPOSITE = """\
fn (%x: Tensor[(1, 4), float32], %z: Tensor[(1, 5), float32]) {
  %y = composite mine.relu(%x) [target=cpu, layer="act", reason="small"] from "call" {
    %r = nn.relu(%x)
    return %r
  }
  return %y
}
"""


def build_small():
    """A convolution between quantize and dequantize, and the same as text."""
    builder = ir.Builder()
    x = builder.input("input", (1, 4, 8, 8))
    scale, zero = builder.constant(np.float32(0.5)), builder.constant(np.uint8(128))
    q = builder.call("qnn.quantize", x, scale, zero, axis=1, origin="quant")
    d = builder.call("qnn.dequantize", q, scale, zero, axis=1)
    w8 = builder.constant(np.array([1, 2, 3, 4, 4, 3, 2, 1], np.int8).reshape(2, 4, 1, 1), origin="weights")
    w = builder.call("qnn.dequantize", w8, np.float32(0.25), np.int8(0), axis=0)
    c = builder.call("nn.conv2d", d, w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1, origin="conv1")
    r = builder.call("qnn.quantize", c, scale, zero, axis=1, origin="quant1")
    return builder.finish([builder.call("qnn.dequantize", r, scale, zero, axis=1, origin="dequant")])


SMALL = """\
fn (%0: Tensor[(1, 4, 8, 8), float32] from "input") {
  %1 = qnn.quantize(%0, 0.5f, 128u8, axis=1) : Tensor[(1, 4, 8, 8), uint8] from "quant"
  %2 = qnn.dequantize(%1, 0.5f, 128u8, axis=1) : Tensor[(1, 4, 8, 8), float32]
  %3 = constant [1, 2, 3, 4, 4, 3, 2, 1] : Tensor[(2, 4, 1, 1), int8] from "weights"
  %4 = qnn.dequantize(%3, 0.25f, 0i8, axis=0) : Tensor[(2, 4, 1, 1), float32]
  %5 = nn.conv2d(%2, %4, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) : \
Tensor[(1, 2, 8, 8), float32] from "conv1"
  %6 = qnn.quantize(%5, 0.5f, 128u8, axis=1) : Tensor[(1, 2, 8, 8), uint8] from "quant1"
  %7 = qnn.dequantize(%6, 0.5f, 128u8, axis=1) : Tensor[(1, 2, 8, 8), float32] from "dequant"
  return %7
}
"""


def remove_redundant_qdq(_builder, node, inputs):
    """compiler/passes/remove_redundant_qdq.cpp, in Python."""
    if node.op == "qnn.quantize" and inputs[0].op == "qnn.dequantize":
        before = [each.value.tolist() for each in inputs[0].inputs[1:]]
        if before == [each.value.tolist() for each in node.inputs[1:]]:
            return inputs[0].inputs[0]
    return None


def without_dead(graph):
    """The graph without what no output needs: eliminate-dead-code, in Python."""
    builder, needed, places = ir.Builder(), set(graph.outputs + graph.inputs), {}
    for node in reversed(list(graph)):
        needed.update(node.inputs if node in needed else ())
    for node in graph:
        if node in needed:
            places[node] = builder.copy(node, [places[each] for each in node.inputs])
    return builder.finish([places[node] for node in graph.outputs], graph.output_names)


def golden_input(path):
    """The graph that a golden text begins with."""
    text = path.read_text().split("// ---- expected")[0]
    return ir.parse("".join(line for line in text.splitlines(True) if not line.startswith("//")), path.name)


class GraphTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_is_read_node_by_node(self):
        graph = build_small()
        conv = graph[[node.origin for node in graph].index("conv1")]
        self.assertEqual((conv.kind, conv.op, conv.shape, conv.dtype), ("call", "nn.conv2d", (1, 2, 8, 8), "float32"))
        self.assertEqual(conv.attributes, {"strides": [1, 1], "pads": [0] * 4, "dilations": [1, 1], "groups": 1})
        self.assertEqual([each.origin for each in conv.users], ["quant1"])
        (weights,) = [each for each in conv.inputs if each.quantization.dtype == "int8"]
        quantization = weights.quantization
        self.assertEqual((quantization.scales, quantization.zero_points, quantization.axis), ([0.25], [0], 0))
        self.assertEqual([node.kind for node in graph if not node.inputs], ["input"] + ["constant"] * 5)
        self.assertEqual((len(list(graph)), graph[-1]), (len(graph), graph.outputs[0]))
        self.assertEqual(len({graph[0], graph[0], graph[1]}), 2)
        self.assertIsNone(conv.value)
        with self.assertRaises(IndexError):
            graph[len(graph)]  # pylint: disable=expression-not-assigned

    def test_says_where_a_call_was_lowered_to(self):
        (call,) = [node for node in ir.parse(COMPOSITE) if node.kind == "composite"]
        self.assertEqual((call.op, call.target, call.layer, call.reason), ("mine.relu", "cpu", "act", "small"))
        self.assertEqual([node.op for node in call.body], ["input", "nn.relu"])
        self.assertEqual(call.body[0].target, "")

    def test_built_equals_parsed(self):
        graph = build_small()
        self.assertEqual(graph.text, SMALL)
        self.assertEqual(ir.parse(graph.text).text, SMALL)
        once = ir.parse(SMALL)
        self.assertEqual(once, ir.parse(once.text))
        self.assertNotEqual(once, ir.parse(SMALL.replace('"conv1"', '"conv2"')))

    def test_goes_to_text_and_files_and_back(self):
        graph = ir.load(VGG8)
        graph.save(self.folder / "net.fovea")
        self.assertTrue((self.folder / "net.constants.bin").exists())
        for again in (ir.load(self.folder / "net.fovea"), ir.parse(graph.text), pickle.loads(pickle.dumps(graph))):
            self.assertEqual(again.text, graph.text)
            again.verify()
        printed = run_program("foveac", self.folder / "net.fovea", "--stop-after", "float-outputs")
        self.assertEqual(str(graph), printed)
        graph.save(str(self.folder / "net.json"))
        self.assertEqual(ir.load(self.folder / "net.json"), graph)
        with self.assertRaisesRegex(fovea.UsageError, "x.fovea, x.txt and x.json work"):
            graph.save(str(self.folder / "net.onnx"))

    def test_constants_are_not_copied(self):
        graph = ir.load(VGG8)
        same = graph.rewrite(lambda builder, node, inputs: None)
        arrays = [node.value for node in graph if node.kind == "constant"]
        again = [node.value for node in same if node.kind == "constant"]
        self.assertEqual([a.ctypes.data for a in arrays], [a.ctypes.data for a in again])
        self.assertEqual(graph, same)
        with self.assertRaisesRegex(ValueError, "read-only"):
            arrays[0][...] = 0
        with self.assertRaises(ValueError):
            arrays[0].flags.writeable = True

    def test_constants_outlive_their_graph(self):
        given = np.arange(1 << 20, dtype=np.int32)
        builder = ir.Builder()
        constant = builder.constant(given)
        array, expected = constant.value, given.copy()
        given[:] = 0  # The graph has its own.
        graph = builder.finish([constant])
        self.assertEqual(array.ctypes.data, graph[0].value.ctypes.data)
        del builder, constant, graph
        gc.collect()
        np.random.default_rng(0).bytes(1 << 22)  # What was freed would be written over.
        np.testing.assert_array_equal(array, expected)

    def test_takes_each_type_of_elements_and_no_other(self):
        for dtype in ("float32", "uint8", "int8", "int32", "int64", "bool"):
            for shape in ((), (2, 0), (3, 2)):
                builder = ir.Builder()
                value = np.ones(shape, dtype).T  # Not in C order.
                node = builder.constant(value)
                self.assertEqual((node.shape, node.dtype, node.value.dtype.name), (shape[::-1], dtype, dtype))
                np.testing.assert_array_equal(node.value, value)
        for value in (0.5, np.ones(2, ">f4"), np.ones(2, np.complex64), "text"):
            with self.assertRaisesRegex(fovea.UsageError, "float32, uint8, int8, int32, int64 and bool work"):
                ir.Builder().constant(value)

    def test_nodes_outlive_what_they_came_from(self):
        node = build_small()[-1]
        gc.collect()
        self.assertEqual(node.inputs[0].inputs[0].origin, "conv1")

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not there")
    def test_is_drawn(self):
        svg = build_small()._repr_svg_()
        self.assertRegex(svg, "(?s)<svg.*conv1.*</svg>")

    def test_is_copied(self):
        graph = build_small()
        self.assertEqual(copy.deepcopy(graph).text, graph.text)


class RewriteTest(unittest.TestCase):
    def test_does_what_the_pass_does(self):
        graph = golden_input(QDQ)
        mine = graph.rewrite(remove_redundant_qdq)
        self.assertEqual(without_dead(mine).text, QDQ.read_text().split("// ---- expected\n")[1])
        q = np.array([[0, 7, 128, 255]], np.uint8)
        for before, after in zip(graph.run(q), mine.run(q)):
            np.testing.assert_array_equal(before, after)
        self.assertEqual(mine.outputs[0], mine.inputs[0])

    def test_gives_the_same_answers(self):
        graph = build_small()
        x = np.random.default_rng(1).normal(0, 3, (1, 4, 8, 8)).astype(np.float32)

        def spell_out(builder, node, inputs):
            """x * s where dequantize had x - 0."""
            if node.op != "qnn.dequantize" or node.inputs[0].kind != "constant":
                return None
            return builder.call("multiply", builder.call("cast", inputs[0], dtype="float32"), inputs[1])

        changed = graph.rewrite(spell_out)
        self.assertIn("multiply", [node.op for node in changed])
        np.testing.assert_array_equal(changed.run(x)[0], graph.run(x)[0])
        quantized = np.clip(np.rint(x / np.float32(0.5)) + 128, 0, 255) - 128
        products = np.tensordot([[1, 2, 3, 4], [4, 3, 2, 1]], quantized[0], 1) * 0.125
        np.testing.assert_array_equal(
            graph.run(x)[0][0], (np.clip(np.rint(products / 0.5) + 128, 0, 255) - 128).astype(np.float32) * 0.5
        )

    def test_hands_on_what_the_function_raises(self):
        kept = []

        def fail(builder, node, _inputs):
            kept.append(builder.constant(np.float32(1)))
            raise ZeroDivisionError(node.op)

        with self.assertRaises(ZeroDivisionError):
            build_small().rewrite(fail)
        with self.assertRaisesRegex(fovea.UsageError, "its graph was never finished"):
            kept[0].shape

    def test_refuses_what_is_no_node_of_the_new_graph(self):
        graph = build_small()
        with self.assertRaisesRegex(TypeError, "a str was returned for <Node %1 constant"):
            graph.rewrite(lambda builder, node, inputs: "relu")
        with self.assertRaisesRegex(fovea.UsageError, "is of another graph"):
            graph.rewrite(lambda builder, node, inputs: node)
        with self.assertRaisesRegex(fovea.UsageError, "return a node, or None"):
            graph.rewrite(lambda builder, node, inputs: builder.finish([]))


class ErrorTest(unittest.TestCase):
    def test_names_the_call(self):
        builder = ir.Builder()
        x = builder.input("x", (1, 4))
        with self.assertRaisesRegex(fovea.UsageError, r"op=nn.rleu: .*; did you mean nn.relu\?"):
            builder.call("nn.rleu", x)
        with self.assertRaises(fovea.NetworkError) as caught:
            builder.call("nn.dense", x, np.ones((2, 5), np.float32), origin="fc1")
        self.assertEqual(caught.exception.node, "fc1")
        with self.assertRaisesRegex(fovea.NetworkError, "fc1: nn.dense takes 2 inputs, not 1"):
            builder.call("nn.dense", x, origin="fc1")
        with self.assertRaisesRegex(fovea.UsageError, "axis='one': give an integer"):
            builder.call("nn.softmax", x, axis="one")
        with self.assertRaisesRegex(fovea.UsageError, "axes: nn.softmax has no such attribute"):
            builder.call("nn.softmax", x, axes=1)
        with self.assertRaisesRegex(fovea.NetworkError, "needs the attribute axis"):
            builder.call("nn.softmax", x)
        with self.assertRaisesRegex(fovea.UsageError, "dtype=float16: unknown"):
            builder.input("y", (1,), "float16")
        builder.finish([x])
        with self.assertRaisesRegex(fovea.UsageError, "it has finished its graph"):
            builder.input("y", (1,))

    def test_verify_names_the_node(self):
        graph = ir.parse(COMPOSITE)
        builder = ir.Builder()
        _, z = (builder.copy(node) for node in graph.inputs)
        broken = builder.finish([builder.copy(graph.outputs[0], [z])])
        with self.assertRaises(fovea.NetworkError) as caught:
            broken.verify()
        self.assertEqual(caught.exception.node, "call")
        self.assertIn("takes a Tensor[(1, 4), float32] but is given a Tensor[(1, 5), float32]", str(caught.exception))
        with self.assertRaisesRegex(fovea.NetworkError, "the graph has no output"):
            ir.Builder().finish([]).verify()

    def test_run_takes_what_the_graph_takes(self):
        graph = build_small()
        with self.assertRaisesRegex(fovea.UsageError, "inputs: 0 given; the graph takes 1"):
            graph.run()
        with self.assertRaisesRegex(fovea.UsageError, r"input is a Tensor\[\(1, 4, 8, 8\), float32\]"):
            graph.run(np.ones((1, 4, 8, 8), np.int8))


class CompileTest(unittest.TestCase):
    def test_compiles_what_was_built(self):
        graph = build_small()
        net = fovea.compile(graph)
        self.assertEqual([layer.name for layer in net.layers], ["quantize", "conv1", "dequantize"])
        x = np.random.default_rng(2).normal(0, 3, (1, 4, 8, 8)).astype(np.float32)
        expected = graph.run(x)[0][0]
        for backend in ("systemc", "cpu"):
            np.testing.assert_array_equal(net.run(x[0], backend=backend).output, expected)
        self.assertEqual(fovea.compile(build_small()).folder, net.folder)

    def test_compiles_what_was_imported(self):
        net = fovea.compile(ir.load(VGG8))
        expected = fovea.compile(VGG8)
        self.assertEqual(net.layers, expected.layers)
        self.assertEqual(
            (net.folder / "weight.bin").read_bytes()[28:], (expected.folder / "weight.bin").read_bytes()[28:]
        )


if __name__ == "__main__":
    unittest.main()
