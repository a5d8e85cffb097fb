# SPDX-License-Identifier: Apache-2.0
"""The compiler's graphs: read, built, rewritten and compiled.

A Graph is a list of nodes; a node's inputs come before it. Graphs never change: what changes one makes another.

>>> from fovea import ir
>>> graph = ir.load(fovea.model("vgg8_cifar10_power2.onnx"))
>>> graph.inputs
[<Node %0 input: Tensor[(1, 3, 32, 32), float32], input>]
>>> conv = next(node for node in graph if node.op == "nn.conv2d")
>>> conv.shape, conv.dtype, conv.attributes["pads"], [node.op for node in conv.inputs]
((1, 64, 32, 32), 'float32', [1, 1, 1, 1], ['qnn.dequantize', 'qnn.dequantize'])
"""
import os
from collections.abc import Sequence
from typing import Optional

from . import _fovea
from ._fovea import Builder, Graph, Node, Quantization
from .errors import choose
from .externs import Extern, natives as extern_natives
from .inputs import FilePath
from .operators import Operator, natives as operator_natives

__all__ = ["Builder", "Graph", "Node", "Quantization", "load", "operators", "parse"]

operators = dict(_fovea.operators)  #: By name: the names of its inputs, and of its attributes, which must all be given.


def load(
    path: FilePath,
    *,
    shapes: Optional[dict[str, Sequence[int]]] = None,
    batch: int = 0,
    exact_to: str = "integers",
    externs: Sequence[Extern] = (),
    operators: Sequence[Operator] = (),  # pylint: disable=redefined-outer-name
) -> Graph:
    """The graph of an ONNX file, before the first pass, or of a file that `Graph.save` wrote.

    shapes, batch, exact_to, externs, operators: as `fovea.compile` takes them. Raises NetworkError naming what can't be
    read. A node that can't be converted is a call of "unsupported", whose attribute `why` says why.
    """
    sizes = {name: list(shape) for name, shape in (shapes or {}).items()}
    is_ort = choose("exact_to", exact_to, ("integers", "ort")) == "ort"
    return _fovea.load_graph(
        os.fspath(path), sizes, batch, is_ort, extern_natives(externs), operator_natives(operators)
    )


def parse(
    text: str,
    name: str = "text",
    folder: FilePath = ".",
    operators: Sequence[Operator] = (),  # pylint: disable=redefined-outer-name
) -> Graph:
    """The graph that a text says, in the form of `Graph.text`. name: for messages. folder: where its files of constants
    are. operators: yours that it calls. Raises NetworkError naming the line.

    >>> graph = parse('fn (%x: Tensor[(1, 4), float32]) { %y = nn.relu(%x) from "act"  return %y }')
    >>> graph.outputs
    [<Node %1 nn.relu: Tensor[(1, 4), float32], act>]
    >>> parse("fn (%x: Tensor[(4,), int8]) { return %y }", "mine")
    Traceback (most recent call last):
    ...
    fovea.errors.NetworkError: mine:1: there is no value %y before this line
    """
    return _fovea.parse_graph(text, name, os.fspath(folder), operator_natives(operators))
