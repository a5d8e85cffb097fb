# SPDX-License-Identifier: Apache-2.0
"""Patterns of Python find, cut out, rewrite and fuse, and refuse with a line of the user's.

Tests of TVM's public suite (tests/python/relay) that have a counterpart here, written anew. Each finds what TVM's
finds, but for those marked with a *, of which the test says what is otherwise.

test_dataflow_pattern.py
    test_expr_pattern                 test_a_constant_of_a_value
    test_var_pattern                  test_an_input_by_name
    test_constant_pattern             test_constant_pattern
    test_wildcard_pattern             test_wildcard_pattern
    test_CallPattern                  test_call_pattern
    test_AltPattern                   test_alternatives
    test_TypePattern                  test_type_pattern
    test_DataTypePattern              test_data_type_pattern
    test_ShapePattern                 test_shape_pattern
    test_AttrPattern                  test_attribute_pattern
    test_match_op                     test_match_op
    test_no_match_op                  test_no_match_op
    test_match_op_or                  test_match_op_or
    test_match_call_commutive         test_match_call_commutative
    test_no_match_call_commutive      test_no_match_call_commutative
    test_match_call                   test_match_call
    test_no_match_call                test_no_match_call
    test_match_option                 test_match_option
    test_no_match_option              test_no_match_option
    test_match_const                  test_match_const
    test_match_tuple                  test_match_any_number_of_inputs
    test_no_match_tuple               test_no_match_another_number_of_inputs
    test_match_type                   test_match_type
    test_no_match_type                test_no_match_type
    test_match_dtype                  test_match_dtype
    test_no_match_dtype               test_no_match_dtype
    test_match_shape                  test_match_shape
    test_no_match_shape               test_no_match_shape
    test_match_op_attr                test_match_attribute_of_any_operator
    test_no_match_op_attr             test_no_match_attribute_of_any_operator
    test_match_func_attr              test_match_composite
    test_no_match_func_attr           test_no_match_composite
    test_match_call_attr              test_match_call_attribute
    test_no_match_call_attr           test_no_match_call_attribute
    test_match_call_attr_dtype        test_match_call_attribute_dtype
    test_match_diamond                test_match_diamond
    test_no_match_diamond             test_no_match_diamond
    test_match_fake_diamond           test_no_match_fake_diamond
    test_at_most_one_parent           test_at_most_one_parent
    test_match_dominator              test_match_dominator
    test_not_match_dominator          test_no_match_dominator
    test_not_match_dominator2         test_no_match_dominator_that_is_jumped_over
    test_match_typed_dominator        test_match_typed_dominator
    test_no_match_typed_dominator     test_no_match_typed_dominator
    test_rewrite                      test_rewrite
    test_rewrite_func                 test_rewrite_behind_a_composite
    test_rewrite_func_with_attr       test_rewrite_a_composite
    test_nested_rewrite               test_nested_rewrite
    test_not_fuse_multi_diamond       test_no_match_diamond_inside
    test_fuse_batchnorm               test_fuse_batch_norm
    test_no_fuse_batchnorm            test_no_fuse_batch_norm
    test_fuse_double_batchnorm        test_fuse_double_batch_norm
    test_partial_fuse_double_batchnorm  test_fuse_one_of_two_batch_norms
    test_fuse_batchnorm_commutation   test_fuse_batch_norm_in_other_orders *
    test_quadruple_rewrite_dominator  test_rewrite_four_dominators
    test_algebraic_simplify           test_algebraic_simplify
    test_double_partition             test_partition_twice
    test_partition_dominator          test_partition_dominator
    test_quadruple_partition_dominator  test_partition_four_dominators
    test_partition_batchnorm          test_partition_batch_norm
    test_partition_double_batchnorm   test_partition_two_batch_norms
    test_partition_overused           test_partition_overused
    test_partition_fuzzy_tuple        test_partition_any_number_of_inputs
    test_partition_check              test_partition_check
    test_partition_check_types        test_partition_check_types
    test_partition_option             test_partition_option
    test_partition_constant_embedding  test_partition_takes_constants_in *
    test_rewrite_once                 test_rewrite_once
    test_matched_outside_but_dominated  test_partition_what_another_reads *
    test_partition_parallel_branch_with_same_input  test_partition_branches_with_one_input
    test_rewrite_with_pattern_recursion  test_rewrite_a_row
test_pass_merge_composite.py
    test_simple_merge                 test_simple_merge
    test_branch_merge                 test_branch_merge
    test_reuse_call_merge             test_reuse_call_merge
    test_multiple_patterns            test_multiple_patterns
    test_merge_order                  test_merge_order
    test_parallel_merge               test_parallel_merge
    test_multiple_input_subgraphs     test_multiple_input_subgraphs
    test_tuple_get_item_merge         test_batch_norm_merge
    test_pattern_with_check           test_pattern_with_check
    test_diamond_not_merge            test_diamond_not_merge
    test_type_check                   test_type_check
"""
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from fovea import ir
from fovea.patterns import Fusion, chain, composite, is_constant, is_input, op, rewrite, wildcard
from programs import DEER, VGG8

CONV = {"strides": [1, 1], "pads": [1, 1, 1, 1], "dilations": [1, 1], "groups": 1}
ATTRIBUTES = {
    "nn.conv2d": CONV,
    "nn.bias_add": {"axis": 1},
    "nn.leaky_relu": {"alpha": 0.0},
    "leaky_relu": {"alpha": 0.0},
    "nn.batch_norm": {"epsilon": 1e-5},
    "nn.softmax": {"axis": 1},
    "concatenate": {"axis": 1},
    "clip": {"min": 0.0, "max": 255.0},
}
#: Operators of one input, each element by itself.
UNARY = ("nn.relu", "leaky_relu", "tanh")


def unless(holds, why):
    """A fusion's refuse."""
    return lambda match: None if holds(match) else why


class Make:
    """A graph that grows: make("add", x, y)."""

    def __init__(self):
        self.builder = ir.Builder()

    def var(self, name, shape=(1, 4, 6, 6), dtype="float32"):
        return self.builder.input(name, shape, dtype)

    def __call__(self, operator, *inputs, **attributes):
        return self.builder.call(operator, *inputs, **{**ATTRIBUTES.get(operator, {}), **attributes})

    def graph(self, *outputs):
        return self.builder.finish(outputs)


def two():
    make = Make()
    return make, make.var("x"), make.var("y")


def conv_vars():
    """A maker, data, weights and biases."""
    make = Make()
    return make, make.var("x"), make.var("w", (4, 4, 3, 3)), make.var("b", (4,))


def names(graph):
    """The operators of a graph, composites by their names."""
    return [node.op for node in graph if node.kind not in ("input", "constant")]


def of_composites(graph):
    return {node.op: names(node.body) for node in graph if node.kind == "composite"}


def conv_pattern():
    return op("nn.conv2d")(wildcard(), wildcard())


def diamond_pattern():
    conv = conv_pattern()
    return op("add")(op("nn.relu")(conv), op("leaky_relu")(conv))


def dominated(links, parent, child="add"):
    """A child all of whose ways up lead over links to one parent."""
    return op(child)(chain(links, parent), chain(links, parent))


def conv_dominated(*links):
    return dominated(op(*(links or UNARY)), conv_pattern())


def classic_diamond(make, x, w):
    conv = make("nn.conv2d", x, w)
    return make("add", make("nn.relu", make("nn.relu", conv)), make("leaky_relu", conv))


def deep_diamond(make, x, w):
    conv = make("nn.conv2d", x, w)
    return make("add", make("tanh", make("nn.relu", make("nn.relu", conv))), make("leaky_relu", conv))


def single_branch(make, x, w):
    relu = make("nn.relu", make("nn.relu", make("nn.conv2d", x, w)))
    return make("add", relu, make("tanh", relu))


def nested_diamond(make, x, w):
    conv = make("nn.conv2d", x, w)
    relu = make("nn.relu", conv)
    return make("add", make("tanh", make("add", relu, relu)), make("leaky_relu", conv))


FOUR = (classic_diamond, deep_diamond, single_branch, nested_diamond)


class BatchNorm:
    """gamma * (x - mean) / sqrt(var + eps) + beta."""

    def __init__(self):
        self.x, self.var, self.mean, self.beta, self.gamma = (wildcard() for _ in range(5))
        self.eps = is_constant()
        centred, root = self.x - self.mean, op("sqrt")(self.var + self.eps)
        self.pattern = self.gamma * centred / root + self.beta
        self.other_order = self.gamma * (centred / root) + self.beta

    def callback(self, builder, found):
        operands = [found[each] for each in (self.x, self.gamma, self.beta, self.mean, self.var)]
        return builder.call("nn.batch_norm", *operands, epsilon=found[self.eps].value.item())

    @staticmethod
    def vars():
        make = Make()
        return make, make.var("x", (1, 4)), [make.var(name, (4,)) for name in ("var", "mean", "beta", "gamma")]

    @staticmethod
    def of(make, x, values, end="add"):
        var, mean, beta, gamma = values
        root = make("sqrt", make("add", var, np.float32(1e-5)))
        return make(end, make("divide", make("multiply", gamma, make("subtract", x, mean)), root), beta)


class TvmPatternsTest(unittest.TestCase):
    """Matching and cutting out."""

    def assertMatch(self, pattern, *nodes):
        for node in nodes:
            self.assertIsNotNone(pattern.match(node), node)

    def assertNoMatch(self, pattern, *nodes):
        for node in nodes:
            self.assertIsNone(pattern.match(node), node)

    def test_a_constant_of_a_value(self):
        make, x, _ = two()
        self.assertMatch(op("add")(wildcard(), is_constant(0)), make("add", x, np.float32(0)))
        self.assertNoMatch(op("add")(wildcard(), is_constant(0)), make("add", x, np.float32(1)), make("add", x, x))

    def test_an_input_by_name(self):
        make, x, y = two()
        self.assertMatch(is_input("x"), x)
        self.assertNoMatch(is_input("x"), y, make("nn.relu", x))
        self.assertMatch(is_input(), x, y)

    def test_constant_pattern(self):
        make, x, _ = two()
        self.assertMatch(is_constant(), make.builder.constant(np.zeros(3, np.int8)))
        self.assertNoMatch(is_constant(), x)

    def test_wildcard_pattern(self):
        make, x, _ = two()
        self.assertMatch(wildcard(), x, make("nn.relu", x), make.builder.constant(np.float32(1)))

    def test_call_pattern(self):
        make, x, y = two()
        one, other = wildcard(), wildcard()
        match = op("subtract")(one, other).match(make("subtract", x, y))
        self.assertEqual([match[one], match[other]], [x, y])

    def test_alternatives(self):
        make, x, y = two()
        either = op("add")(wildcard(), wildcard()) | op("nn.relu")(wildcard())
        self.assertMatch(either, make("add", x, y), make("nn.relu", x))
        self.assertNoMatch(either, make("subtract", x, y))

    def test_type_pattern(self):
        self.assertMatch(wildcard().has_type((10, 10), "float32"), Make().var("x", (10, 10)))

    def test_data_type_pattern(self):
        self.assertMatch(wildcard().has_dtype("int8"), Make().var("x", (10, 10), "int8"))

    def test_shape_pattern(self):
        x = Make().var("x", (10, 7))
        self.assertMatch(wildcard().has_shape([10, 7]), x)
        self.assertMatch(wildcard().has_shape([None, 7]), x)

    def test_attribute_pattern(self):
        make, x, _ = two()
        self.assertMatch(op("clip").has_attr({"min": 0.0}), make("clip", x))
        self.assertMatch(op("clip").has_attr(min=0, max=255), make("clip", x))

    def test_match_op(self):
        make, x, y = two()
        self.assertMatch(op("add"), make("add", x, y))

    def test_no_match_op(self):
        make, x, y = two()
        self.assertNoMatch(op("add"), make("subtract", x, y), x)

    def test_match_op_or(self):
        make, x, y = two()
        for either in (
            op("add") | op("subtract"),
            op("add", "subtract"),
            op("add", "subtract")(wildcard(), wildcard()),
        ):
            self.assertMatch(either, make("add", x, y), make("subtract", x, y))

    def test_match_call_commutative(self):
        make, x, y = two()
        for name in ("add", "multiply"):
            self.assertMatch(op(name)(is_input("x"), is_input("y")), make(name, x, y), make(name, y, x))

    def test_no_match_call_commutative(self):
        make, x, y = two()
        for name in ("subtract", "divide"):
            pattern = op(name)(is_input("x"), is_input("y"))
            self.assertMatch(pattern, make(name, x, y))
            self.assertNoMatch(pattern, make(name, y, x))

    def test_match_call(self):
        make, x, y = two()
        self.assertMatch(op("add")(wildcard(), wildcard()), make("add", x, y))
        self.assertMatch(op(), make("nn.relu", x), make("add", x, y))

    def test_no_match_call(self):
        make, x, y = two()
        self.assertNoMatch(op("add")(wildcard(), wildcard()), make("subtract", x, y))
        self.assertNoMatch(op()(wildcard()), make("subtract", x, y))

    def test_match_option(self):
        make, x, w, b = conv_vars()
        conv = make("nn.conv2d", x, w)
        with_bias = conv_pattern().optional(lambda it: op("nn.bias_add")(it, wildcard()))
        self.assertMatch(op("nn.relu")(with_bias), make("nn.relu", conv))
        self.assertMatch(op("nn.relu")(with_bias), make("nn.relu", make("nn.bias_add", conv, b)))
        pattern = conv_pattern().optional(op("nn.relu")).optional(op("tanh"))
        relu, tanh = make("nn.relu", conv), make("tanh", conv)
        self.assertMatch(pattern, conv, relu, tanh, make("tanh", relu))
        self.assertNoMatch(pattern, make("nn.relu", tanh))

    def test_no_match_option(self):
        make, x, w, b = conv_vars()
        pattern = op("nn.relu")(conv_pattern().optional(lambda it: op("nn.bias_add")(it, wildcard())))
        conv, flat = make("nn.conv2d", x, w), make("reshape", x, newshape=[1, 144])
        dense = make("nn.dense", flat, make.var("v", (4, 144)))
        biased = make("nn.bias_add", dense, b)
        self.assertNoMatch(pattern, make("tanh", conv), make("tanh", dense), make("nn.relu", biased))
        self.assertNoMatch(pattern, make("nn.relu", make("add", conv, x)))

    def test_match_const(self):
        make, x, w, b = conv_vars()
        pattern = op("nn.bias_add")(op("nn.conv2d")(wildcard(), is_constant()), wildcard())
        self.assertNoMatch(pattern, make("nn.bias_add", make("nn.conv2d", x, w), b))
        self.assertMatch(pattern, make("nn.bias_add", make("nn.conv2d", x, np.ones((4, 4, 3, 3), np.float32)), b))

    def test_match_any_number_of_inputs(self):
        make, x, y = two()
        self.assertMatch(op("concatenate"), *(make("concatenate", *given) for given in ([x], [x, y], [x, y, x])))

    def test_no_match_another_number_of_inputs(self):
        make, x, y = two()
        self.assertNoMatch(op("concatenate")(wildcard(), wildcard(), wildcard()), make("concatenate", x, y))
        self.assertNoMatch(op()(wildcard(), wildcard()), make("concatenate", x, y, x), make("nn.relu", x))

    def test_match_type(self):
        self.assertMatch(wildcard().has_type((10, 10), "float32"), Make().var("x", (10, 10), "float32"))

    def test_no_match_type(self):
        self.assertNoMatch(wildcard().has_type((10, 10), "float32"), Make().var("x", (10, 10), "int32"))

    def test_match_dtype(self):
        self.assertMatch(wildcard().has_dtype("float32"), Make().var("x", (10, 10), "float32"))

    def test_no_match_dtype(self):
        self.assertNoMatch(wildcard().has_dtype("float32"), Make().var("x", (10, 10), "int32"))

    def test_match_shape(self):
        self.assertMatch(wildcard().has_shape((10, 10)), Make().var("x", (10, 10)))

    def test_no_match_shape(self):
        self.assertNoMatch(wildcard().has_shape((10, 5)), Make().var("x", (10, 10)))
        self.assertNoMatch(wildcard().has_shape((10,)), Make().var("x", (10, 10)))

    def test_match_attribute_of_any_operator(self):
        make, x, _ = two()
        self.assertMatch(op().has_attr(axis=1), make("nn.softmax", x), make("concatenate", x, x))

    def test_no_match_attribute_of_any_operator(self):
        make, x, _ = two()
        self.assertNoMatch(op().has_attr(axis=1), make("nn.relu", x), make("nn.softmax", x, axis=2))

    def partitioned_sum(self, name):
        make, x, y = two()
        graph = make.graph(make("abs", make("add", x, y)))
        return op("add").partition(graph, name)

    def test_match_composite(self):
        node = self.partitioned_sum("mine.add")[2]
        self.assertMatch(composite("mine.add"), node)
        self.assertMatch(composite("mine.add", is_input("x"), is_input("y")), node)

    def test_no_match_composite(self):
        node = self.partitioned_sum("mine.conv_bias")[2]
        self.assertNoMatch(composite("mine.add"), node)
        self.assertNoMatch(composite("mine.conv_bias", wildcard()), node)

    def test_match_call_attribute(self):
        make, x, w, _ = conv_vars()
        conv = make("nn.conv2d", x, w)
        self.assertMatch(conv_pattern().has_attr({"strides": [1, 1]}), conv)
        self.assertMatch(conv_pattern().has_attr({}), conv)
        self.assertMatch(wildcard().has_attr(groups=1), conv)

    def test_no_match_call_attribute(self):
        make, x, w, _ = conv_vars()
        conv = make("nn.conv2d", x, w)
        self.assertNoMatch(conv_pattern().has_attr({"strides": [2, 1]}), conv)
        self.assertNoMatch(conv_pattern().has_attr(groups=4), conv)
        with self.assertRaisesRegex(fovea.UsageError, "nn.conv2d has no such attribute"):
            conv_pattern().has_attr(layout="NCHW")

    def test_match_call_attribute_dtype(self):
        make, x, _ = two()
        self.assertMatch(op("cast")(wildcard()).has_attr(dtype="int8"), make("cast", x, dtype="int8"))

    def test_match_diamond(self):
        make, x, w, _ = conv_vars()
        conv = make("nn.conv2d", x, w)
        self.assertMatch(diamond_pattern(), make("add", make("nn.relu", conv), make("leaky_relu", conv)))

    def test_no_match_diamond(self):
        make, x, w, _ = conv_vars()
        conv = make("nn.conv2d", x, w)
        self.assertNoMatch(diamond_pattern(), make("nn.relu", conv), make("leaky_relu", conv))

    def test_no_match_fake_diamond(self):
        make, x, w, _ = conv_vars()
        one, other = make("nn.conv2d", x, w), make("nn.conv2d", make("abs", x), w)
        self.assertNoMatch(diamond_pattern(), make("add", make("nn.relu", one), make("leaky_relu", other)))

    def test_at_most_one_parent(self):
        make, x, w, _ = conv_vars()
        upper = make("nn.conv2d", x, w)
        lower = make("nn.conv2d", make("tanh", upper), w)
        self.assertNoMatch(conv_dominated("nn.relu"), make("add", make("nn.relu", lower), make("nn.relu", upper)))

    def test_match_dominator(self):
        make, x, w, _ = conv_vars()
        self.assertMatch(conv_dominated(), *(each(make, x, w) for each in FOUR[:3]))
        self.assertMatch(conv_dominated(*UNARY, "add"), nested_diamond(make, x, w))

    def test_no_match_dominator(self):
        make, x, w, _ = conv_vars()
        conv, relu = make("nn.conv2d", x, w), make("nn.relu", x)
        fake = make("add", make("nn.relu", conv), make("leaky_relu", make("nn.conv2d", make("abs", x), w)))
        beside = make("add", relu, make("leaky_relu", conv))
        none = make("add", make("nn.relu", relu), make("tanh", relu))
        self.assertNoMatch(conv_dominated(), fake, nested_diamond(make, x, w), beside, none)

    def test_no_match_dominator_that_is_jumped_over(self):
        make, x, w, _ = conv_vars()
        upper = make("nn.conv2d", x, w)
        lower = make("nn.conv2d", make("tanh", upper), w)
        self.assertNoMatch(conv_dominated("nn.relu"), make("add", lower, make("nn.relu", upper)))

    def test_match_typed_dominator(self):
        make, x, w, _ = conv_vars()
        pattern = dominated(op(*UNARY), conv_pattern().has_dtype("float32")).has_shape([1, 4, 6, 6])
        self.assertMatch(pattern, classic_diamond(make, x, w))

    def test_no_match_typed_dominator(self):
        make, x, w, _ = conv_vars()
        self.assertNoMatch(conv_dominated().has_shape([1, 1, 6, 6]), classic_diamond(make, x, w))
        pattern = dominated(op(*UNARY), conv_pattern().has_dtype("int32"))
        self.assertNoMatch(pattern, classic_diamond(make, x, w))

    def test_no_match_diamond_inside(self):
        make, x, w, _ = conv_vars()
        conv = make("nn.conv2d", x, w)
        inner = make("add", make("nn.relu", conv), make("leaky_relu", conv))
        self.assertNoMatch(diamond_pattern(), make("add", inner, conv))

    # Cutting out.

    def test_partition_twice(self):
        make, x, w, b = conv_vars()
        first = make("nn.relu", make("nn.bias_add", make("nn.conv2d", x, w), b))
        graph = make.graph(make("nn.bias_add", make("nn.conv2d", first, w), b))
        biased = op("nn.bias_add")(conv_pattern(), wildcard())
        done = biased.partition(op("nn.relu")(biased).partition(graph, "mine.conv_bias_relu"), "mine.conv_bias")
        self.assertEqual(
            of_composites(done),
            {
                "mine.conv_bias_relu": ["nn.conv2d", "nn.bias_add", "nn.relu"],
                "mine.conv_bias": ["nn.conv2d", "nn.bias_add"],
            },
        )
        self.assertEqual(names(done), ["mine.conv_bias_relu", "mine.conv_bias"])
        values = [np.random.default_rng(1).normal(size=each.shape).astype(np.float32) for each in graph.inputs]
        np.testing.assert_array_equal(done.run(*values)[0], graph.run(*values)[0])

    def test_partition_dominator(self):
        make, x, w, _ = conv_vars()
        graph = make.graph(classic_diamond(make, make("multiply", x, x), make("multiply", w, w)))
        done = conv_dominated().partition(graph, "mine.diamond")
        self.assertEqual(names(done), ["multiply", "multiply", "mine.diamond"])
        self.assertEqual(
            sorted(of_composites(done)["mine.diamond"]), sorted(["nn.conv2d", *2 * ["nn.relu"], "leaky_relu", "add"])
        )

    def test_partition_four_dominators(self):
        make, x, w, _ = conv_vars()
        for each in FOUR:
            x = each(make, x, w)
        done = conv_dominated(*UNARY, "add").partition(make.graph(x), "mine.diamond")
        self.assertEqual(names(done), 4 * ["mine.diamond"])
        self.assertEqual([len(names(node.body)) for node in done if node.kind == "composite"], [5, 6, 5, 6])

    def test_partition_batch_norm(self):
        make, x, values = BatchNorm.vars()
        done = BatchNorm().pattern.partition(make.graph(BatchNorm.of(make, x, values)), "mine.bn")
        self.assertEqual(names(done), ["mine.bn"])
        self.assertEqual(sorted(node.origin for node in done.outputs[0].inputs), ["beta", "gamma", "mean", "var", "x"])

    def test_partition_two_batch_norms(self):
        make, x, values = BatchNorm.vars()
        graph = make.graph(BatchNorm.of(make, BatchNorm.of(make, x, values), values))
        self.assertEqual(names(BatchNorm().pattern.partition(graph, "mine.bn")), ["mine.bn", "mine.bn"])

    def test_partition_overused(self):
        make, x, w, _ = conv_vars()
        conv = make("nn.conv2d", x, w)
        graph = make.graph(make("add", make("nn.relu", conv), conv))
        self.assertEqual(op("nn.relu")(conv_pattern()).partition(graph).text, graph.text)

    def test_partition_any_number_of_inputs(self):
        for count in (1, 2, 3):
            make, x, y = two()
            graph = make.graph(make("concatenate", *[x, y, make("add", x, y)][:count]))
            done = op("concatenate").partition(graph, "mine.concat")
            self.assertEqual(len(done.outputs[0].inputs), count)

    def test_partition_check(self):
        pattern = op("nn.relu")(conv_pattern().named("conv"))
        for stride, expected in ((1, ["mine.part"]), (2, ["nn.conv2d", "nn.relu"])):
            make, x, w, _ = conv_vars()
            graph = make.graph(make("nn.relu", make("nn.conv2d", x, w, strides=[stride, stride])))
            refuse = unless(lambda match: match["conv"].attributes["strides"] == [1, 1], "it strides")
            self.assertEqual(names(pattern.partition(graph, refuse=refuse)), expected)

    def test_partition_check_types(self):
        pattern = op("nn.relu")(conv_pattern().named("conv"))
        for batch, expected in ((1, ["mine.part"]), (2, ["nn.conv2d", "nn.relu"])):
            make = Make()
            x, w = make.var("x", (batch, 4, 6, 6)), make.var("w", (4, 4, 3, 3))
            graph = make.graph(make("nn.relu", make("nn.conv2d", x, w)))
            refuse = unless(lambda match: match["conv"].shape[0] == 1, "a batch")
            self.assertEqual(names(pattern.partition(graph, refuse=refuse)), expected)

    def test_partition_option(self):
        biased = conv_pattern().optional(lambda it: op("nn.bias_add")(it, wildcard()))
        for pattern in (op("nn.relu")(biased), op("nn.bias_add")(conv_pattern(), wildcard()).optional(op("nn.relu"))):
            make, x, w, b = conv_vars()
            graph = make.graph(make("nn.relu", make("nn.bias_add", make("nn.conv2d", x, w), b)))
            self.assertEqual(
                of_composites(pattern.partition(graph)), {"mine.part": ["nn.conv2d", "nn.bias_add", "nn.relu"]}
            )

    def test_partition_takes_constants_in(self):
        """A constant that a wildcard matches is inside too; TVM hands it to the function."""

        def inputs_with(weights, constant):
            make, x, w, b = conv_vars()
            w = make.builder.constant(np.ones((4, 4, 3, 3), np.float32)) if constant else w
            graph = make.graph(make("nn.relu", make("nn.bias_add", make("nn.conv2d", x, w), b)))
            pattern = op("nn.relu")(op("nn.bias_add")(op("nn.conv2d")(wildcard(), weights), wildcard()))
            call = pattern.partition(graph).outputs[0]
            return len(call.inputs) if call.kind == "composite" else None

        rows = [(wildcard(), 3, 2), (is_input(), 3, None), (is_constant(), None, 2), (is_constant(1), None, 2)]
        rows += [(is_input() | is_constant(), 3, 2), (is_constant() | is_input(), 3, 2)]
        for weights, of_input, of_constant in rows:
            self.assertEqual((inputs_with(weights, False), inputs_with(weights, True)), (of_input, of_constant))

    def test_partition_what_another_reads(self):
        """TVM computes the sum again for the sigmoid; here what others read stays, unless the pattern says copied()."""
        make, x, w, b = conv_vars()
        total = make("nn.bias_add", make("nn.conv2d", x, w), b)
        graph = make.graph(make("multiply", total, make("sigmoid", total)))
        plain = op("nn.bias_add")(conv_pattern(), wildcard())
        copied = op("nn.bias_add")(conv_pattern().copied(), wildcard()).copied()
        self.assertEqual(op("multiply")(plain, wildcard()).partition(graph).text, graph.text)
        done = op("multiply")(copied, wildcard()).partition(graph)
        self.assertEqual(names(done), ["nn.conv2d", "nn.bias_add", "sigmoid", "mine.part"])
        self.assertEqual(of_composites(done)["mine.part"], ["nn.conv2d", "nn.bias_add", "multiply"])

    def test_partition_branches_with_one_input(self):
        make, x, w, _ = conv_vars()
        left, right = make.var("left"), make.var("right")
        conv = make("nn.conv2d", x, w)
        graph = make.graph(make("add", make("multiply", left, conv), make("add", conv, right)))
        pattern = op("add")(op("multiply")(wildcard(), wildcard()), op("add")(wildcard(), wildcard()))
        done = pattern.partition(graph)
        self.assertEqual([node.op for node in done.outputs[0].inputs], ["input", "nn.conv2d", "input"])


class TvmRewriteTest(unittest.TestCase):
    """Rewriting."""

    def test_rewrite(self):
        make, x, y = two()
        done = rewrite(op("add").named("sum"), to_difference, make.graph(make("add", x, y)))
        self.assertEqual(names(done), ["subtract"])
        self.assertEqual([node.origin for node in done.outputs[0].inputs], ["x", "y"])

    def test_rewrite_behind_a_composite(self):
        make, x, w, _ = conv_vars()
        graph = make.graph(make("add", make("nn.relu", make("nn.conv2d", x, w)), x))
        graph = op("nn.relu")(conv_pattern()).partition(graph, "mine.conv")
        self.assertEqual(names(rewrite(op("add").named("sum"), to_difference, graph)), ["mine.conv", "subtract"])

    def test_rewrite_a_composite(self):
        make, x, y = two()
        graph = op("add").partition(make.graph(make("abs", make("add", x, y))), "mine.add")
        self.assertEqual(names(graph), ["mine.add", "abs"])
        a, b = wildcard(), wildcard()
        inlined = rewrite(
            composite("mine.add", a, b), lambda builder, found: builder.call("add", found[a], found[b]), graph
        )
        self.assertIsNotNone(op("abs")(op("add")(wildcard(), wildcard())).match(inlined.outputs[0]))

    def test_nested_rewrite(self):
        make, x, y = two()
        inner = make("add", x, make("add", y, y))
        graph = make.graph(make("add", make("add", x, inner), inner))
        a, b = wildcard(), wildcard()
        inner_pattern = op("add")(a, b)
        pattern = op("add")(inner_pattern, op("add")(inner_pattern, a))
        self.assertEqual(len(pattern.find(graph)), 1)
        kept = rewrite(
            pattern.named("all"),
            lambda builder, found: builder.copy(found["all"], found["all"].inputs),
            graph,
            once=True,
        )
        self.assertEqual(kept.text, graph.text)

    def batch_norms(self, *ends):
        norm = BatchNorm()
        make, x, values = BatchNorm.vars()
        for end in ends:
            x = BatchNorm.of(make, x, values, end)
        graph = make.graph(x)
        done = rewrite(norm.pattern, norm.callback, graph)
        rng = np.random.default_rng(1)
        values = [rng.uniform(0.5, 2, each.shape).astype(np.float32) for each in graph.inputs]
        np.testing.assert_allclose(done.run(*values)[0], graph.run(*values)[0], rtol=1e-5, atol=1e-6)
        return names(done)

    def test_fuse_batch_norm(self):
        self.assertEqual(self.batch_norms("add"), ["nn.batch_norm"])

    def test_no_fuse_batch_norm(self):
        self.assertEqual(self.batch_norms("subtract"), ["add", "sqrt", "subtract", "multiply", "divide", "subtract"])

    def test_fuse_double_batch_norm(self):
        self.assertEqual(self.batch_norms("add", "add"), ["nn.batch_norm", "nn.batch_norm"])

    def test_fuse_one_of_two_batch_norms(self):
        self.assertEqual(self.batch_norms("subtract", "add")[-2:], ["subtract", "nn.batch_norm"])

    def test_fuse_batch_norm_in_other_orders(self):
        """Sums commute. That a product is divided before or after is an alternative to be written; TVM knows it."""
        make, x, (var, mean, beta, gamma) = BatchNorm.vars()
        root = make("sqrt", make("add", np.float32(1e-5), var))
        first = make("add", beta, make("divide", make("multiply", make("subtract", x, mean), gamma), root))
        other = make("add", make("multiply", gamma, make("divide", make("subtract", x, mean), root)), beta)
        norm = BatchNorm()
        self.assertIsNotNone(norm.pattern.match(first))
        self.assertIsNone(norm.pattern.match(other))
        self.assertIsNotNone((norm.pattern | norm.other_order).match(other))

    def test_rewrite_four_dominators(self):
        make, x, w, _ = conv_vars()
        for each in FOUR:
            x = each(make, x, w)
        conv = conv_pattern()
        pattern = dominated(op(*UNARY, "add"), conv)
        done = rewrite(pattern, lambda builder, found: found[conv], make.graph(x))
        self.assertEqual(names(done), 4 * ["nn.conv2d"])

    def simplified(self, make, node):
        """The graph of a node without what adds 0 and multiplies by 1."""
        graph, x = make.graph(node), wildcard()
        zero, one, any_value = is_constant(0), is_constant(1), wildcard()
        rules = [
            (x + zero, x),
            (x - zero, x),
            (x * one, x),
            (x / one, x),
            (zero * any_value, zero),
            (zero / any_value, zero),
        ]
        before = None
        while before != graph.text:
            before = graph.text
            for pattern, kept in rules:
                graph = rewrite(pattern, lambda builder, found, kept=kept: found[kept], graph)
        return graph

    def test_algebraic_simplify(self):
        zero, one = np.float32(0), np.float32(1)
        rows = [("add", 0, zero), ("add", zero, 0), ("subtract", 0, zero), ("multiply", 0, one), ("multiply", one, 0)]
        for name, a, b in [*rows, ("divide", 0, one)]:
            make, x, _ = two()
            operands = [x if isinstance(each, int) else each for each in (a, b)]
            self.assertEqual(self.simplified(make, make(name, *operands)).outputs[0].origin, "x")
        for name, a, b in [("multiply", 0, zero), ("multiply", zero, 0), ("divide", zero, 0)]:
            make, x, _ = two()
            operands = [x if isinstance(each, int) else each for each in (a, b)]
            self.assertEqual(self.simplified(make, make(name, *operands)).outputs[0].kind, "constant")
        make, x, y = two()
        left = make("divide", make("add", x, make("multiply", zero, y)), one)
        long = make("subtract", make("add", left, make("multiply", y, one)), make("divide", zero, x))
        self.assertEqual(names(self.simplified(make, long)), ["add"])

    def concatenation(self):
        make, x, y = two()
        return make, make("concatenate", x, y, make.var("z"))

    def shorter(self, builder, found):
        inputs = found["all"].inputs[:-1]
        return builder.call("concatenate", *inputs, axis=1) if len(inputs) > 1 else inputs[0]

    def test_rewrite_once(self):
        pattern = op("concatenate").named("all")

        def more(builder, found):
            return builder.call("nn.relu", found["all"])

        make, concat = self.concatenation()
        self.assertEqual(len(rewrite(pattern, self.shorter, make.graph(concat), once=True).outputs[0].inputs), 2)
        make, concat = self.concatenation()
        self.assertEqual(rewrite(pattern, self.shorter, make.graph(concat)).outputs[0].origin, "x")
        for once, expected in ((True, ["concatenate", "nn.softmax", "nn.relu"]), (False, ["nn.softmax", "nn.relu"])):
            make, concat = self.concatenation()
            graph = rewrite(op("nn.softmax").named("all"), more, make.graph(make("nn.softmax", concat)), once=True)
            self.assertEqual(names(rewrite(pattern, self.shorter, graph, once=once)), expected)

    def test_rewrite_a_row(self):
        make = Make()
        node = make("nn.dense", make.var("x", (2, 8)), np.zeros((4, 8), np.float32))
        for _ in range(6):
            node = make("cast", node, dtype="float32")
        pattern = op("cast")(chain(op("cast"), op("nn.dense"))).named("all")
        done = rewrite(
            pattern, lambda builder, found: builder.call("nn.relu", found["all"]), graph := make.graph(node), once=True
        )
        self.assertEqual(names(done)[-2:], ["cast", "nn.relu"])
        self.assertEqual(len(pattern.match(graph.outputs[0]).nodes), 8)


def to_difference(builder, found):
    return builder.call("subtract", *found["sum"].inputs)


def add_sub_mul():
    x, y = wildcard(), wildcard()
    return (x + y) * (x - y)


def add_relu():
    return op("nn.relu")(wildcard() + wildcard())


def conv_bias_relu():
    return op("nn.relu")(op("nn.bias_add")(conv_pattern().named("conv"), wildcard()))


def merged(graph, *fusions):
    """The composites, behind merge-composites, and the rest of the graph as it is."""
    context = fovea.PassContext(fusions=[Fusion(*each) for each in fusions])
    done = context.run(graph, "merge-composites")
    values = [np.random.default_rng(1).normal(size=each.shape).astype(np.float32) for each in graph.inputs]
    np.testing.assert_allclose(done.run(*values)[0], graph.run(*values)[0], rtol=1e-6)
    return [node.op for node in done if node.op.startswith("mine.")]


class TvmMergeCompositeTest(unittest.TestCase):
    """Fusions among the compiler's own."""

    def test_simple_merge(self):
        make, x, y = two()
        graph = make.graph(make("nn.relu", make("add", x, y)))
        self.assertEqual(merged(graph, ("mine.add_relu", add_relu())), ["mine.add_relu"])

    def test_branch_merge(self):
        make, a, b = two()
        c = make.var("c")
        inner = make("multiply", make("add", a, b), make("subtract", a, b))
        outer = make("multiply", make("add", c, inner), make("subtract", c, inner))
        graph = make.graph(make("nn.relu", outer))
        self.assertEqual(merged(graph, ("mine.add_sub_mul", add_sub_mul())), 2 * ["mine.add_sub_mul"])

    def test_reuse_call_merge(self):
        make, a, b = two()
        difference = make("subtract", a, b)
        total = make("add", difference, b)
        graph = make.graph(make("add", make("add", difference, total), total))
        x, y = wildcard(), wildcard()
        inner = x + y
        self.assertEqual(merged(graph, ("mine.add_add_add", (x + inner) + inner)), ["mine.add_add_add"])

    def test_multiple_patterns(self):
        make, x, w, b = conv_vars()
        conv = make("nn.relu", make("nn.bias_add", make("nn.conv2d", x, w), b))
        total = make("nn.relu", make("add", conv, make.var("a")))
        graph = make.graph(make("multiply", total, make.var("c")))
        fusions = [("mine.conv_bias_relu", conv_bias_relu()), ("mine.add_relu", add_relu())]
        self.assertEqual(merged(graph, *fusions), ["mine.conv_bias_relu", "mine.add_relu"])

    def test_merge_order(self):
        total = wildcard() + wildcard()
        patterns = [op("nn.relu")(op("abs")(total)), op("abs")(total), op("nn.relu")(op("abs")(wildcard()))]
        for order in ("abc", "bca", "cab"):
            make, x, y = two()
            graph = make.graph(make("nn.relu", make("abs", make("add", x, y))))
            fusions = [(f"mine.{name}", pattern) for name, pattern in zip(order, patterns)]
            self.assertEqual(merged(graph, *fusions), [f"mine.{order[0]}"])

    def test_parallel_merge(self):
        make, x, y = two()
        branches = [make("multiply", make("add", a, b), make("subtract", a, b)) for a, b in ((x, y), (y, x))]
        graph = make.graph(make("multiply", *branches))
        self.assertEqual(merged(graph, ("mine.add_sub_mul", add_sub_mul())), 2 * ["mine.add_sub_mul"])

    def test_multiple_input_subgraphs(self):
        fusions = [("mine.add_sub_mul", add_sub_mul()), ("mine.add_relu", add_relu())]
        for are_same, expected in (
            (True, [*2 * ["mine.add_relu"], "mine.add_sub_mul"]),
            (False, 4 * ["mine.add_relu"]),
        ):
            make = Make()
            relus = [
                make("nn.relu", make("add", make.var(f"a{i}"), make.var(f"b{i}"))) for i in range(2 if are_same else 4)
            ]
            graph = make.graph(make("multiply", make("add", *relus[:2]), make("subtract", *relus[-2:])))
            self.assertEqual(merged(graph, *fusions), expected)

    def test_batch_norm_merge(self):
        make, x, (var, mean, beta, gamma) = BatchNorm.vars()
        positive = make("multiply", var, var)
        graph = make.graph(make("nn.relu", make("nn.batch_norm", x, gamma, beta, mean, positive)))
        self.assertEqual(merged(graph, ("mine.bn_relu", op("nn.relu")(op("nn.batch_norm")))), ["mine.bn_relu"])

    def conv_merged_where(self, holds):
        make, x, w, b = conv_vars()
        graph = make.graph(make("nn.relu", make("nn.bias_add", make("nn.conv2d", x, w), b)))
        refuse = unless(lambda match: holds(match["conv"]), "not this one")
        return merged(graph, ("mine.conv_bias_relu", conv_bias_relu(), refuse))

    def test_pattern_with_check(self):
        self.assertEqual(self.conv_merged_where(lambda conv: conv.attributes["groups"] == 4), [])
        self.assertEqual(self.conv_merged_where(lambda conv: conv.attributes["groups"] == 1), ["mine.conv_bias_relu"])

    def test_type_check(self):
        self.assertEqual(self.conv_merged_where(lambda conv: conv.shape[0] != 1), [])
        self.assertEqual(self.conv_merged_where(lambda conv: conv.shape[0] == 1), ["mine.conv_bias_relu"])

    def test_diamond_not_merge(self):
        make, x, w, b = conv_vars()
        relu = make("nn.relu", make("nn.bias_add", make("nn.conv2d", x, w), b))
        clip = make("clip", make("add", relu, np.float32(1)))
        conv = conv_bias_relu()
        graph = make.graph(make("multiply", relu, clip))
        self.assertEqual(merged(graph, ("mine.pat", conv * op("clip")(conv))), [])


def lab_fusions():
    """The AI-on-Chip lab's."""
    deq, quant = op("qnn.dequantize"), op("qnn.quantize")
    conv, dense = (
        op("nn.bias_add")(op(name)(deq, op("qnn.dequantize")), op("qnn.dequantize"))
        for name in ("nn.conv2d", "nn.dense")
    )
    relu = op("nn.relu")
    return [
        Fusion("qconv2d_relu_maxpool", op("nn.max_pool2d")(quant(relu(conv)))),
        Fusion("qconv2d_relu", quant(relu(conv))),
        Fusion("qlinear_relu", quant(relu(dense))),
        Fusion("qlinear", quant(dense)),
        Fusion("flatten", op("reshape")),
        Fusion("quantize", quant),
        Fusion("dequantize", deq),
    ]


SWISH = """fn (%x: Tensor[(1, 8, 4, 4), float32] from "x") {
  %s = sigmoid(%x) from "sigmoid"
  %m = multiply(%x, %s) from "swish"
  %p = nn.global_avg_pool2d(%m) from "pool"
  %y = nn.softmax(%p, axis=1) from "softmax"
  return %y }"""


def swish():
    x = wildcard()
    return x * op("sigmoid")(x)


class FusionsTest(unittest.TestCase):
    """Fusions of whole networks."""

    def test_the_labs_patterns_give_the_compilers_own_code(self):
        plain, net = fovea.compile(VGG8), fovea.compile(VGG8, fusions=lab_fusions())
        self.assertEqual(net.source, plain.source)
        self.assertEqual((net.folder / "weight.bin").read_bytes(), (plain.folder / "weight.bin").read_bytes())
        self.assertEqual(net.predicted_cycles, plain.predicted_cycles)
        self.assertEqual([each.why for each in net.fusions], 11 * [""])

    def test_passes_and_fusions_keep_the_answers(self):
        x = wildcard()

        @fovea.graph_pass(after="import")
        def no_plus_zero(graph):
            return rewrite(x + is_constant(0), lambda builder, found: found[x], graph)

        @fovea.graph_pass(after="settle-signs")
        def relu_once(graph):
            return rewrite(
                op("nn.relu")(op("nn.relu")(x)), lambda builder, found: builder.call("nn.relu", found[x]), graph
            )

        @fovea.graph_pass(after="move-layout")
        def copies(graph):
            return graph.rewrite(lambda builder, node, inputs: None)

        context = fovea.PassContext(added=[no_plus_zero, relu_once, copies])
        for model in ("resnet8_cifar10.onnx", "resnet8_cifar10_float.onnx"):
            plain = fovea.compile(fovea.model(model), target="cpu")
            fusions = [*lab_fusions()[:4], Fusion("mine.swish", swish())]
            net = fovea.compile(fovea.model(model), target="cpu", passes=context, fusions=fusions)
            np.testing.assert_array_equal(net.run(DEER).output, plain.run(DEER).output)
        swish_why = "nothing matches; the graph has no multiply, no sigmoid"
        self.assertIn(("mine.swish", "", swish_why), net.fusions)

    def test_a_fusion_of_ones_own_is_one_nest(self):
        graph = ir.parse(SWISH)
        x = np.linspace(-4, 4, 128, dtype=np.float32).reshape(8, 4, 4)
        net = fovea.compile(graph, target="cpu", fusions=[Fusion("mine.swish", op("nn.global_avg_pool2d")(swish()))])
        self.assertEqual([layer.kind for layer in net.layers][0], "mine.swish")
        self.assertEqual(len(net.layers), 2)
        np.testing.assert_allclose(net.run(x).output.ravel(), graph.run(x[None])[0].ravel(), rtol=1e-6)

    def test_an_integer_layer_of_ones_own_name_runs_on_the_accelerator(self):
        conv = lab_fusions()[1]
        net = fovea.compile(VGG8, fusions=[Fusion("mine.conv", conv.pattern)])
        layers = [layer for layer in net.layers if layer.kind == "mine.conv"]
        self.assertEqual([layer.name for layer in layers if layer.on_device], [f"conv{i}" for i in range(1, 6)])

    def test_layers_at_the_ends_have_names_of_their_own(self):
        fusions = [Fusion("mine.quantize", op("qnn.quantize")(is_input())), Fusion("mine.pool", op("nn.max_pool2d"))]
        net, plain = (fovea.compile(VGG8, target="cpu", fusions=each) for each in (fusions, []))
        self.assertEqual((net.layers[0].name, net.layers[0].kind), ("mine_quantize", "mine.quantize"))
        self.assertEqual([layer.kind for layer in net.layers].count("mine.pool"), 3)
        np.testing.assert_array_equal(net.run(DEER).output, plain.run(DEER).output)

    def test_what_is_left_out_says_why(self):
        refuse = unless(lambda match: match.root.shape[1] >= 300, "a small one")
        fusions = [Fusion("mine.conv", lab_fusions()[1].pattern, refuse), Fusion("qlinear", lab_fusions()[1].pattern)]
        net = fovea.compile(VGG8, fusions=fusions)
        self.assertEqual(net.fusions[0], ("mine.conv", "conv3/quantize", ""))
        self.assertEqual(net.fusions[1], ("mine.conv", "conv1/quantize", "a small one"))
        self.assertRegex(net.fusions[2].why, "^qnn.dequantize, .* is not what dla.qlinear computes$")
        self.assertEqual(len(net.fusions), 9)
        graph = fovea.PassContext(fusions=fusions).run(ir.load(VGG8), "merge-composites")
        notes = [node.note for node in graph if node.kind == "composite" and node.note]
        self.assertEqual(len(notes), 4)
        self.assertRegex(notes[0], "^not mine.conv: a small one; not qlinear: ")
        self.assertIn('note="not mine.conv: a small one', graph.text)

    def test_no_layer_computes_it(self):
        graph = ir.parse(SWISH)
        twice = op("nn.softmax")(op("nn.global_avg_pool2d")(swish()))
        net = fovea.compile(graph, target="cpu", fusions=[Fusion("mine.head", twice)])
        x = np.ones((8, 4, 4), np.float32)
        plain = fovea.compile(graph, target="cpu")
        np.testing.assert_array_equal(net.run(x).output, plain.run(x).output)
        if net.fusions[0].why:
            self.assertRegex(net.fusions[0].why, "no layer computes")

    def test_a_saved_graph_with_composites_compiles(self):
        fusion = Fusion("mine.swish", swish())
        graph = fovea.PassContext(fusions=[fusion]).run(ir.parse(SWISH), "merge-composites")
        self.assertIn("mine.swish", [layer.kind for layer in fovea.compile(graph, target="cpu").layers])
        cut = fusion.pattern.partition(ir.parse(SWISH), "mine.swish")
        self.assertIn("mine.swish", [layer.kind for layer in fovea.compile(cut, target="cpu").layers])

    def test_captures_are_the_matchs(self):
        w = wildcard()
        seen = []
        pattern = op("nn.conv2d")(wildcard().named("x"), w).where(lambda match: seen.append(match) or "x" in match)
        make, x, weights, _ = conv_vars()
        match = pattern.match(make("nn.conv2d", x, weights))
        self.assertEqual((match["x"], match[w], match.names), (x, weights, ["x"]))
        with self.assertRaisesRegex(fovea.UsageError, r'match\["y"\]: nothing of this name was matched; there is x'):
            match["y"]
        with self.assertRaisesRegex(fovea.UsageError, "never finished"):
            seen[0]["x"].shape


def compile_swish(fusions, folder=None):
    return fovea.compile(ir.parse(SWISH), target="cpu", fusions=fusions, folder=folder)


class CommandLineTest(unittest.TestCase):
    """python3 -m fovea net -o folder --extend mine.py."""

    MINE = """import fovea
from fovea.patterns import op, wildcard
x = wildcard()
FUSIONS = [fovea.Fusion("mine.swish", x * op("sigmoid")(x))]
@fovea.graph_pass(after="import")
def nothing(graph):
    print("ran")
    return graph
"""

    def run_with(self, mine):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "net.fovea").write_text(SWISH)
            Path(folder, "mine.py").write_text(mine)
            command = [
                sys.executable,
                "-m",
                "fovea",
                "net.fovea",
                "-o",
                "net",
                "--target",
                "cpu",
                "--extend",
                "mine.py",
            ]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            return done, Path(folder, "net/model.c").exists()

    def test_extends_the_compiler(self):
        done, is_written = self.run_with(self.MINE)
        self.assertEqual((done.returncode, is_written), (0, True), done.stderr)
        self.assertRegex(done.stdout, r"^ran\nswish +mine.swish +cpu\n(.*\n)+mine.swish at swish: fused\n$")

    def test_names_what_is_wrong(self):
        for mine, message in (
            ("x = 1\n", "--extend mine.py: it has no pass, fusion, operator or target"),
            (self.MINE.replace("sigmoid", "sigmoyd"), r"did you mean sigmoid\? \(.*mine.py:4\)"),
        ):
            done, is_written = self.run_with(mine)
            self.assertEqual((done.returncode, is_written), (2, False))
            self.assertRegex(done.stderr, message)
            self.assertEqual(done.stderr.count("\n"), 1)


class MistakesTest(unittest.TestCase):
    """One message each, with this file and the line."""

    def assertRefused(self, message, call, *arguments, error=fovea.UsageError):
        with self.assertRaises(error) as raised:
            call(*arguments)
        text = "\n".join([str(raised.exception), *getattr(raised.exception, "__notes__", [])])
        self.assertRegex(text, message)
        self.assertRegex(text, r"patterns_test\.py:\d+")

    def test_patterns(self):
        conv = op("nn.conv2d")
        rows = [
            (r"^op=nn.conv: there is no such operator; .*did you mean nn.conv2d\?", lambda: op("nn.conv")),
            (r"^nn.relu: 2 inputs, so the pattern can never match; it has 1: x", lambda: op("nn.relu")(conv, conv)),
            (
                r"^stride: nn.conv2d has no such attribute, so the pattern can never",
                lambda: conv.has_attr(stride=[1, 1]),
            ),
            (r"^strides=2: give a list of integers", lambda: conv.has_attr(strides=2)),
            (r"no operator has such attributes", lambda: wildcard().has_attr(stride=1)),
            (r"^dtype=float16: unknown; float32", lambda: wildcard().has_dtype("float16")),
            (r"'x' is no pattern; wildcard\(\)", lambda: op("nn.relu")("x")),
            (r"^chain: .* is no operator by itself", lambda: chain(wildcard(), conv)),
            (r"^optional: .* made 3", lambda: conv.optional(lambda it: 3)),
            (r"^a predicate: takes \(\), .*; it is called with a match", lambda: conv.where(lambda: True)),
            (r"^a pattern can't be pickled; give the network a folder", lambda: pickle.dumps(Fusion("mine.x", conv))),
            (r"^partition: the pattern's result is no operator", lambda: wildcard().partition(ir.parse(SWISH))),
        ]
        for message, call in rows:
            with self.subTest(message):
                self.assertRefused(message, call)

    def test_fusions(self):
        relu = op("nn.relu")
        rows = [
            (r"^fusion my conv: no name of a composite; letters", lambda: Fusion("my conv", relu)),
            (r"^fusion dla.qconv2d_rely: .*did you mean dla.qconv2d_relu", lambda: Fusion("dla.qconv2d_rely", relu)),
            (r"^fusion mine.x: 3 is no pattern", lambda: Fusion("mine.x", 3)),
            (r"^fusion mine.x: the pattern's result is no operator", lambda: Fusion("mine.x", wildcard())),
            (r"^refuse of mine.x: takes \(a, b\), ", lambda: Fusion("mine.x", relu, lambda a, b: None)),
        ]
        for message, call in rows:
            with self.subTest(message):
                self.assertRefused(message, call)

    def test_functions_that_fail_while_a_network_is_compiled(self):
        def fails(match):
            return match["x"]

        rows = [
            (r"^refuse of mine.x: returned True, .*; return a sentence, or None", swish(), lambda match: True),
            (r"^refuse of mine.x: returned '', ", swish(), lambda match: ""),
            (r'^match\["x"\]: nothing of this name was matched\nraised in refuse of mine.x, ', swish(), fails),
            (r"^a predicate: returned None, .*; return True or False", swish().where(lambda match: None), None),
        ]
        for message, pattern, refuse in rows:
            with self.subTest(message), tempfile.TemporaryDirectory() as folder:
                fusions = [Fusion("mine.x", pattern, refuse)]
                self.assertRefused(message, compile_swish, fusions, f"{folder}/net")
                self.assertEqual(os.listdir(folder), [], "nothing half-written")

        def divides(match):
            return 1 / (match.root.shape[0] - 1) > 0

        fusions = [Fusion("mine.x", swish().where(divides))]
        self.assertRefused(
            r"division by zero\nraised in a predicate, ", compile_swish, fusions, error=ZeroDivisionError
        )

    def test_rewrites(self):
        graph = ir.parse(SWISH)

        def again(builder, found):
            return builder.copy(found["all"], found["all"].inputs)

        rows = [
            (r"^rewrite: the pattern still matches after 100 rounds, ", again, fovea.UsageError),
            (
                r"^a rewrite's callback: returned 3, .*; return a node of the builder, or None",
                lambda b, f: 3,
                fovea.UsageError,
            ),
            (r"^a rewrite's callback: takes \(builder\), ", lambda builder: None, fovea.UsageError),
            (r"division by zero\nraised in a rewrite's callback, ", lambda b, f: 1 / 0, ZeroDivisionError),
        ]
        for message, callback, error in rows:
            with self.subTest(message):
                self.assertRefused(message, lambda: rewrite(op("sigmoid").named("all"), callback, graph), error=error)


class TableTest(unittest.TestCase):
    def test_lists_at_least_sixty_tests_of_tvm(self):
        rows = re.findall(r"^ {4}(test_\w+) +(test_\w+)", __doc__, re.M)
        here = {
            name
            for each in (TvmPatternsTest, TvmRewriteTest, TvmMergeCompositeTest)
            for name in dir(each)
            if name.startswith("test_")
        }
        self.assertEqual(sorted(ours for _, ours in rows), sorted(here))
        self.assertGreaterEqual(len({theirs for theirs, _ in rows}), 60)


if __name__ == "__main__":
    unittest.main()
