# SPDX-License-Identifier: Apache-2.0
"""A quantized network, and how it is cut: up to a value, from one on, and down to the operators that make it fail."""
import copy

from node import Input, given


class Network:
    """nodes, in an order in which they can run; outputs, some of them, which are dequantized to float32."""

    def __init__(self, nodes, outputs):
        self.nodes, self.outputs = nodes, outputs

    def inputs(self):
        return [node for node in self.nodes if isinstance(node, Input)]

    def operators(self):
        return [node for node in self.nodes if not isinstance(node, Input)]

    def has(self, *operators):
        return any(isinstance(node, operators) for node in self.nodes)

    def feeds(self):
        """What its float32 inputs are given, by their names."""
        return {node.port: node.data for node in self.inputs()}

    def answers(self):
        """What the formulas say of its outputs, by their names."""
        return {real_name(node): node.real() for node in self.outputs}

    def compute(self):
        """Computes every value again, from the inputs on."""
        for node in self.nodes:
            node.compute()

    def cut(self, outputs, known=()):
        """A copy without what these outputs don't need, and with the values of some nodes as inputs."""
        needed = set(outputs)
        for node in reversed(self.nodes):
            if node in needed and node not in known:
                needed.update(node.inputs)
        copies = {}
        for node in self.nodes:
            if node in needed and node in known and not isinstance(node, Input):
                copies[node] = given(node)
            elif node in needed:
                copies[node] = copy.copy(node)
                copies[node].inputs = [copies[x] for x in node.inputs]
        return Network(list(copies.values()), [copies[node] for node in outputs])

    def one_operator(self, node):
        """A network of one operator, with the values that it reads as inputs."""
        return self.cut([node], node.inputs)

    def describe(self):
        """One line a node."""
        lines = []
        for node in self.nodes:
            flags = " relu" * node.relu + " clip" * bool(node.clip) + " pool" * bool(node.pool)
            of = f" of {', '.join(x.name for x in node.inputs)}" if node.inputs else ""
            quantization = f"scale {node.scale} zero {node.zero_point}"
            lines.append(f"{node.name}{flags} {list(node.shape)} {quantization}{of}{node.details()}")
        return "\n".join([*lines, f"outputs: {' '.join(node.name for node in self.outputs)}"])


def real_name(node):
    """Name of a value in float32, in every form."""
    return f"{node.name}_real"


def cuts(network):
    """Without one of several outputs, or with what it is made of as outputs in its place; with an inner value given
    instead of computed, the latest first."""
    for output in network.outputs:
        others = [node for node in network.outputs if node is not output]
        if others:
            yield network.cut(others)
        before = others + [x for x in dict.fromkeys(output.inputs) if not isinstance(x, Input) and x not in others]
        if before:
            yield network.cut(before)
    for node in reversed(network.operators()):
        if node not in network.outputs:
            yield network.cut(network.outputs, [node])


def size(network):
    return len(network.operators()), len(network.outputs)


def shrink(network, fails):
    """The smallest network that still fails which cuts of this one lead to: an early end, an inner value as an input.
    :param fails: asked some dozen times."""
    ends = (network.cut([node]) for node in network.operators())
    smallest = next(filter(fails, ends), network)  # most of the way in few steps
    while True:
        smaller = (cut for cut in cuts(smallest) if size(cut) < size(smallest) and fails(cut))
        following = next(smaller, None)
        if not following:
            return smallest
        smallest = following
