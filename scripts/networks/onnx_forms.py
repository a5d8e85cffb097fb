# SPDX-License-Identifier: Apache-2.0
"""A quantized network as ONNX: as float operators between QuantizeLinear and DequantizeLinear (QDQ), as operators on
8-bit values (QOperator: nothing left for an optimizer to decide), or as the float network that it would be of. Either
quantized form with uint8 or int8 activations: values and zero points less 128."""
import numpy as np
import onnx
from model_builder import ModelBuilder
from network import real_name
from node import Input

FORMS = ("qdq", "qoperator", "qdq_int8", "qoperator_int8", "float")
QUANTIZED_FORMS = FORMS[:4]


class Form(ModelBuilder):
    """What the operators write with."""

    def __init__(self, network, form):
        super().__init__()
        self.is_qoperator, self.is_int8 = form.startswith("qoperator"), form.endswith("int8")
        self.is_float, self.output_nodes = form == "float", network.outputs
        for node in network.nodes:
            self.write(node)
        for node in network.outputs:
            self.write_output(node)

    def call(self, node, op, inputs, domain="", **attributes):
        """Adds the operator that a node is called after."""
        return self.node(op, inputs, f"{node.name}_out", node.name, domain, **attributes)

    def need_opset(self, opset):
        """Writes the network in that opset at least."""
        self.opset = max(self.opset, opset)

    def activation(self, elements, name):
        """... of uint8 elements, as the form's type has them."""
        elements = np.asarray(elements)
        return self.constant((elements.astype(np.int16) - 128).astype(np.int8) if self.is_int8 else elements, name)

    def scale(self, of, scale, zero_point):
        """Names of an activation's scale and zero point."""
        return [self.constant(scale, f"{of}_scale"), self.activation(np.uint8(zero_point), f"{of}_zero_point")]

    def quantization(self, node):
        return self.scale(node.name, node.scale, node.zero_point)

    def triple(self, node, name):
        """Names of a value on 8 bits, its scale and zero point."""
        return [name, *self.quantization(node)]

    def triples(self, node, names):
        """... of all that a node reads."""
        return [word for x, name in zip(node.inputs, names) for word in self.triple(x, name)]

    def parameter(self, name, array, scales, zero_point=None):
        """Names of integers around 0, their scales and zero points: scalars, or one a filter.
        :param zero_point: 0 of the array's type, or another of the type in which they are written."""
        scales = scales[0] if len(scales) == 1 else scales
        zero_point = array.dtype.type(0) if zero_point is None else zero_point
        zero_points = np.full(np.shape(scales), zero_point)
        return [
            self.constant((array + zero_point.astype(np.int32)).astype(zero_point.dtype), name),
            self.constant(scales, f"{name}_scale"),
            self.constant(zero_points, f"{name}_zero_point"),
        ]

    def float_parameter(self, name, array, scales, axis, zero_point=None):
        """Name of the same as float32; its filters are along `axis`."""
        if self.is_float:
            column = np.reshape(scales, [-1 if i == axis else 1 for i in range(array.ndim)])
            return self.constant((array * column).astype(np.float32), name)
        return self.node("DequantizeLinear", self.parameter(name, array, scales, zero_point), f"{name}_real", axis=axis)

    def dequantized(self, node, suffix=""):
        """Name of a value in float32, which is dequantized once under each suffix."""
        name = real_name(node) + suffix
        if self.is_float:
            return real_name(node)
        if name not in self.names:
            self.names.add(name)
            self.dequantize(node, name)
        return name

    def dequantize(self, node, name):
        self.node("DequantizeLinear", self.triple(node, node.name), name)

    def write_output(self, node):
        self.output(self.dequantized(node), node.shape)

    def write(self, node):
        if isinstance(node, Input):
            self.quantize(node, self.write_input(node))
        elif not self.is_float and (self.is_qoperator and node.has_uint8() or node.is_on_integers):
            self.write_uint8(node)
        else:
            self.write_float(node)

    def write_input(self, node):
        """Returns the name of its float32 numbers."""
        self.input(node.port, node.shape)
        return node.port

    def quantize(self, node, real):
        if not self.is_float:
            self.node("QuantizeLinear", [real, *self.quantization(node)], node.name, f"{node.name}/quantize")
        elif node.inputs and real not in map(real_name, node.inputs):  # the last node makes it
            self.nodes[-1].output[0] = real_name(node)
        else:
            self.node("Identity", [real], real_name(node), f"{node.name}/identity")

    def write_uint8(self, node):
        for x in node.inputs:
            # Where QDQ form dequantizes it for this node, an output is made at the same place among the calls.
            if x in self.output_nodes and not node.is_on_integers:
                self.dequantized(x)
        result = node.write_uint8(self, [x.name for x in node.inputs])
        if node.relu:
            result = self.node("Clip", [result, self.quantization(node)[1]], f"{node.name}_relu", f"{node.name}/relu")
        if node.clip:
            self.write_clip(node, result, self.activation, node.clip_elements())
        self.write_pool(node)
        self.nodes[-1].output[0] = node.name

    def write_float(self, node):
        suffix = "" if node.shares_dequantize else f"_for_{node.name}"
        result = node.write_float(self, [self.dequantized(x, suffix) for x in node.inputs])
        if node.relu:
            result = self.relu(node, result)
        if node.clip:
            result = self.write_clip(node, result, self.constant, node.clip)
        self.quantize(node, self.write_pool(node) or result)

    def relu(self, node, x):
        return self.node("Relu", [x], f"{node.name}_relu", f"{node.name}/relu")

    def write_clip(self, node, x, constant, bounds):
        limits = [constant(bound, f"{node.name}_{end}") for end, bound in zip(("low", "high"), bounds)]
        return self.node("Clip", [x, *limits], f"{node.name}_clip", f"{node.name}/clip")

    def write_pool(self, node):
        """A max-pool of what the last node makes, if one is fused."""
        if not node.pool:
            return None
        last, attributes = self.nodes[-1].output[0], node.pool.attributes()
        return self.node("MaxPool", [last], f"{node.name}_pool", f"{node.name}/pool", **attributes)


def make_model(network, form="qdq", name="network"):
    """As one of FORMS. Inputs and outputs are float32."""
    return Form(network, form).model(name)


def write_onnx(network, path, form="qdq", name="network"):
    onnx.save(make_model(network, form, name), path)
