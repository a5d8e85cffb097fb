#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What does ONNX Runtime answer to QDQ files themselves? Operators that it keeps in float32 are compared one by one, on
the inputs that the formulas give them, and may be a step apart near a tie. Where its float operator is another function
than its integer one, the expected value is that function's. Networks without any are compared whole."""
import collections
import shutil
import unittest

import numpy as np
import onnx
from compiled_networks import FOLDERS, difference, number
from drawing import draw_network
from node import F32, quantize
from onnx_forms import write_onnx
from operators.concat import Requantize
from operators.convolution import Weighted
from operators.loose import Loose
from oracle import Question, ask_onnxruntime

SEED, CASES = number("SEED", 1), number("CASES", 60)
NEAR_TIE = 1e-4  # steps from a tie within which float32 sums may round to the other side


def quantized_values(optimized):
    """The values that are quantized from float32 in the graph that ONNX Runtime really runs."""
    return {node.output[0] for node in onnx.load(optimized).graph.node if node.op_type == "QuantizeLinear"}


def bias_steps(node):
    """How many steps of the result a float32 bias may be beside the product's scale, to which it is rounded on
    integers."""
    if not isinstance(node, Weighted) or node.float_biases is None:
        return 0
    return 0.5 * node.per_filter(node.steps(node.product_scales()).astype(np.float64))


def is_beyond_int32(node):
    """Of each filter, as it meets the result: whether its float32 bias saturates on integers."""
    if not isinstance(node, Weighted) or node.float_biases is None:
        return False
    return node.per_filter(np.abs(node.float_biases / node.product_scales().astype(np.float64)) >= 2.0**31)


class FloatOperators(unittest.TestCase):
    def setUp(self):
        self.folder = FOLDERS / "float_operators"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, self.folder)
        # It takes weights with a scale a channel for such with a scale a filter.
        drawn = {seed: draw_network(seed, any_scales=seed % 2 == 1) for seed in range(SEED, SEED + CASES)}
        self.networks = {seed: network for seed, network in drawn.items() if not network.has(Loose)}

    def question(self, network, form, name, **options):
        write_onnx(network, self.folder / name, form)
        return Question(self.folder / name, network.feeds(), **options)

    def compare_networks(self, form):
        """Asks about the whole networks, and compares those that are computed on integers. Returns the float operators
        with their seeds, and how many networks were compared, and how many refused."""
        questions = [
            self.question(network, form, f"{seed}.onnx", optimized=self.folder / f"{seed}.optimized.onnx")
            for seed, network in self.networks.items()
        ]
        kept, whole, refused = [], 0, 0
        answers = ask_onnxruntime(questions, self.folder)
        for (seed, network), question, answer in zip(self.networks.items(), questions, answers):
            if answer.is_spoilt():
                refused += 1
                continue
            self.assertEqual(answer.error, "")
            quantized = quantized_values(question.optimized)
            kept += [(seed, node) for node in network.operators() if node.name in quantized]
            # Two changes of scale in a row become one in ONNX Runtime, which rounds once.
            may_vanish = any(isinstance(node, Requantize) and not node.relu for node in network.nodes)
            if len(quantized) == len(network.inputs()) and not may_vanish:  # Nothing but its inputs is quantized.
                whole += 1
                self.assertEqual(
                    difference(answer.outputs, network.answers()), "", f"SEED={seed}\n{network.describe()}"
                )
        return kept, whole, refused

    def compare_operator(self, seed, node, answer, table):
        """One operator's float32 result, quantized, with what the formulas expect."""
        where, scale = f"{node.name} of SEED={seed}", np.float64(node.scale)
        other = node.float_reals()
        reals = node.reals() if other is None else other
        reals = None if reals is None else node.finish_reals(reals)
        expected = node.elements
        if other is not None:
            expected = quantize(node.steps(reals.astype(F32)), node.zero_point)
        apart = (answer - F32(node.scale) * (expected.astype(np.int32) - node.zero_point).astype(F32)).astype(
            np.float64
        )
        apart[np.broadcast_to(is_beyond_int32(node), apart.shape)] = 0
        differ = np.nonzero(apart)
        row = table[node.kind + (" of floats" if other is not None else "")]
        row["operators"] += 1
        row["elements"] += expected.size
        row["others"] += np.count_nonzero(expected != node.elements)
        row["differ"] += len(differ[0])
        if len(differ[0]):
            self.assertIsNotNone(reals, f"{where} keeps its scale")
            steps = reals / scale
            from_tie = np.abs(steps - np.floor(steps) - 0.5) - bias_steps(node) - node.rounding_steps()
            row["furthest"] = max(row["furthest"], from_tie[differ].max())
            self.assertLessEqual(np.abs(apart).max() / scale, 1.001 + node.rounding_steps(), where)
            self.assertLessEqual(from_tie[differ].max(), NEAR_TIE, where)

    def check_form(self, form):
        kept, whole, refused = self.compare_networks(form)
        questions = [
            self.question(self.networks[seed].one_operator(node), form, f"one_{i}.onnx", is_optimized=False)
            for i, (seed, node) in enumerate(kept)
        ]
        table = collections.defaultdict(collections.Counter)
        for (seed, node), answer in zip(kept, ask_onnxruntime(questions, self.folder)):
            self.assertEqual(answer.error, "")
            self.compare_operator(seed, node, answer.first(), table)
        print(f"{CASES} networks, {whole} wholly on integers, {refused} spoilt by an optimizer; in float32:")
        for name, row in sorted(table.items()):
            others = f"; on integers {row['others']} are others" if row["others"] else ""
            print(
                f"{name:18} {row['operators']:4} operators, {row['differ']} of {row['elements']} elements differ,"
                f" at most {row['furthest']:.1e} steps from a tie{others}"
            )
        if CASES >= 60:
            self.assertGreater(len(kept), CASES)
            self.assertLessEqual(refused, CASES // 100)
        return whole

    def test_of_uint8_are_a_step_apart_near_ties_at_most(self):
        whole = self.check_form("qdq")
        self.assertTrue(whole or CASES < 300)

    def test_of_int8_are_a_step_apart_near_ties_at_most(self):
        self.check_form("qdq_int8")  # Inputs of int8 keep some operators of most networks in float32.


if __name__ == "__main__":
    unittest.main(verbosity=0)
