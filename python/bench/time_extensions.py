#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the processor time, in ms, that a network takes to compile: as it is, with three passes and eight fusions in
Python, and the second by the first. The fusions leave what they match out, so that the network stays the same. Medians
of TURNS processes of each, which take turns; the C compiler is not counted.

    python/bench/time_extensions.py MODEL [TARGET]
"""
import statistics
import subprocess
import sys
import tempfile
import time

import fovea
from fovea import patterns
from fovea.patterns import Fusion, is_constant, op, wildcard

TURNS = 5


@fovea.graph_pass(after="import")
def look(graph):
    """Each node's attributes, shape and readers."""
    assert sum(len(node.attributes) + len(node.shape) + len(node.users) for node in graph) > 0
    return graph


@fovea.graph_pass(after="fold-batch-norm")
def no_relu_twice(graph):
    """ReLU of a ReLU is one."""

    def once(_builder, node, inputs):
        return inputs[0] if node.op == "nn.relu" and node.inputs[0].op == "nn.relu" else None

    return graph.rewrite(once)


@fovea.graph_pass(after="eliminate-dead-code")
def hard_swish(graph):
    """x * hard_sigmoid(x) is one operator."""
    x = wildcard()
    swish = op("multiply")(x.named("x"), op("sigmoid")(x))
    return patterns.rewrite(swish, lambda builder, found: builder.call("hard_swish", found["x"]), graph)


def quantized(value):
    return op("qnn.quantize")(value)


def leave_out(match):
    return f"{len(match.nodes)} nodes"


def fusions():
    """The lab's, and four that seldom match."""
    data, weights, bias = (op("qnn.dequantize")(wildcard()) for _ in range(3))
    conv = op("nn.bias_add")(op("nn.conv2d")(data, weights), bias)
    dense = op("nn.bias_add")(op("nn.dense")(data, weights), bias)
    square = wildcard()
    return [
        Fusion("mine.conv_pool", op("nn.max_pool2d")(quantized(op("nn.relu")(conv))), leave_out),
        Fusion("dla.qconv2d_relu", quantized(op("nn.relu")(conv)), leave_out),
        Fusion("dla.qconv2d", quantized(conv), leave_out),
        Fusion("dla.qlinear", quantized(dense), leave_out),
        Fusion("mine.square", square * square),
        Fusion("mine.log_softmax", op("log")(op("nn.softmax")(wildcard()))),
        Fusion("mine.scaled", op("multiply", "divide")(op("exp", "tanh")(wildcard()), is_constant())),
        Fusion("mine.shrink", op("subtract")(op("nn.relu")(wildcard()), op("nn.relu")(wildcard()))),
    ]


def compile_once(model, target, is_extended):
    """Processor seconds, of this process only."""
    options = {"passes": fovea.PassContext(added=[look, no_relu_twice, hard_swish]), "fusions": fusions()}
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        fovea.compile(model, target=target, folder=folder, **(options if is_extended else {}))
        return time.process_time() - begin


def main(model, target="dla", how=""):
    if how:
        print(compile_once(model, target, how == "extended"))
        return
    times = {"plain": [], "extended": []}
    for _ in range(TURNS):
        for each, seconds in times.items():
            words = [sys.executable, "-B", __file__, model, target, each]
            seconds.append(float(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
    plain, extended = (1e3 * statistics.median(seconds) for seconds in times.values())
    print(f"{plain:.0f} {extended:.0f} {extended / plain:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
