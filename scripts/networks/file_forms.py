# SPDX-License-Identifier: Apache-2.0
"""Forms of one network that exporters and graph editors write: nodes in any order, and nodes in functions of the
model's own, which call each other."""
import copy
import random

from onnx import AttributeProto, FunctionProto, helper

DOMAIN = "network"


def values(nodes, kind):
    return {name for node in nodes for name in getattr(node, kind) if name}


def lift_attributes(node, call, function):
    """Makes attributes of a node the function's, which the call gives."""
    for attribute in node.attribute:
        if attribute.ref_attr_name or attribute.type not in (AttributeProto.INT, AttributeProto.INTS):
            continue
        name = f"{attribute.name}_{len(function.attribute)}"
        given = copy.deepcopy(attribute)
        given.name = name
        call.attribute.append(given)
        function.attribute.append(name)
        kind = attribute.type
        attribute.CopyFrom(AttributeProto(name=attribute.name, ref_attr_name=name, type=kind))


def move_into_function(model, begin, end):
    """Puts nodes of the graph into a function, which is called in their place."""
    graph = model.graph
    nodes, others = graph.node[begin:end], [*graph.node[:begin], *graph.node[end:]]
    made = values(nodes, "output")
    inputs = sorted(values(nodes, "input") - made)
    outputs = sorted(made & (values(others, "input") | {output.name for output in graph.output}))
    function = FunctionProto(name=f"F{len(model.functions)}", domain=DOMAIN)
    call = helper.make_node(function.name, inputs, outputs, name=function.name, domain=DOMAIN)
    inside = {name: f"i{place}" for place, name in enumerate(inputs)}
    for node in map(copy.deepcopy, nodes):
        node.input[:] = [inside.get(name, name) for name in node.input]
        lift_attributes(node, call, function)
        function.node.append(node)
    function.input.extend(inside.values())
    function.output.extend(outputs)
    function.opset_import.extend(model.opset_import)
    model.functions.append(function)
    del graph.node[begin:end]
    graph.node.insert(begin, call)


def mix(model, seed):
    """Moves nodes into functions, some of these into further ones, and shuffles what is left."""
    draw = random.Random(seed)
    model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    for _ in range(len(model.graph.node) // 4):
        begin = draw.randrange(len(model.graph.node))
        move_into_function(model, begin, min(begin + draw.randint(1, 4), len(model.graph.node)))
    nodes = list(model.graph.node)
    draw.shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model
