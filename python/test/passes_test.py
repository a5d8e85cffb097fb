# SPDX-License-Identifier: Apache-2.0
"""Passes of Python run among the compiler's, and are checked as strictly."""
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from fovea import ir
from ir_test import QDQ, build_small, golden_input, remove_redundant_qdq
from programs import VGG8, run_program


@fovea.graph_pass(after="settle-signs")
def my_qdq(graph):
    """Does what remove-redundant-qdq does."""
    return graph.rewrite(remove_redundant_qdq)


def pass_of(function, after="move-layout", **options):
    return fovea.graph_pass(after=after, **options)(function)


class PassesTest(unittest.TestCase):
    def test_lists_what_foveac_lists(self):
        rows = [line.split(None, 1)[0] for line in run_program("foveac", "--passes").splitlines()]
        listed = fovea.PassContext().passes
        self.assertEqual([each.name for each in listed], rows)
        self.assertTrue(all(each.runs and each.summary for each in listed))
        simple = fovea.PassContext(level=0, required=["fold-affine"], disabled=["place-pools"], added=[my_qdq])
        runs = {each.name: each.runs for each in simple.passes}
        self.assertEqual((runs["fold-affine"], runs["place-pools"], runs["my-qdq"]), (True, False, False))
        names = list(runs)
        self.assertEqual(names.index("my-qdq"), names.index("settle-signs") + 1)

    def test_does_what_the_pass_it_copies_does(self):
        graph = golden_input(QDQ)
        theirs = fovea.PassContext(level=0, required=["remove-redundant-qdq"])
        mine = fovea.PassContext(level=0, required=["my-qdq"], added=[my_qdq])
        neither = fovea.PassContext(level=0)
        texts = [each.run(graph, "remove-redundant-qdq").text for each in (theirs, mine, neither)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_compiles_with_a_pass(self):
        seen = []

        @fovea.graph_pass(after="import")
        def relu_before_quantize(graph):
            """Another network: what is negative becomes 0."""

            def add_relu(builder, node, inputs):
                if node.origin == "quant1":
                    return builder.copy(node, [builder.call("nn.relu", inputs[0], origin="act"), *inputs[1:]])
                return None

            return graph.rewrite(add_relu)

        graph = build_small()
        context = fovea.PassContext(added=[relu_before_quantize], on_pass=seen.append)
        net = fovea.compile(graph, passes=context)
        self.assertEqual(net.layers["conv1"].kind, "qconv2d_relu")
        x = np.random.default_rng(3).normal(0, 3, (1, 4, 8, 8)).astype(np.float32)
        np.testing.assert_array_equal(net.run(x[0]).output, np.maximum(graph.run(x)[0][0], 0))
        np.testing.assert_array_equal(net.run(x[0], backend="cpu").output, np.maximum(graph.run(x)[0][0], 0))
        first = seen[0]
        self.assertEqual((first.name, first.changed), ("relu-before-quantize", True))
        self.assertEqual(first.nodes_after, first.nodes_before + 1)
        self.assertEqual(first.graph, relu_before_quantize(ir.load(net.model)))
        self.assertEqual([each.name for each in seen][: len(context.passes)], [each.name for each in context.passes])
        folder = net.folder
        self.assertTrue(folder.exists())
        del net
        self.assertFalse(folder.exists())

    def test_leaves_passes_out(self):
        for options, words in (
            (
                {"disabled": ["lower-clips", "place-pools"]},
                ["--disable-pass", "lower-clips", "--disable-pass", "place-pools"],
            ),
            ({"level": 1}, ["--pass-level", "1"]),
        ):
            with tempfile.TemporaryDirectory() as folder:
                run_program("foveac", VGG8, "-o", folder, *words)
                net = fovea.compile(VGG8, passes=fovea.PassContext(**options))
                self.assertEqual(net.source, (Path(folder) / "model.c").read_text())
        plain = fovea.compile(VGG8)
        self.assertNotEqual(net.folder, plain.folder)
        self.assertEqual(fovea.compile(VGG8, passes=fovea.PassContext(level=1)).folder, net.folder)
        x = plain.read_picture(fovea.model("samples/deer_9.png"))
        np.testing.assert_array_equal(net.run(x, backend="cpu").output, plain.run(x, backend="cpu").output)

    def test_times_passes(self):
        printed = run_program("foveac", VGG8, "--time-passes", "--stop-after", "copy-outputs")
        times = re.findall(r"^([\w-]+) +(\d+\.\d\d) ms +(\d+) +(\d+) nodes", printed, re.M)
        self.assertEqual([name for name, *_ in times], [each.name for each in fovea.PassContext().passes][: len(times)])
        self.assertEqual([row[3] for row in times[:-1]], [row[2] for row in times[1:]])

    def test_other_commands_choose_and_time_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (("check", VGG8), ("map", VGG8, "--layer", "fc8"), ("visu", VGG8, "-o", folder)):
                with self.subTest(words[0]):
                    printed = run_program("foveac", *words, "--time-passes", "--disable-pass", "place-pools")
                    names = re.findall(r"^([\w-]+) +\d+\.\d\d ms", printed, re.M)
                    ours = [each.name for each in fovea.PassContext(disabled=["place-pools"]).passes if each.runs]
                    self.assertEqual(names, ours)


class ErrorTest(unittest.TestCase):
    def run_with(self, made):
        return fovea.PassContext(added=[made]).run(build_small(), "move-layout")

    def test_a_pass_that_breaks_a_type_is_refused_by_name(self):
        @fovea.graph_pass(after="import")
        def narrow(graph):
            def cut(builder, node, inputs):
                return builder.call("cast", inputs[0], dtype="int8", origin="cut") if node.origin == "dequant" else None

            return graph.rewrite(cut)

        with self.assertRaises(fovea.NetworkError) as caught:
            self.run_with(narrow)
        self.assertEqual(caught.exception.node, "cut")
        self.assertIn(
            "not the Tensor[(1, 2, 8, 8), float32] that it was (after the pass narrow, ", str(caught.exception)
        )
        self.assertIn(f"{__file__}:", str(caught.exception))

    def test_a_pass_that_is_no_pass(self):
        with self.assertRaisesRegex(fovea.UsageError, r"pass none: returned a NoneType, .*passes_test.py:\d+; return"):
            self.run_with(pass_of(lambda graph: None, after="import", name="none"))
        with self.assertRaisesRegex(fovea.UsageError, r"pass two: takes \(a, b\), .*; a pass takes one graph"):
            pass_of(lambda a, b: a, name="two")
        with self.assertRaisesRegex(fovea.UsageError, "fovea.graph_pass makes one"):
            fovea.PassContext(added=[lambda graph: graph])

    def test_what_a_pass_raises_says_where(self):
        @fovea.graph_pass(after="import")
        def divide(graph):
            return graph.rewrite(lambda builder, node, inputs: 1 // 0)

        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(ZeroDivisionError) as caught:
                fovea.compile(build_small(), passes=fovea.PassContext(added=[divide]), folder=Path(folder) / "net")
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertRegex(caught.exception.__notes__[0], r"raised in the pass divide, .*passes_test.py:\d+")

        @fovea.graph_pass(after="import")
        def misfit(graph):
            def add(builder, node, inputs):
                return builder.call("add", inputs[0], np.ones(3, np.float32), origin="sum") if node.inputs else None

            return graph.rewrite(add)

        with self.assertRaises(fovea.NetworkError) as refused:
            self.run_with(misfit)
        self.assertEqual(refused.exception.node, "sum")

    def test_names_what_is_unknown(self):
        for options, words in (
            ({"disabled": ["fold-afine"]}, "did you mean fold-affine?"),
            ({"required": ["places-pool"]}, "did you mean place-pools?"),
            ({"added": [pass_of(lambda graph: graph, after="move-layuot", name="x")]}, "did you mean move-layout?"),
            ({"disabled": ["partition"]}, "no network is compiled without it"),
            ({"added": [pass_of(lambda graph: graph, name="partition")]}, "there is one of this name"),
            ({"level": 3}, "level=3: unknown; 0, 1 or 2 work"),
        ):
            with self.assertRaisesRegex(fovea.UsageError, re.escape(words)):
                fovea.PassContext(**options)
        with self.assertRaisesRegex(fovea.UsageError, r"did you mean partition\?"):
            fovea.PassContext().run(ir.parse("fn (%x: Tensor[(1,), int8]) { return %x }"), "partiton")


if __name__ == "__main__":
    unittest.main()
