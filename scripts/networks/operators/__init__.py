# SPDX-License-Identifier: Apache-2.0
"""All operators that are drawn: a class each."""
from operators.attention import Matmul, Tokens
from operators.binary import Add, Combine, Mul
from operators.concat import Concat, Requantize
from operators.convolution import Conv, Gemm
from operators.functions import Call
from operators.moves import More, Order, Some
from operators.pools import AveragePool, GlobalAveragePool, MaxPool
from operators.softmax import Softmax

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
    MaxPool,
    AveragePool,
    GlobalAveragePool,
    Call,
    Softmax,
    Some,
    More,
    Order,
]
