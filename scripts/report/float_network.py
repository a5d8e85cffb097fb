# SPDX-License-Identifier: Apache-2.0
"""A float network's nodes, as `foveac --stop-after=fold-batch-norm` prints them, and its layers: products with what belongs to them."""
import dataclasses
import re

_NODE = re.compile(r'^ *%(\d+) = ([\w.]+)\((.*)\) : .* from "(.*)"$', re.M)
_PRODUCTS = ("nn.conv2d", "nn.dense")
_FOLLOWERS = ("nn.relu", "clip")  # What is computed with the product before it.


@dataclasses.dataclass(frozen=True)
class FloatLayer:
    """A convolution or fully connected layer."""
    name: str    # Its ONNX node's.
    nodes: list  # ONNX nodes that are quantized with it: its own, and a ReLU's or Clip's that alone reads it.


def read_nodes(text):
    """[(value, operator, values that it reads, ONNX node)] of an IR's text; constants are none."""
    return [(number, operator, re.findall(r"%(\d+)", read), node) for number, operator, read, node in _NODE.findall(text)]


def find_nodes(text):
    """Names of all nodes, in order, each once."""
    return list(dict.fromkeys(node for _, _, _, node in read_nodes(text)))


def find_layers(text):
    nodes = read_nodes(text)

    def readers(value):
        return [one for one in nodes if value in one[2]]
    layers = []
    for value, operator, _, node in nodes:
        if operator not in _PRODUCTS:
            continue
        names = [node]
        while len(readers(value)) == 1 and (readers(value)[0][3] == node or readers(value)[0][1] in _FOLLOWERS):
            value, _, _, name = readers(value)[0]
            names.append(name)
        layers.append(FloatLayer(node, list(dict.fromkeys(names))))
    return layers
