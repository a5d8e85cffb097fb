# SPDX-License-Identifier: Apache-2.0
"""C for a graph, a piece of text for each operator, from a template. Fields: $y and $x, $a, ... for the result and
what is read, as `fovea.ir.operators` names it; $size for the elements of the result; $rows and $cols for a matrix, the
second input; and each attribute by its name."""
import sys
from pathlib import Path
from string import Template

from fovea import ir

TEMPLATES = {"nn.relu": "for (int i = 0; i < $size; ++i) { $y[i] = $x[i] > 0 ? $x[i] : 0; }"}


def name_of(node):
    return f"input{node.id}" if node.kind == "input" else f"v{node.id}"


def declaration(node):
    """The buffer of a value; of a constant with its elements."""
    if node.kind == "constant":
        values = ", ".join(f"{float(x).hex()}f" for x in node.value.ravel())
        return f"static const float {name_of(node)}[] = {{{values}}};"
    return f"static float {name_of(node)}[{size_of(node)}];"


def size_of(node):
    size = 1
    for each in node.shape:
        size *= each
    return size


def fields_of(node):
    fields = {"y": name_of(node), "size": size_of(node), **node.attributes}
    for name, read in zip(ir.operators[node.op][0], node.inputs):
        fields[name] = name_of(read)
    if len(node.inputs) > 1 and len(node.inputs[1].shape) == 2:
        fields["rows"], fields["cols"] = node.inputs[1].shape
    return fields


def call(node):
    if node.op not in TEMPLATES:
        raise SystemExit(f"codegen.py: {node.origin or node.op}: there is no template for {node.op}")
    return f"  {Template(TEMPLATES[node.op]).substitute(fields_of(node))}  /* {node.origin} */"


def generate(graph):
    [given], [result] = graph.inputs, graph.outputs
    lines = [declaration(node) for node in graph if node.kind != "input"]
    lines.append(f"void model(const float *{name_of(given)}, float *output) {{")
    lines += [call(node) for node in graph if node.kind == "call"]
    lines += [f"  for (int i = 0; i < {size_of(result)}; ++i) {{ output[i] = {name_of(result)}[i]; }}", "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path("model.c").write_text(generate(ir.load(sys.argv[1])))
