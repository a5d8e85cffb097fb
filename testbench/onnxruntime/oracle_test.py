#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Are ONNX Runtime and the tests' tools worth their names? What it says of single operators, of a sum's rounding, of
each function of a byte and of a file that is no network; how networks are cut; how a run that crashes is reported."""
import collections
import shutil
import unittest

import numpy as np
from compiled_networks import FOLDERS, Job, number, run_all
from drawing import Drawing, draw_network
from network import Network, shrink
from node import F32, Input, Window, dequantize
from onnx_forms import write_onnx
from operators.binary import Add
from operators.concat import Requantize
from operators.convolution import Flatten
from operators.functions import FUNCTIONS, Call, draw_settings
from operators.loose import Loose
from operators.pools import AveragePool, GlobalAveragePool, MaxPool
from oracle import Question, ask_onnxruntime
from quantized_network import QuantizedNetwork, picture

SEED, CASES = number("SEED", 2024), number("CASES", 40)
TABLES = number("TABLES", 20)  # of each function


def an_input(name, elements, zero_point, shape=None):
    """These uint8 values at scale 1."""
    elements = np.uint8(elements).reshape(shape or (1, -1))
    node = Input([], elements.shape, name=name, port=f"{name}_x", scale=F32(1), zero_point=zero_point)
    node.data = dequantize(elements, 1, zero_point)
    return node


def network_of(*nodes):
    """A network whose last node is its output."""
    network = Network(list(nodes), [nodes[-1]])
    network.compute()
    return network


class Asked(unittest.TestCase):
    """Tests with a folder of their own."""

    def setUp(self):
        self.folder = FOLDERS / "oracle"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, self.folder)
        self.written = 0

    def question(self, network, form, **options):
        self.written += 1
        path = self.folder / f"{self.written}.onnx"
        write_onnx(network, path, form)
        return Question(path, network.feeds(), **options)


class Oracle(Asked):
    def test_has_the_zero_point_of_a_sum_inside_the_rounding(self):
        a, b = an_input("a", [1, 2, 3, 4], 0), an_input("b", [10, 11, 12, 13], 10)
        # An odd zero point, and real sums of 1, 3, 5 and 7, which are halves in steps of 2.
        network = network_of(a, b, Add([a, b], (1, 4), name="sum", scale=F32(2), zero_point=1))
        answer = ask_onnxruntime([self.question(network, "qoperator")], self.folder)[0]
        # 0.5 + 1, 1.5 + 1, 2.5 + 1 and 3.5 + 1 to the nearest even: 2, 2, 4, 4; less the zero point, in steps of 2.
        self.assertEqual(answer.first().tolist(), [[2, 2, 6, 6]])
        self.assertEqual(network.nodes[2].elements.tolist(), [[2, 2, 4, 4]])

    def test_divides_an_average_pool_by_other_counts_on_floats(self):
        x = an_input("x", range(4, 40, 4), 0, (1, 1, 3, 3))
        window = Window((2, 2), (2, 2), ceil_mode=True, count_include_pad=True)
        pool = AveragePool([x], (1, 1, 2, 2), name="pool", window=window, scale=F32(1), zero_point=0)
        network = network_of(x, pool)
        questions = [
            self.question(network, "qoperator"),
            self.question(network, "qdq"),
            self.question(network, "qdq", is_optimized=False),
        ]
        pool.clip = [F32(0), F32(200)]  # keeps ONNX Runtime from fusing it
        questions.append(self.question(network, "qdq"))
        answers = [answer.first().reshape(-1).tolist() for answer in ask_onnxruntime(questions, self.folder)]
        # Sums of 48, 36, 60 and 36: always of 4 on integers; on floats of 4, 2, 2 and 1, which are inside.
        integers, floats = [12, 9, 15, 9], [12, 18, 30, 36]
        self.assertEqual(answers, [integers, integers, floats, floats], "QLinear, fused, not optimized, not fused")
        self.assertEqual(pool.elements.reshape(-1).tolist(), integers)
        self.assertEqual(pool.float_reals().reshape(-1).tolist(), floats)

    def test_drops_a_clip_at_a_tiny_scale(self):
        for scale, is_dropped in ((F32(2**-30), True), (F32(2**-28), False)):
            x = an_input("x", [0, 0], 0, (1, 1, 1, 2))
            x.scale = scale
            mean = GlobalAveragePool([x], (1, 1, 1, 1), name="mean", scale=scale, zero_point=0)
            mean.clip = [F32(100 * scale), F32(200 * scale)]
            network = network_of(x, mean)
            answers = ask_onnxruntime(
                [self.question(network, "qdq", is_optimized=o) for o in (True, False)], self.folder
            )
            self.assertEqual([answer.first().item() / scale for answer in answers], [0 if is_dropped else 100, 100])
            self.assertEqual(is_clip_dropped(mean), is_dropped)

    def test_names_what_it_refuses_and_answers_the_rest(self):
        (self.folder / "none.onnx").write_text("no network")
        network = network_of(an_input("a", [1, 2], 0))
        questions = [Question(self.folder / "none.onnx", {}), self.question(network, "qdq")]
        refused, answered = ask_onnxruntime(questions, self.folder)
        self.assertIn("none.onnx", refused.error)
        self.assertNotIn("\n", refused.error)
        self.assertEqual(answered.first().tolist(), [[1, 2]])

    def test_says_of_qdq_operators_what_the_formulas_say(self):
        """In QDQ form ONNX Runtime computes a sum, product or average with ReLU or Clip as floats, where the zero point
        is outside the rounding. All others are computed as the formulas are."""
        alone = []
        for seed in range(SEED, SEED + CASES):
            network = draw_network(seed)
            alone += [network.one_operator(node) for node in network.operators() if is_asked(node)]
        answers = ask_onnxruntime([self.question(one, "qdq") for one in alone], self.folder)
        self.assertLessEqual(sum(answer.is_spoilt() for answer in answers), CASES // 100)
        table = collections.defaultdict(list)
        for one, answer in zip(alone, answers):
            if answer.is_spoilt():
                continue
            self.assertEqual(answer.error, "", one.describe())
            node = one.outputs[0]
            name = node.kind + " with relu" * node.relu + " with clip" * bool(node.clip)
            steps = (np.abs(answer.first() - node.real()) / node.scale).reshape(-1)
            table[name].append(steps)
            is_float = name.startswith(("add ", "mul ", "avgpool ")) or not node.is_fused()
            self.assertLessEqual(steps.max(), is_float * (1.001 + node.rounding_steps()), one.describe())
        for name, operators in sorted(table.items()):
            steps = np.concatenate(operators)
            print(
                f"{name:20} {len(operators):4} operators, {np.count_nonzero(steps)} of {steps.size} elements differ,"
                f" by at most {steps.max():g} steps"
            )


def is_asked(node):
    """Of a network that is a change of scale alone, between two pairs of conversions, ONNX Runtime drops one pair. An
    average pool on floats is another function at times: float_operators_test asks about it. It takes weights with a
    scale a channel for such with a scale a filter."""
    is_other_function = node.clip and isinstance(node, AveragePool) and node.float_reals() is not None
    is_alone = isinstance(node, Requantize) and not node.relu
    return not (is_other_function or is_alone or is_clip_dropped(node) or isinstance(node, (Flatten, Loose)))


def is_clip_dropped(node):
    """Whether ONNX Runtime's optimizer takes a clip for one that changes nothing, though it does: its bounds are within
    float32's epsilon of the least and the largest value of the type, at a tiny scale."""
    if not node.clip:
        return False
    lowest, highest = (node.scale * F32(end - node.zero_point) for end in (0, 255))
    return max(node.clip[0] - lowest, highest - node.clip[1]) <= np.finfo(F32).eps


class FunctionTables(Asked):
    """What ONNX Runtime makes of all 256 values, function by function: the formulas' table, or where it approximates,
    one that differs beside ties only."""

    def test_are_onnxruntimes(self):
        for form in ("qdq", "qoperator"):
            drawing = Drawing(SEED)
            tables = [[table_network(function, drawing) for _ in range(TABLES)] for function in FUNCTIONS]
            questions = [self.question(network, form) for networks in tables for network in networks]
            answers = iter(ask_onnxruntime(questions, self.folder))
            for function, networks in zip(FUNCTIONS, tables):
                with self.subTest(f"{function.name} as {form}"):
                    compare_tables(self, function, [(network.outputs[0], next(answers)) for network in networks])


def table_network(function, drawing):
    """All bytes at a scale, and what a function makes of them at another."""

    def quantization(least, most):
        exponent = least + drawing.source.random() * (most - least)
        return {
            "scale": F32(2 ** (round(exponent) if drawing.one_in(4) else exponent)),
            "zero_point": drawing.between(0, 255),
        }

    x = Input([], (1, 256), name="x", port="x_x", **quantization(-9, -2))
    x.data = dequantize(np.arange(256)[None], x.scale, x.zero_point)
    count = 256 if function.name == "PRelu" else len(function.attributes)
    settings = draw_settings(drawing, count)
    return network_of(x, Call([x], (1, 256), name="y", function=function, settings=settings, **quantization(-10, -3)))


def compare_tables(test, function, tables):
    steps, from_tie = [], []
    for node, answer in tables:
        test.assertEqual(answer.error, "")
        apart = np.rint(np.abs(answer.first() - node.real()) / node.scale).reshape(-1)
        exact = (node.apply(node.inputs[0].data) / np.longdouble(node.scale)).reshape(-1)[apart != 0]
        steps.append(apart)
        from_tie.append(np.abs(exact - np.floor(exact) - 0.5))  # where it is rounded to another integer
    steps, furthest = np.concatenate(steps), float(np.max(np.concatenate(from_tie), initial=0))
    print(
        f"{function.name:16} {np.count_nonzero(steps)} of {steps.size} entries differ, by at most {steps.max():g}"
        f" steps, up to {furthest:.1e} from a tie"
    )
    test.assertLessEqual(steps.max(), 0 if function.is_exact else 1)
    test.assertLessEqual(furthest, 1e-3)


class Cuts(unittest.TestCase):
    def test_keep_the_answer(self):
        for seed in range(SEED, SEED + CASES):
            network = draw_network(seed)
            for node in network.nodes:
                for cut in (network.cut([node]), network.one_operator(node)):
                    cut.compute()
                    self.assertTrue(np.array_equal(cut.outputs[0].elements, node.elements), f"{seed} {node.name}")

    def test_a_failing_network_is_cut_to_what_matters(self):
        def is_pooled(network):
            return any(isinstance(node, MaxPool) for node in network.nodes)

        pooled = list(filter(is_pooled, map(draw_network, range(SEED, SEED + CASES))))
        for network in pooled:
            small = shrink(network, is_pooled)
            self.assertEqual(len(small.nodes), 2, small.describe())
        self.assertGreater(len(pooled), CASES // 10)


class Runs(Asked):
    def test_a_crash_is_an_error_of_one_network(self):
        """A process that writes more than it may is ended by a signal."""
        jobs = []
        for size in (8, 392, 16):
            network = QuantizedNetwork(1, picture(1, 3, 392)[:, :size, :size])
            network.conv("conv", network.input, 4, 1)
            model = self.folder / f"{size}.onnx"
            write_onnx(network, model)
            jobs.append(Job(model, self.folder / f"{size}", network.feeds()))
        small, large, other = run_all(jobs, self.folder, most_bytes=2 << 20)
        self.assertEqual(large.error, "ended by a signal: File size limit exceeded")
        self.assertEqual((small.error, small.first().size, other.error, other.first().size), ("", 256, "", 1024))


if __name__ == "__main__":
    unittest.main(verbosity=0)
