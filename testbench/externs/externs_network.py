# SPDX-License-Identifier: Apache-2.0
"""A network with six operators that Fovea has not, between convolutions on 8 bits: one on uint8, one of two outputs,
one of another domain, with attributes and constants."""
import numpy as np
from model_builder import ModelBuilder
from onnx import helper

OPERATORS = ("BitShift", "LpNormalization", "Cosh", "ReverseSequence", "RNN", "com.microsoft.Inverse")
HIDDEN, STEPS, WIDTH = 8, 16, 32


class ExternsNetwork(ModelBuilder):
    def __init__(self, seed):
        super().__init__()
        self.random = np.random.default_rng(seed)

    def parameters(self, scale, zero_point=0, dtype=np.uint8):
        return self.constant(np.float32(scale)), self.constant(dtype(zero_point))

    def quantized(self, x, scale, zero_point=0):
        parameters = self.parameters(scale, zero_point)
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, *parameters]), *parameters])

    def conv(self, x, channels, filters, name):
        """On 8 bits, with a ReLU."""
        weights = self.constant(self.random.integers(-40, 40, (filters, channels, 3, 3)).astype(np.int8))
        w = self.node("DequantizeLinear", [weights, *self.parameters(2**-8, dtype=np.int8)])
        return self.node("Relu", [self.node("Conv", [x, w], name=name, pads=[1, 1, 1, 1])])

    def integers(self, x):
        """Shifted between QuantizeLinear and DequantizeLinear."""
        parameters = self.parameters(2**-4)
        q = self.node("QuantizeLinear", [x, *parameters])
        shifted = self.node("BitShift", [q, self.constant(np.array([1], np.uint8))], name="shift", direction="RIGHT")
        return self.node("DequantizeLinear", [shifted, *parameters])

    def sequence(self, rows):
        """All states of a recurrent layer over the rows, of the second sequence half as many, and the last ones."""
        lengths = self.constant(np.array([STEPS, STEPS // 2], np.int64))
        turned = self.node("ReverseSequence", [rows, lengths], name="turn", time_axis=0, batch_axis=1)
        weights = [
            self.constant(self.random.normal(0, 0.2, (1, HIDDEN, size)).astype(np.float32)) for size in (WIDTH, HIDDEN)
        ]
        states = ["states", "last"]
        self.nodes.append(helper.make_node("RNN", [turned, *weights], states, "rnn", hidden_size=HIDDEN))
        return states


def externs_network(seed=1):
    net = ExternsNetwork(seed)
    net.input("x", (1, 4, 16, 16))
    shifted = net.integers(net.conv(net.quantized("x", 2**-5, 128), 4, 8, "conv1"))
    normal = net.node(
        "LpNormalization", [net.quantized(net.conv(shifted, 8, 8, "conv2"), 2**-4)], name="norm", axis=1
    )
    curved = net.node("Cosh", [normal], name="cosh")
    pixels = net.quantized(net.conv(net.quantized(curved, 2**-6), 8, 4, "conv3"), 2**-4)
    rows = net.node("Reshape", [pixels, net.constant(np.array([STEPS, 2, WIDTH], np.int64))])
    states, last = net.sequence(rows)
    squares = net.node("Reshape", [states, net.constant(np.array([1, 4, HIDDEN, HIDDEN], np.int64))])
    far_from_singular = net.node("Add", [squares, net.constant((np.eye(HIDDEN) * 4).astype(np.float32))])
    net.node("Inverse", [far_from_singular], "inverse", domain="com.microsoft")
    net.node("Relu", [last], "ends")
    net.output("inverse", (1, 4, HIDDEN, HIDDEN))
    net.output("ends", (1, 2, HIDDEN))
    return net
