# SPDX-License-Identifier: Apache-2.0
"""Operators of Python: their values, loops, tables and types, and what is refused."""
import copy
import pickle
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

import fovea
from fovea import ir
from fovea.expressions import exp, maximum, minimum, select, sigmoid

swish = fovea.operator("mine.swish", lambda x, beta: x * sigmoid(beta * x), attributes={"beta": 1.0}, onnx="mine.Swish")
mixed = fovea.operator("mine.mix", lambda a, b, share: a * share + b * (1 - share), attributes={"share": 0.25})
third = fovea.operator("mine.middle", lambda a, b, c: maximum(minimum(a, b), minimum(maximum(a, b), c)))


@fovea.operator("mine.row_max", attributes={"keep": 1}, type=lambda inputs, attributes: inputs[0].shape[:-1] + (1,))
def row_max(b, keep):
    """The largest of a row, less the mean where it is not kept."""
    shape, _ = b.inputs[0]
    k, j = b.axis(shape[-1]), b.axis(shape[-1])
    row = b.places[:-1]
    most = b.reduce("max", [k], -float("inf"), b.at(0, [*row, k]))
    mean = b.reduce("+", [j], 0, b.at(0, [*row, j])) / shape[-1]
    return most if keep else most - mean


@fovea.operator("mine.shifted", inputs=["x"], type=lambda inputs, attributes: inputs[0])
def shifted(b):
    return b.at(0, [b.places[0], b.places[1] - 1], outside=0)


def value(operator, *arrays, **attributes):
    builder = ir.Builder()
    inputs = [builder.input(f"x{i}", array.shape, str(array.dtype)) for i, array in enumerate(arrays)]
    graph = builder.finish([builder.call(operator, *inputs, origin="op", **attributes)])
    return graph.run(*arrays)[0], graph


def qdq(op, **attributes):
    """An operator between QuantizeLinear and DequantizeLinear."""
    constants = [
        helper.make_tensor("scale", TensorProto.FLOAT, [], [1 / 16]),
        helper.make_tensor("zero", TensorProto.UINT8, [], [128]),
    ]
    parameters = ["scale", "zero"]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", *parameters], ["q"], "q"),
        helper.make_node("DequantizeLinear", ["q", *parameters], ["d"], "d"),
        helper.make_node(op, ["d"], ["s"], "act", domain="mine", **attributes),
        helper.make_node("QuantizeLinear", ["s", *parameters], ["r"], "r"),
        helper.make_node("DequantizeLinear", ["r", *parameters], ["y"], "y"),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 256]) for name in "xy"]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("mine", 1)])


class OperatorsTest(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(1)
        self.a, self.b, self.c = (random.normal(0, 1, shape).astype(np.float32) for shape in ((3, 5), (5,), (3, 1)))

    def test_values_are_the_formulas(self):
        a, b, c = self.a.astype(np.float64), self.b, self.c
        for result, expected in (
            (value(swish, self.a)[0], a / (1 + np.exp(-a))),
            (value(swish, self.a, beta=2.0)[0], a / (1 + np.exp(-2 * a))),
            (value(mixed, self.a, b)[0], a * 0.25 + b.astype(np.float64) * 0.75),
            (value(third, self.a, b, c)[0], np.median(np.broadcast_arrays(self.a, b, c), axis=0)),
            (value(row_max, self.a)[0], a.max(-1, keepdims=True)),
            (value(row_max, self.a, keep=0)[0], a.max(-1, keepdims=True) - a.mean(-1, keepdims=True)),
            (value(shifted, self.a)[0], np.pad(a, ((0, 0), (1, 0)))[:, :-1]),
        ):
            np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)

    def test_loops_compute_the_same(self):
        for operator, arrays in ((mixed, [self.a, self.b]), (row_max, [self.a]), (shifted, [self.a])):
            expected, graph = value(operator, *arrays)
            net = fovea.compile(graph, target="cpu", operators=[operator])
            run = net.run({f"x{i}": array for i, array in enumerate(arrays)} if len(arrays) > 1 else arrays[0])
            np.testing.assert_allclose(run.output, expected, rtol=1e-6, atol=1e-7)
            self.assertTrue(net.layers["op"].kind.endswith(operator.name.removeprefix("mine.")))

    def test_joins_what_is_around_it(self):
        builder = ir.Builder()
        x = builder.input("x", (1, 8))
        graph = builder.finish([builder.call("exp", builder.call(swish, builder.call("negative", x)))])
        net = fovea.compile(graph, target="cpu", operators=[swish])
        self.assertEqual(len(net.layers), 1)
        x = np.linspace(-2, 2, 8, dtype=np.float32)
        np.testing.assert_allclose(net.run(x).output, np.exp(-x / (1 + np.exp(x))), rtol=1e-6)

    def test_is_a_table_between_quantized_values(self):
        net = fovea.compile(qdq("Swish", beta=2.0), target="cpu", operators=[swish])
        self.assertIn("lookup", [layer.kind for layer in net.layers])
        x = ((np.arange(256) - 128) / 16).astype(np.float32)
        expected = np.clip(np.round(x / (1 + np.exp(-2.0 * x)) * 16), -128, 127) / 16
        np.testing.assert_array_equal(net.run(x).output, expected)

    def test_constants_are_folded(self):
        builder = ir.Builder()
        x = builder.input("x", (1, 4))
        graph = builder.finish([builder.call("add", x, builder.call(swish, np.ones((1, 4), np.float32)))])
        after = fovea.PassContext().run(graph, "fold-constants")
        self.assertEqual([node.op for node in after if node.kind == "call"], ["add"])

    def test_texts_and_files_name_it(self):
        graph = value(swish, self.a, beta=0.5)[1]
        self.assertIn("mine.swish(%0, beta=0.5)", graph.text)
        self.assertEqual(ir.parse(graph.text, operators=[swish]), graph)
        with self.assertRaisesRegex(fovea.NetworkError, "there is no operator mine.swish"):
            ir.parse(graph.text)
        with tempfile.TemporaryDirectory() as folder:
            onnx.save(qdq("Swish"), Path(folder) / "net.onnx")
            loaded = ir.load(Path(folder) / "net.onnx", operators=[swish])
        self.assertEqual([node.attributes for node in loaded if node.op == "mine.swish"], [{"beta": 1.0}])
        again = copy.copy(row_max)
        np.testing.assert_array_equal(value(again, self.a)[0], value(row_max, self.a)[0])
        self.assertEqual(pickle.loads(pickle.dumps(row_max.name)), "mine.row_max")

    def test_two_threads_have_operators_of_one_name(self):
        made = {}

        def compile_with(factor):
            own = fovea.operator("mine.scaled", lambda x: x * factor, onnx="mine.Scaled")
            made[factor] = fovea.compile(qdq("Scaled"), target="cpu", operators=[own])

        threads = [threading.Thread(target=compile_with, args=[factor]) for factor in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        x = np.full(256, 0.5, np.float32)
        self.assertEqual([made[factor].run(x).output[0] for factor in (1, 2)], [0.5, 1.0])
        with self.assertRaisesRegex(fovea.NetworkError, "operator mine.Scaled is not supported"):
            fovea.compile(qdq("Scaled"))


class ErrorTest(unittest.TestCase):
    def refusal(self, error, function, **options):
        with self.assertRaises(error) as caught, tempfile.TemporaryDirectory() as folder:
            own = fovea.operator("mine.op", function, onnx="mine.Op", **options)
            try:
                fovea.compile(qdq("Op"), operators=[own], folder=Path(folder) / "net")
            finally:
                self.assertEqual(list(Path(folder).iterdir()), [])
        text = " ".join([str(caught.exception), *getattr(caught.exception, "__notes__", [])])
        self.assertRegex(text, r"operators_test.py:\d+")
        return text

    def test_says_where_a_definition_is_wrong(self):
        same = {"type": lambda inputs, attributes: inputs[0]}
        for error, function, options, words in (
            (ZeroDivisionError, lambda x: 1 // 0, {}, "raised in the definition of the operator mine.op for act"),
            (TypeError, lambda x: x if x > 0 else 0, {}, "an expression is no condition of Python's"),
            (TypeError, lambda x: x + "1", {}, "a str stands in an expression"),
            (TypeError, lambda x: select(x, 1, 0), {}, "select takes what holds or does not"),
            (TypeError, lambda b: b.at(0, [0]), same, "an element has an index an axis"),
            (TypeError, lambda b: b.at(3, [0]), same, "there is no input 3"),
            (TypeError, lambda b: b.reduce("exp", [b.axis(2)], 0, 1), same, "there is no function exp of 2"),
            (fovea.UsageError, lambda x: None, {}, "operator mine.op: returned a NoneType for act"),
            (fovea.NetworkError, lambda x: x > 0, {}, "its value holds or does not, and its type is float32"),
            (fovea.NetworkError, lambda b: b.at(0, [b.places[0], b.places[1] + 1]), same, "act: the definition of"),
            (fovea.UsageError, lambda x, y: x, {"inputs": ["x"]}, "takes (x, y), "),
            (fovea.UsageError, lambda x: x, {"attributes": {"a": 1}}, "it is called with (x, a)"),
            (fovea.UsageError, lambda x, a: x, {"attributes": {"a": None}}, "attribute a=None"),
            (fovea.UsageError, lambda b: 0, {"type": lambda inputs: 0}, "and its type with (inputs, attributes)"),
            (fovea.UsageError, lambda b: 0, {"type": lambda inputs, attributes: None}, "its type returned None for"),
            (KeyError, lambda b: 0, {"type": lambda inputs, attributes: attributes["k"]}, "raised in the type of the"),
        ):
            with self.subTest(words):
                self.assertIn(words, self.refusal(error, function, **options))

    def test_refuses_what_is_built_in(self):
        for name, onnx_name, words in (
            ("exp", "", "operator exp: it is built in"),
            ("mine.op", "Relu", "onnx=Relu is built in"),
            ("Mine", "", "operator Mine: no name"),
        ):
            with self.assertRaisesRegex(fovea.UsageError, words):
                builder = ir.Builder()
                builder.call(fovea.operator(name, lambda x: 2 * exp(x), onnx=onnx_name), builder.input("x", (1,)))
        with self.assertRaisesRegex(fovea.UsageError, "operator mine.swish: given twice"):
            fovea.compile(qdq("Swish"), operators=[swish, swish])
        with self.assertRaisesRegex(fovea.UsageError, "fovea.operator makes one of a function"):
            fovea.compile(qdq("Swish"), operators=[lambda x: x])

    def test_names_the_node_that_does_not_fit(self):
        with self.assertRaisesRegex(fovea.NetworkError, r"op: mine.mix takes shapes that can be broadcast, not \(2,\)"):
            value(mixed, np.zeros(2, np.float32), np.zeros(3, np.float32))
        with self.assertRaisesRegex(fovea.NetworkError, "op: mine.swish takes float32, not int8"):
            value(swish, np.zeros(2, np.int8))
        with self.assertRaisesRegex(fovea.NetworkError, "mine.swish takes 1 inputs, not 2"):
            value(swish, np.zeros(2, np.float32), np.zeros(2, np.float32))


if __name__ == "__main__":
    unittest.main()
