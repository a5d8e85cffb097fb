# SPDX-License-Identifier: Apache-2.0
"""A network that compiles in no time, and what it answers."""
import struct

# y = x[0] + x[1] + bias in both channels, on integers.
TEXT = """fn (%x: Tensor[(1, 2, 4, 4), float32] from "x") {{
  %q = qnn.quantize(%x, 1f, 0u8, axis=1)
  %d = qnn.dequantize(%q, 1f, 0u8, axis=1)
  %w8 = constant 1 : Tensor[(2, 2, 1, 1), int8]
  %w = qnn.dequantize(%w8, 1f, 0i8, axis=0)
  %b32 = constant {bias} : Tensor[(2,), int32]
  %b = qnn.dequantize(%b32, 1f, 0i32, axis=0)
  %c = nn.conv2d(%d, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv"
  %s = nn.bias_add(%c, %b, axis=1)
  %t = qnn.quantize(%s, 1f, 0u8, axis=1)
  %y = qnn.dequantize(%t, 1f, 0u8, axis=1) from "y"
  return %y
}}
"""
NUMBERS = [float(i) for i in range(32)]
INPUT = struct.pack("<32f", *NUMBERS)


def text(bias):
    return TEXT.format(bias=bias)


def answer(bias):
    """The bytes of the output."""
    return struct.pack("<32f", *(NUMBERS[i % 16] + NUMBERS[16 + i % 16] + bias for i in range(32)))
