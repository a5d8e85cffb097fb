#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The least cycles that networks can take on machines: roofs.py MODEL.onnx...

A layer takes as long as the largest of MACs / PEs, bytes read / bus, bytes written / bus and outputs / psum lanes, each
tensor moved once. A max-pool behind a convolution is part of it: outputs count before the pool, what is written behind
it; so is an addition, of which only the other operand is read. A concatenation moves nothing. Parameters of a filter
are a bias of 4 bytes, and a scale of 4 where each has its own. All of this is read off the network's own operators and
shapes.
"""
import dataclasses
import json
import math
import pathlib
import sys

import onnx
from onnx import shape_inference

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "sim/spec/machines"
PARAMETER_BYTES = 4
PRODUCTS = ("Conv", "Gemm", "MatMul")
PASSES = ("GlobalAveragePool", "AveragePool", "ReduceMean", "LayerNormalization")  # over a tensor, by themselves
SAME_ELEMENTS = (
    "QuantizeLinear",
    "DequantizeLinear",
    "Relu",
    "Clip",
    "Flatten",
    "Reshape",
    "Transpose",
    "Squeeze",
    "Unsqueeze",
    "Identity",
    "Softmax",
    "Gelu",
    "Mul",  # by a number
)


@dataclasses.dataclass
class Layer:
    """riders: of each pool and addition that is part of it, by name, the bytes that it reads and writes for its sake;
    what a pool saves is below 0."""

    name: str
    macs: int
    read: int
    written: int
    outputs: int
    is_convolution: bool = False
    riders: dict = dataclasses.field(default_factory=dict)

    def cycles(self, machine):
        pes = machine["rows"] * machine["cols"]
        return max(
            self.macs / pes,
            self.read / machine["bus_bytes"],
            self.written / machine["bus_bytes"],
            self.outputs / machine["psum_lanes"],
        )

    def take(self, name, read, written):
        """Makes a pool or an addition part of it."""
        self.riders[name] = (read, written)
        self.read, self.written = self.read + read, self.written + written

    def without(self, names):
        """The layer without those of its riders that are among these names."""
        read, written = (sum(self.riders[name][way] for name in self.riders if name in names) for way in (0, 1))
        return dataclasses.replace(self, read=self.read - read, written=self.written - written)


def name_of(node):
    """As foveac calls it: by what it makes, where it has no name."""
    return node.name or node.output[0]


def infer_shapes(model):
    """The graph with the shapes of its values. Debian's onnx is older than Gelu, which is as a Relu here."""
    known = onnx.ModelProto()
    known.CopyFrom(model)
    for node in known.graph.node:
        node.op_type = "Relu" if node.op_type == "Gelu" else node.op_type
    return shape_inference.infer_shapes(known).graph


class _Reader:
    """Visits operators in order. producers: of a value, the layers that make its elements, several where they were
    concatenated."""

    def __init__(self, model):
        graph = infer_shapes(model)
        self.constants = {t.name: t for t in graph.initializer}
        self.shapes = {
            v.name: [max(1, d.dim_value) for d in v.type.tensor_type.shape.dim]
            for v in (*graph.value_info, *graph.input, *graph.output)
        }
        self.sizes = {name: math.prod(shape) for name, shape in self.shapes.items()}
        self.nodes, self.layers, self.producers, self.readers, self.scales = graph.node, [], {}, {}, {}
        for node in graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        for node in graph.node:
            self.visit(node)

    def visit(self, node):
        x, y = node.input[0] if node.input else None, node.output[0]
        if node.op_type in PRODUCTS and self.weights_shape(node.input[1]):
            self.add(node, self.product(node))
        elif node.op_type == "MatMul":
            read = sum(self.sizes[name] for name in node.input)
            self.add(node, Layer(name_of(node), self.sizes[y] * self.shapes[x][-1], read, self.sizes[y], self.sizes[y]))
        elif node.op_type in PASSES:
            self.add(node, Layer(name_of(node), 0, self.sizes[x], self.sizes[y], self.sizes[y]))
        elif node.op_type == "MaxPool":
            self.pool(node)
        elif node.op_type == "Add":
            self.join(node)
        elif node.op_type == "Concat":
            self.producers[y] = [layer for name in node.input for layer in self.producers.get(name, [])]
        elif node.op_type in SAME_ELEMENTS:
            self.producers[y] = self.producers.get(x, [])
            if x in self.constants:
                self.constants[y] = self.constants[x]
                self.scales[y] = (
                    math.prod(self.constants[node.input[1]].dims)
                    if node.op_type == "DequantizeLinear"
                    else self.scales.get(x, 1)
                )
        elif x is not None and x not in self.constants:
            raise ValueError(f"{name_of(node)}: operator {node.op_type} has no roof here")

    def add(self, node, layer):
        self.layers.append(layer)
        self.producers[node.output[0]] = [layer]

    def weights_shape(self, name):
        return self.constants[name].dims if name in self.constants else None

    def product(self, node):
        shape, outputs = self.weights_shape(node.input[1]), self.sizes[node.output[0]]
        weights = math.prod(shape)
        filters = (
            shape[0] if node.op_type == "Conv" or any(a.name == "transB" and a.i for a in node.attribute) else shape[1]
        )
        parameters = PARAMETER_BYTES * filters * (2 if self.scales.get(node.input[1], 1) > 1 else 1)
        macs = outputs * weights // filters
        return Layer(
            name_of(node),
            macs,
            self.sizes[node.input[0]] + weights + parameters,
            outputs,
            outputs,
            node.op_type == "Conv",
        )

    def is_read_once(self, name):
        """Whether one operator reads the value, however it is dressed; name is what the operator reads."""
        while True:
            maker = next((n for n in self.nodes if name in n.output), None)
            if len(self.readers.get(name, [])) != 1:
                return False
            if maker is None or maker.op_type not in SAME_ELEMENTS:
                return maker is not None
            name = maker.input[0]

    def pool(self, node):
        x, y = node.input[0], node.output[0]
        producers = self.producers.get(x, [])
        if producers and self.is_read_once(x) and all(layer.is_convolution for layer in producers):
            for layer in producers:
                layer.take(name_of(node), 0, layer.written * self.sizes[y] // self.sizes[x] - layer.written)
            self.producers[y] = producers
        else:
            self.add(node, Layer(name_of(node), 0, self.sizes[x], self.sizes[y], self.sizes[y]))

    def join(self, node):
        if any(name in self.constants for name in node.input):  # a bias
            value = next(name for name in node.input if name not in self.constants)
            self.producers[node.output[0]] = self.producers.get(value, [])
            return
        size = self.sizes[node.output[0]]
        made_here = [
            self.producers[name]
            for name in node.input
            if len(self.producers.get(name, [])) == 1 and self.is_read_once(name)
        ]
        carriers = [producers for producers in made_here if producers[0].is_convolution]
        if carriers:  # The longer one has more time to read the other operand.
            self.producers[node.output[0]] = max(carriers, key=lambda producers: producers[0].macs)
            self.producers[node.output[0]][0].take(name_of(node), size, 0)
        else:
            self.add(node, Layer(name_of(node), 0, 2 * size, size, size))


def read_layers(path):
    return _Reader(onnx.load(path)).layers


def read_machine(name):
    return json.loads((MACHINES / f"{name}.json").read_text())


def main(paths):
    if not paths:
        sys.exit("usage: roofs.py MODEL.onnx...")
    machines = {path.stem: read_machine(path.stem) for path in sorted(MACHINES.glob("*.json"))}
    print("| network | M MACs | " + " | ".join(machines) + " |")
    print("|---|---|" + "---|" * len(machines))
    for path in paths:
        layers = read_layers(path)
        macs, cells = sum(layer.macs for layer in layers), []
        for machine in machines.values():
            cycles = sum(layer.cycles(machine) for layer in layers)
            cells.append(f"{cycles / 1e6:.3f} M, {100 * macs / machine['rows'] / machine['cols'] / cycles:.1f} %")
        print(f"| {pathlib.Path(path).stem} | {macs / 1e6:.1f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
