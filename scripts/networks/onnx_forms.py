# SPDX-License-Identifier: Apache-2.0
"""A quantized network as ONNX: as float operators between QuantizeLinear and DequantizeLinear (QDQ), as operators on
8-bit values (QOperator), or as the float network that it would be of."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 13, 7
ACTIVATIONS = {"relu": ("Relu", []), "relu6": ("Clip", [0, 6])}


class _Form:
    """Nodes and constants so far."""

    domains = {"": OPSET}

    def __init__(self, layers):
        self.nodes, self.constants, self.names = [], [], set()
        for layer in layers:
            self.write(layer)

    def node(self, op, inputs, output, name=None, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name or output, domain=domain, **attributes))
        return output

    def constant(self, name, array):
        if name not in self.names:
            self.names.add(name)
            self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def quantization(self, value):
        """Names of a value's scale and zero point."""
        return [
            self.constant(f"{value.name}_scale", value.scale),
            self.constant(f"{value.name}_zero_point", np.uint8(value.zero_point)),
        ]

    def quantize(self, value, real):
        return self.node("QuantizeLinear", [real, *self.quantization(value)], value.name, f"{value.name}/quantize")

    def dequantize(self, value):
        real = f"{value.name}_real"
        if real not in self.names:
            self.names.add(real)
            self.node("DequantizeLinear", [value.name, *self.quantization(value)], real)
        return real

    def output(self, value):
        self.node("DequantizeLinear", [value.name, *self.quantization(value)], "y")

    def weights(self, layer):
        """Names of a layer's weights, scales and zero points of its filters, and biases."""
        name, filters = layer.output.name, len(layer.weights)
        return (
            self.constant(f"{name}_weights", layer.weights),
            self.constant(f"{name}_weights_scale", layer.weight_scales),
            self.constant(f"{name}_weights_zero_point", np.zeros(filters, np.int8)),
            self.constant(f"{name}_biases", layer.biases),
        )

    def activated(self, layer, inputs, output):
        """A layer in float, its activation behind it."""
        name = layer.output.name
        if not layer.activation:
            return self.node(layer.op, inputs, output, name, **layer.attributes)
        op, limits = ACTIVATIONS[layer.activation]
        real = self.node(layer.op, inputs, f"{name}_sum", name, **layer.attributes)
        return self.node(
            op,
            [real, *(self.constant(f"clip_at_{limit}", np.float32(limit)) for limit in limits)],
            output,
            f"{name}/{layer.activation}",
        )


class _Float(_Form):
    def write(self, layer):
        name, inputs = layer.output.name, [value.name for value in layer.inputs]
        if layer.weights is not None:
            column = layer.weight_scales.reshape(-1, *(1,) * (layer.weights.ndim - 1))
            inputs += [
                self.constant(f"{name}_weights", layer.weights * column),
                self.constant(
                    f"{name}_biases", (layer.biases * (layer.inputs[0].scale * layer.weight_scales)).astype(np.float32)
                ),
            ]
        self.activated(layer, inputs, name)

    def quantize(self, value, real):
        return self.node("Identity", [real], value.name, f"{value.name}/identity")

    def output(self, value):
        self.node("Identity", [value.name], "y")


class _Qdq(_Form):
    def write(self, layer):
        name, inputs = layer.output.name, [self.dequantize(value) for value in layer.inputs]
        if layer.weights is not None:
            weights, scale, zero_point, biases = self.weights(layer)
            bias_scale = self.constant(f"{biases}_scale", layer.inputs[0].scale * layer.weight_scales)
            inputs += [
                self.node("DequantizeLinear", [weights, scale, zero_point], f"{weights}_real", axis=0),
                self.node("DequantizeLinear", [biases, bias_scale], f"{biases}_real", axis=0),
            ]
        self.quantize(layer.output, self.activated(layer, inputs, f"{name}_float"))


class _QOperator(_Form):
    """ReLU and ReLU6 need no node: they are where uint8 ends."""

    domains = {"": OPSET, "com.microsoft": 1}

    def write(self, layer):
        name, inputs, made = layer.output.name, [], self.quantization(layer.output)
        for value in layer.inputs:
            inputs += [value.name, *self.quantization(value)]
        attributes = layer.attributes
        if layer.op == "Conv":
            weights, scale, zero_point, biases = self.weights(layer)
            self.node("QLinearConv", inputs + [weights, scale, zero_point, *made, biases], name, **attributes)
        elif layer.op == "Gemm":
            self.node("QGemm", inputs + [*self.weights(layer), *made], name, domain="com.microsoft", **attributes)
        elif layer.op == "Concat":
            self.node("QLinearConcat", made + inputs, name, domain="com.microsoft", **attributes)
        elif layer.op in ("Add", "GlobalAveragePool"):
            self.node(f"QLinear{layer.op}", inputs + made, name, domain="com.microsoft", **attributes)
        else:
            self.node(layer.op, inputs[:1], name, **attributes)


FORMS = {"qdq": _Qdq, "qoperator": _QOperator, "float": _Float}


def write_onnx(network, name, path, form="qdq"):
    """As one of FORMS. The picture "x" and the scores "y" are float32."""
    is_qoperator, form, last = form == "qoperator", FORMS[form]([]), network.layers[-1].output
    form.quantize(network.input, "x")
    for layer in network.layers:
        form.write(layer)
    form.output(last)
    ports = [
        helper.make_tensor_value_info(port, TensorProto.FLOAT, [1, *elements.shape])
        for port, elements in (("x", network.input.elements), ("y", last.elements))
    ]
    graph = helper.make_graph(form.nodes, name, ports[:1], ports[1:], form.constants)
    model = helper.make_model(
        graph,
        ir_version=IR_VERSION,
        producer_name="fovea",
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in form.domains.items()],
    )
    onnx.checker.check_model(model, full_check=not is_qoperator)
    onnx.save(model, path)
