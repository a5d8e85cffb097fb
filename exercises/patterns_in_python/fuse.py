# SPDX-License-Identifier: Apache-2.0
"""Patterns of what one call of the runtime computes. The first that matches is taken."""
from fovea.patterns import Fusion, op, wildcard


def dequantized():
    """An 8-bit value, as the real number that it stands for."""
    return op("qnn.dequantize")(wildcard())


def conv2d_relu():
    conv = op("nn.conv2d")(dequantized(), dequantized())
    biased = op("nn.bias_add")(conv, dequantized())
    return op("qnn.quantize")(op("nn.relu")(biased))


FUSIONS = [
    Fusion("qconv2d_relu", conv2d_relu()),
    Fusion("quantize", op("qnn.quantize")(wildcard())),
    Fusion("dequantize", dequantized()),
]
