# SPDX-License-Identifier: Apache-2.0
"""Operators that are C functions: element types, outputs, left-out inputs and attributes, and what is refused."""
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

import fovea
from fovea import ir

HEAD = "#include <dla_extern.h>\n"
DOUBLE = """\
// output: x0
int Twice(const struct dla_extern_call* call) {
  for (uint64_t i = 0; i < call->inputs[0].elements; ++i) {
    ((float*)call->outputs[0].data)[i] = 2 * ((const float*)call->inputs[0].data)[i];
  }
  return 0;
}
"""
CODE = {  # What an int8 tensor, an attribute of each kind, and a left-out input and output are.
    "Mixed": """\
// output: x0
// output: x0
// output: int64 [v2[1], size(ints)]
int Mixed(const struct dla_extern_call* call) {
  const struct dla_extern_tensor* x = &call->inputs[0];
  const struct dla_extern_attribute* ints = dla_extern_find(call, "ints");
  if (x->type != kDlaInt8 || x->rank != 2 || x->dims[0] != 1 || x->dims[1] != 4 || call->input_count != 3 ||
      call->inputs[1].data != NULL || call->inputs[2].type != kDlaInt64 || call->output_count != 3 ||
      call->outputs[1].data != NULL || call->outputs[2].dims[1] != 3) {
    return 1;
  }
  if (ints->count != 3 || ints->ints[1] != -7 || dla_extern_float(call, "float", 0) != 0.1f ||
      dla_extern_find(call, "text")->texts[0][1] != '"' || dla_extern_int(call, "missing", 5) != 5 ||
      dla_extern_find(call, "none")->count != 0) {
    return 2;
  }
  for (int i = 0; i < 4; ++i) {
    ((int8_t*)call->outputs[0].data)[i] = (int8_t)-((const int8_t*)x->data)[i];
  }
  for (int i = 0; i < 6; ++i) {
    ((int64_t*)call->outputs[2].data)[i] = ((const int64_t*)call->inputs[2].data)[i % 2] + i;
  }
  return 0;
}
""".replace(
        "size(ints)", "3"
    )
}


def model(nodes, outputs, constants=(), shapes=(1, 4)):
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shapes)], outputs, constants
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("mine", 1)])


def output(name, shape=None, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def twice(op="Twice", shape=(1, 4)):
    return model([helper.make_node(op, ["x"], ["y"], "act", domain="mine")], [output("y", shape)])


class ExternsTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(folder := tempfile.TemporaryDirectory())
        self.folder = Path(folder.name)

    def extern(self, text, op="mine.Twice", name="twice.c", **options):
        (self.folder / name).write_text(HEAD + text)
        return fovea.Extern(op, self.folder / name, **options)

    def test_gets_what_the_node_has(self):
        constants = [
            helper.make_tensor("scale", TensorProto.FLOAT, [], [0.5]),
            helper.make_tensor("zero", TensorProto.INT8, [], [0]),
            helper.make_tensor("sizes", TensorProto.INT64, [2], [9, 2]),
        ]
        mixed = helper.make_node(
            "Mixed", ["q", "", "sizes"], ["m", "", "n"], "mixed", domain="mine",
            ints=[1, -7, 3], float=0.1, text='a"\\', none=helper.make_tensor("", TensorProto.FLOAT, [0], []),
        )  # fmt: skip
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"], "quantize"),
            mixed,
            helper.make_node("DequantizeLinear", ["m", "scale", "zero"], ["y"], "dequantize"),
        ]
        net = fovea.compile(
            model(nodes, [output("y", (1, 4)), output("n", (2, 3), TensorProto.INT64)], constants),
            externs=[self.extern(CODE["Mixed"], "mine.Mixed")],
        )
        run = net.run(np.array([1, -2, 3, 60], np.float32))
        self.assertEqual(run.outputs["y"].tolist(), [-1, 2, -3, -60])
        self.assertEqual(run.outputs["n"].tolist(), [[9, 3, 11], [5, 13, 7]])

    def test_is_kept_by_its_text(self):
        folders = []
        for text in (DOUBLE, DOUBLE.replace("2 *", "3 *"), DOUBLE):
            net = fovea.compile(twice(), externs=[self.extern(text)])
            folders.append(net.folder)
        self.assertEqual(folders[0], folders[2])
        self.assertNotEqual(folders[0], folders[1])
        self.assertEqual(fovea.load(folders[1]).run(np.ones(4)).output.tolist(), [3] * 4)

    def test_is_not_folded(self):
        constants = [helper.make_tensor("c", TensorProto.FLOAT, [1, 4], [1, 2, 3, 4])]
        nodes = [
            helper.make_node("Twice", ["c"], ["d"], "of_constants", domain="mine"),
            helper.make_node("Add", ["x", "d"], ["y"], "sum"),
        ]
        net = fovea.compile(model(nodes, [output("y", (1, 4))], constants), externs=[self.extern(DOUBLE)])
        self.assertIn("of_constants", [layer.name for layer in net.layers])
        self.assertEqual(net.run(np.zeros(4)).output.tolist(), [2, 4, 6, 8])

    def test_shapes_come_from_the_function_the_file_or_the_model(self):
        plain = DOUBLE.replace("// output: x0\n", "")
        rules = {
            "// output: x0": (1, 4),
            "/* output: float32 [1, (x0[-1] + 2) * 2 / 3 - 1 % 2] */": (1, 3),
            " * output of Twice: float32 [x0[0], x0[1] - 1]": (1, 3),
            "": (1, 4),
        }
        for rule, shape in rules.items():
            text = plain if not rule.startswith(" *") else "/*\n" + rule + "\n*/\n" + plain
            binding = self.extern(text if rule.startswith(" *") else rule + "\n" + text)
            graph = ir.load(self.saved(twice(shape=(1, 4) if rule == "" else None)), externs=[binding])
            self.assertEqual(graph.outputs[0].shape, shape, rule)
        seen = []

        def shape_of(inputs, attributes):
            seen.append((inputs[0].shape, inputs[0].dtype, inputs[0].value, attributes))
            return [((1, 7), "float32")]

        graph = ir.load(self.saved(twice(shape=None)), externs=[self.extern(DOUBLE, shape=shape_of)])
        self.assertEqual(graph.outputs[0].shape, (1, 7))
        self.assertEqual(seen, [((1, 4), "float32", None, {})])

    def saved(self, made):
        onnx.save(made, self.folder / "net.onnx")
        return self.folder / "net.onnx"

    def refusal(self, externs, made=None, error=fovea.NetworkError):
        with self.assertRaises(error) as caught:
            fovea.compile(made or twice(shape=None), externs=externs, folder=self.folder / "out")
        self.assertFalse((self.folder / "out").exists())
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_refuses_what_is_no_file_of_the_function(self):
        file = self.folder / "twice.c"
        for text, words in (
            (DOUBLE.replace("Twice", "Thrice"), f"{file}: defines no function Twice; int Twice(const struct"),
            (DOUBLE.replace("return 0;", "return zero;"), f"{file}:7:10: error: 'zero' undeclared"),
            (DOUBLE.replace("int Twice", "float Twice"), 'error: static assertion failed: "this is called: int Twice'),
            ('#include "mine.h"\n' + DOUBLE, f"{file}:2:10: fatal error: mine.h: No such file"),
            (DOUBLE.replace("x0", "x1"), f"act: x1: the node has no such input ({file}:2)"),
            (DOUBLE.replace("x0", "float32 [k]"), f"act: there is no input and no attribute k ({file}:2)"),
            (DOUBLE.replace("x0", "float32 [x0[0] - 1]"), f"act: a size is 0; 1 or more work ({file}:2)"),
            (DOUBLE.replace("x0", "float16 [1]"), 'act: "float16" is no element type; float32, uint8'),
            (DOUBLE.replace("x0", "x0 [1"), f"act: a comma or ] is missing ({file}:2)"),
            (DOUBLE.replace("x0", "x0 [1 / 0]"), f"act: it divides by 0 ({file}:2)"),
            (DOUBLE.replace("// output: x0", ""), "act: the shape of output 1 of mine.Twice is not known; a line such"),
        ):
            self.assertIn(words, self.refusal([self.extern(text)]))

    def test_refuses_shape_functions_that_make_no_sense(self):
        with self.assertRaises(ZeroDivisionError) as caught:
            self.compiled_with(lambda inputs, attributes: 1 // 0)
        (note,) = caught.exception.__notes__
        self.assertRegex(note, r"raised in the shape function of mine.Twice for the node act, .*externs_test.py:\d+")
        for made in (None, "float32", (1, "x"), [], [(1, 4), None], (0, 4), {"a": 1}):
            with self.assertRaisesRegex(fovea.UsageError, r"its shape function returned .*externs_test.py:\d+; return"):
                self.compiled_with(lambda inputs, attributes, made=made: made)
        with self.assertRaisesRegex(fovea.UsageError, "dtype=half: unknown"):
            self.compiled_with(lambda inputs, attributes: ((1, 4), "half"))

    def compiled_with(self, shape):
        binding = self.extern(DOUBLE, shape=shape)
        self.addCleanup(lambda: self.assertFalse((self.folder / "out").exists()))
        fovea.compile(twice(shape=None), externs=[binding], folder=self.folder / "out")

    def test_refuses_other_operators(self):
        file = self.extern(DOUBLE).source
        for op, words in (
            ("Relu", "extern Relu=.*: the operator is built in; only others are bound"),
            ("my-op", "extern my-op=.*: no operator that a C function can be called after"),
        ):
            with self.assertRaisesRegex(fovea.UsageError, words):
                fovea.compile(twice(), externs=[fovea.Extern(op, file)])
        with self.assertRaisesRegex(fovea.UsageError, "extern mine.Twice: .*gone.c: no such file"):
            fovea.compile(twice(), externs=[fovea.Extern("mine.Twice", self.folder / "gone.c")])
        with self.assertRaisesRegex(fovea.UsageError, "extern mine.Twice: bound twice"):
            fovea.compile(twice(), externs=[self.extern(DOUBLE)] * 2)
        with self.assertRaisesRegex(fovea.UsageError, r"no operator of C; fovea.Extern\("):
            fovea.compile(twice(), externs=["mine.Twice=twice.c"])
        words = (
            re.escape("operator mine.Other is not supported; ") + ".*; --extern mine.Other=file.c computes it by a C"
        )
        with self.assertRaisesRegex(fovea.NetworkError, words):
            fovea.compile(twice("Other"), externs=[self.extern(DOUBLE)])

    def test_an_error_ends_the_run(self):
        net = fovea.compile(twice(), externs=[self.extern(DOUBLE.replace("return 0", "return -3"))])
        with self.assertRaises(fovea.RunError) as caught:
            net.run(np.zeros(4))
        self.assertEqual(
            str(caught.exception),
            "act: the C function for an operator returned an error: mine.Twice of node act returned -3",
        )


if __name__ == "__main__":
    unittest.main()
