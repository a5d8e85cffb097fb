# SPDX-License-Identifier: Apache-2.0
"""A quantized network in QDQ form, with parameters and conversions written in all the ways of exporters, none of which
changes an answer: zero points left out, types of 4 and 16 bits, output_dtype, pairs of conversions at two scales,
QONNX's Quant, weights that are quantized, transposed or reshaped in the file; ends of other types, open dimensions."""
import math
import random

import numpy as np
from network import real_name
from node import F32, common_range
from onnx import TensorProto, helper
from onnx_forms import Form

MICROSOFT, QONNX = "com.microsoft", "qonnx.custom_op.general"
NEWEST_OPSET = 25
FIRST = {False: 0, True: 128}  # the uint8 element that is 0 of uint8, and of int8
WHOLE_TYPES = {"int32": TensorProto.INT32, "int64": TensorProto.INT64}


class DressedForm(Form):
    """shapes: of inputs whose dimensions are left open, as --shape takes them."""

    def __init__(self, network):
        self.shown, self.shapes = {}, []
        self.on_integers = {x for node in network.nodes if node.is_on_integers for x in node.inputs}
        draw = self.random_of(network.nodes[0])
        self.is_newest = draw.randrange(3) == 0  # whether forms are written that came with opset 21
        super().__init__(network, draw.choice(["qdq", "qdq", "qdq_int8"]))
        if draw.randrange(2):
            self.need_opset(draw.randint(self.opset, NEWEST_OPSET if self.is_newest else max(self.opset, 20)))

    @staticmethod
    def random_of(node, what=""):
        """Random numbers that are the same wherever the network is cut."""
        return random.Random(f"{node.name} {node.scale} {node.zero_point} {what}")

    def model(self, name="network"):
        model = super().model(name)
        model.opset_import.append(helper.make_opsetid(QONNX, 1))
        return model

    def options(self):
        """What foveac is told besides."""
        return [word for shape in self.shapes for word in ("--shape", shape)]

    # Inputs and outputs

    def write_input(self, node):
        """As whole numbers, where they are; or with dimensions that have names or nothing instead of sizes."""
        draw, shape, element = self.random_of(node, "input"), list(node.shape), TensorProto.FLOAT
        is_whole = np.array_equal(node.data, np.rint(node.data))
        if is_whole and draw.randrange(4):
            name = draw.choice(list(WHOLE_TYPES))
            element = WHOLE_TYPES[name]
        if draw.randrange(4) == 0:
            shape = [draw.choice([size, size, f"{node.port}_{axis}", None]) for axis, size in enumerate(shape)]
            self.shapes.append(f"{node.port}={'x'.join(map(str, node.shape))}")
        self.input(node.port, shape, element)
        if element == TensorProto.FLOAT:
            return node.port
        return self.node("Cast", [node.port], f"{node.port}_float", to=TensorProto.FLOAT)

    def write_output(self, node):
        """As whole numbers, or as the bytes themselves, where they are the same."""
        draw, name = self.random_of(node, "output"), real_name(node)
        is_whole = float(node.scale).is_integer() and 255 * node.scale < 1 << 24
        if name in self.names or not is_whole or draw.randrange(4) == 0:
            return super().write_output(node)
        self.names.add(name)
        if node.scale == 1 and self.has_zero(node) and node not in self.shown:
            self.node("Identity", [node.name], name)
            return self.output(name, node.shape, self.own_type())
        element = WHOLE_TYPES[draw.choice(list(WHOLE_TYPES))]
        self.node("Cast", [self.dequantized(node, "_float")], name, to=element)
        return self.output(name, node.shape, element)

    # Activations

    def own_type(self):
        return TensorProto.INT8 if self.is_int8 else TensorProto.UINT8

    def has_zero(self, node):
        """Whether the zero point is 0 of its type."""
        return node.zero_point == FIRST[self.is_int8]

    def quantize(self, node, real):
        draw, ways = self.random_of(node, "quantize"), [self.plain, self.plain]
        if self.is_narrow(node):
            return self.narrow(node, real, draw)
        if node not in self.on_integers:
            ways += [self.pairs] + [self.qonnx] * (node.zero_point % 2 == 0) + [self.bare] * 3 * node.is_on_grid()
        draw.choice(ways)(node, real, draw)

    def bare(self, node, real, _):
        """Nothing: the value has its operand's scale, and stays as it is between two float operators."""
        self.shown[node] = lambda to: self.node("Identity", [real], to)

    def is_narrow(self, node):
        """Whether it is written on 4 bits."""
        is_quant = node.zero_point % 2 == 0 and self.random_of(node, "narrow").randrange(2)
        return node.narrow is not None and node not in self.on_integers and (self.is_newest or is_quant)

    def narrow(self, node, real, draw):
        if not self.is_newest:
            return self.qonnx(node, real, draw)
        self.need_opset(21)
        is_signed = node.narrow != 0
        words = [self.constant(node.scale, f"{node.name}_scale")]
        zero_point = node.zero_point - FIRST[is_signed]
        words.append(self.typed("int4" if is_signed else "uint4", zero_point, f"{node.name}_zero_point"))
        self.node("QuantizeLinear", [real, *words], node.name, f"{node.name}/quantize")
        self.shown[node] = lambda to: self.node("DequantizeLinear", [node.name, *words], to)

    def write_clip(self, node, x, constant, bounds):
        return x if self.is_narrow(node) else super().write_clip(node, x, constant, bounds)

    def plain(self, node, real, draw):
        """A QuantizeLinear, its zero point left out where it may be, its type as an attribute."""
        words, domain, attributes = [real, *self.quantization(node)], draw.choice(["", "", MICROSOFT]), {}
        if not domain and self.is_newest and draw.randrange(2):
            self.need_opset(21)
            attributes["output_dtype"] = self.own_type()
        if self.has_zero(node) and (attributes or not self.is_int8) and draw.randrange(2):
            words.pop()
        self.node("QuantizeLinear", words, node.name, f"{node.name}/quantize", domain, **attributes)

    def pairs(self, node, real, draw):
        """Two pairs of conversions in a row, of which the other has all numbers that the node's has: in ONNX Runtime
        they are one, the node's. Where that has another last digit, one pair."""
        own = (node.scale, node.zero_point)
        other = (F32(node.scale * F32(draw.uniform(2.5, 4))), 255 - draw.randint(90, 160))
        first, second = node.pairs or ((own, other) if draw.randrange(2) else (other, own))
        if common_range(first, second, FIRST[self.is_int8]) != own:
            return self.plain(node, real, draw)
        name, names = node.name, []
        for place, (scale, zero_point) in enumerate((first, second)):
            names.append(self.scale(f"{name}_pair{place}", scale, zero_point))
        once = self.node("QuantizeLinear", [real, *names[0]], f"{name}_once", f"{name}/once")
        again = self.node("DequantizeLinear", [once, *names[0]], f"{name}_again", f"{name}/again")
        self.node("QuantizeLinear", [again, *names[1]], name, f"{name}/quantize")
        self.shown[node] = lambda to: self.node("DequantizeLinear", [name, *names[1]], to)

    def qonnx(self, node, real, draw):
        """QONNX's Quant, which is both conversions; the zero point is inside the rounding, and so even."""
        is_narrow = node.narrow is not None and self.is_narrow(node)
        is_signed = node.narrow != 0 if is_narrow else draw.randrange(2)
        zero_point = F32(node.zero_point - FIRST[bool(is_signed)])
        words = [real, *map(self.constant, (node.scale, zero_point, F32(4 if is_narrow else 8)))]
        name = self.node("Quant", words, f"{node.name}_quant", f"{node.name}/quant", QONNX, signed=int(is_signed))
        self.shown[node] = lambda to: self.node("Identity", [name], to)

    def dequantize(self, node, name):
        """Once under each name."""
        if node in self.shown:
            return self.shown[node](name)
        draw, words = self.random_of(node, "dequantize"), self.triple(node, node.name)
        if self.has_zero(node) and draw.randrange(2):
            words.pop()
        return self.node("DequantizeLinear", words, name, domain=draw.choice(["", "", MICROSOFT]))

    # Parameters

    def float_parameter(self, name, array, scales, axis, zero_point=None):
        """Of the same numbers in a narrower or wider type, as float32 numbers that the file quantizes, or in another
        place or shape."""
        draw = random.Random(f"{name} {scales} {array.shape}")
        array, ways = np.asarray(array), [self.typed_parameter, self.typed_parameter]
        if zero_point is None and array.dtype == np.int8:
            ways += [self.quantized_parameter, self.quant_parameter]
        move = draw.choice([None, None, "Transpose", "Reshape"]) if array.ndim > 1 else None
        if move == "Transpose":
            perm = draw.sample(range(array.ndim), array.ndim)
            moved, along = array.transpose(np.argsort(perm)), int(perm[axis])
        elif move == "Reshape" and axis == 0:
            moved, along = array.reshape(len(array), -1), 0
        else:
            move, moved, along = None, array, axis
        real = draw.choice(ways)(name, moved, scales, along, zero_point, draw)
        if move == "Transpose":
            return self.node("Transpose", [real], f"{name}_moved", perm=perm)
        shape = self.constant(np.int64(array.shape), f"{name}_shape")
        return self.node("Reshape", [real, shape], f"{name}_moved") if move else real

    def typed_parameter(self, name, array, scales, axis, zero_point, draw):
        """In its own type or a narrower or wider one; without a zero point that is 0."""
        element, zero = str(array.dtype), 0
        if zero_point is not None:
            element, zero = str(zero_point.dtype), int(zero_point)
        written, scales = array.astype(np.int64) + zero, scales[0] if len(scales) == 1 else scales
        if array.dtype == np.int32:  # a bias
            shared = math.gcd(*written.reshape(-1).tolist()) or 1
            step = shared & -shared  # the largest power of two that all are multiples of
            fitting = [e for e in ("int8", "int16")[: 1 + self.is_newest] if fits(written // step, e)]
            if fitting and draw.randrange(4):
                element, written, scales = draw.choice(fitting), written // step, scales * F32(step)
        else:
            types = [e for e in ("int4", "uint4", "int16", "uint16") if fits(written, e) and fits(zero, e)]
            element = draw.choice(types) if types and self.is_newest else element
        self.need_opset(21 if element in ("int4", "uint4", "int16", "uint16") else 13)
        words = [self.typed(element, written, name), self.constant(np.asarray(scales), f"{name}_scale")]
        if zero or draw.randrange(2):
            words.append(self.typed(element, np.full(np.shape(scales), zero), f"{name}_zero_point"))
        return self.node("DequantizeLinear", words, f"{name}_real", axis=axis)

    def reals(self, name, array, scales, axis):
        column = np.reshape(scales, [-1 if i == axis else 1 for i in range(array.ndim)])
        return self.constant((array * column).astype(F32), f"{name}_float"), column

    def quantized_parameter(self, name, array, scales, axis, *_):
        """QuantizeLinear and DequantizeLinear of float32 numbers."""
        scales = scales[0] if len(scales) == 1 else scales
        real, _ = self.reals(name, array, scales, axis)
        words = [self.constant(np.asarray(scales), f"{name}_scale")]
        words.append(self.constant(np.zeros(np.shape(scales), np.int8), f"{name}_zero_point"))
        q = self.node("QuantizeLinear", [real, *words], f"{name}_q", axis=axis)
        return self.node("DequantizeLinear", [q, *words], f"{name}_real", axis=axis)

    def quant_parameter(self, name, array, scales, axis, _, draw):
        """Quant of as few bits as do."""
        real, column = self.reals(name, array, scales, axis)
        bits = next(bits for bits in range(draw.randint(2, 8), 9) if fits(array, bits=bits))
        is_narrow = array.min() > -(1 << bits - 1) and draw.randrange(2)
        words = [real, self.constant(column), self.constant(F32(0)), self.constant(F32(bits))]
        return self.node("Quant", words, f"{name}_real", domain=QONNX, narrow=int(is_narrow))

    # Operators

    def call(self, node, op, inputs, domain="", **attributes):
        """At times as the operator of com.microsoft that ONNX Runtime's optimizer would make of it."""
        draw = self.random_of(node, "call")
        if draw.randrange(3) == 0 and not domain:
            if op == "Conv" and node.relu:
                op, domain, attributes = "FusedConv", MICROSOFT, attributes | {"activation": "Relu"}
            elif op == "MatMul":
                op, domain = "FusedMatMul", MICROSOFT
        return super().call(node, op, inputs, domain, **attributes)

    def relu(self, node, x):
        return x if self.nodes[-1].op_type == "FusedConv" else super().relu(node, x)


def fits(numbers, element="", bits=0):
    """Whether all are of a type."""
    is_signed, bits = not element.startswith("u"), bits or int(element.lstrip("uint"))
    least = -(1 << bits - 1) if is_signed else 0
    return np.min(numbers) >= least and np.max(numbers) < least + (1 << bits)
