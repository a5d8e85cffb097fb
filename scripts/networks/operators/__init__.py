# SPDX-License-Identifier: Apache-2.0
"""All operators that are drawn: a class each."""
from operators.attention import Matmul, Tokens
from operators.binary import Add, Combine, Mul
from operators.concat import Concat, Requantize, Whole
from operators.convolution import Conv, Gemm
from operators.functions import Call
from operators.interpolation import Interpolate
from operators.loose import ConvTranspose, Loose
from operators.moves import More, Order, Some
from operators.normalization import BiasGelu, LayerNorm
from operators.pools import AveragePool, GlobalAveragePool, MaxPool
from operators.softmax import Softmax
from operators.training_aware import Activated, Chain

DRAWN = [
    Conv,
    Gemm,
    Tokens,
    Matmul,
    Add,
    Mul,
    Combine,
    Concat,
    Requantize,
    Whole,
    MaxPool,
    AveragePool,
    GlobalAveragePool,
    Call,
    Softmax,
    Chain,
    Activated,
    Loose,
    ConvTranspose,
    Interpolate,
    LayerNorm,
    BiasGelu,
    Some,
    More,
    Order,
]
