#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A backend that knows nothing of Fovea but docs/graph_json.md: computes a graph in JSON with numpy.

    run_graph_json.py graph.json input.f32 output.f32

One float32 input and one float32 output, [N, C, H, W] and [N, C]. Sums are float64, so those of integers are exact."""
import json
import pathlib
import sys

import numpy as np


def read_constant(node, constants):
    """An array of the bytes at the node's offset."""
    elements = constants[node["offset"] : node["offset"] + node["bytes"]]
    return np.frombuffer(elements, node["dtype"]).reshape(node["shape"])


def along_axis(values, axis, rank):
    """One value, or one for each index of an axis, in a shape that broadcasts."""
    return np.reshape(values, [len(values) if i == axis and len(values) > 1 else 1 for i in range(rank)])


def quantize(x, node):
    how = node["quantization"]
    scale = along_axis(np.float32(how["scales"]), how["axis"], x.ndim)
    steps = np.rint(x / scale) + along_axis(how["zero_points"], how["axis"], x.ndim)
    info = np.iinfo(how["dtype"])
    return np.clip(steps, info.min, info.max).astype(how["dtype"])


def dequantize(q, node):
    how = node["quantization"]
    zero_point = along_axis(how["zero_points"], how["axis"], q.ndim)
    return (q.astype(np.int64) - zero_point).astype(np.float32) * along_axis(
        np.float32(how["scales"]), how["axis"], q.ndim
    )


def windows(x, kernel, attributes, fill):
    """[N, C, H, W] to [N, C, E, F, R, S]."""
    top, left, bottom, right = attributes["pads"]
    x = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)], constant_values=fill)
    dilations = attributes["dilations"]
    reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilations)]
    views = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(2, 3))
    strides = attributes["strides"]
    return views[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]


def conv2d(x, w, attributes):
    groups = attributes["groups"]
    parts = [
        np.einsum("nchwrs,mcrs->nmhw", windows(a, w.shape[2:], attributes, 0), b, optimize=True)
        for a, b in zip(np.split(np.float64(x), groups, 1), np.split(np.float64(w), groups, 0))
    ]
    return np.concatenate(parts, 1)


def max_pool2d(x, attributes):
    assert not attributes["ceil_mode"]
    lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
    return windows(x, attributes["kernel"], attributes, lowest).max((4, 5))


OPERATORS = {
    "nn.conv2d": lambda node, x, w: conv2d(x, w, node["attributes"]),
    "nn.dense": lambda node, x, w: np.float64(x) @ np.float64(w).T,
    "nn.bias_add": lambda node, x, b: x + along_axis(b, node["attributes"]["axis"], x.ndim),
    "nn.relu": lambda node, x: np.maximum(x, 0),
    "clip": lambda node, x: np.clip(x, float(node["attributes"]["min"]), float(node["attributes"]["max"])),
    "add": lambda node, a, b: a + b,
    "nn.max_pool2d": lambda node, x: max_pool2d(x, node["attributes"]),
    "nn.global_avg_pool2d": lambda node, x: np.mean(np.float64(x), (2, 3), keepdims=True),
    "reshape": lambda node, x: x.reshape(node["shape"]),
    "qnn.quantize": lambda node, x, scale, zero_point: quantize(x, node),
    "qnn.dequantize": lambda node, q, scale, zero_point: dequantize(q, node),
}


def run(graph, inputs, constants):
    """The outputs of a graph, or of the body of a composite or a region."""
    inputs = iter(inputs)
    values = []
    for node in graph["nodes"]:
        read = [values[place] for place in node.get("inputs", ())]
        if node["kind"] == "input":
            value = next(inputs)
        elif node["kind"] == "constant":
            value = read_constant(node, constants)
        elif node["kind"] == "call":
            value = OPERATORS[node["op"]](node, *read)
        else:
            (value,) = run(node["body"], read, constants)
        assert list(value.shape) == node["shape"], node
        values.append(value)
    return [values[output["node"]] for output in graph["outputs"]]


def main(graph_file, input_file, output_file):
    graph_file = pathlib.Path(graph_file)
    graph = json.loads(graph_file.read_text())
    assert (graph["format"], graph["version"]) == ("fovea-graph", 1)
    constants = (graph_file.parent / graph["constants"]).read_bytes()
    x = np.fromfile(input_file, np.float32).reshape(graph["nodes"][0]["shape"])
    (y,) = run(graph, [x], constants)
    y.astype(np.float32).tofile(output_file)


if __name__ == "__main__":
    main(*sys.argv[1:])
