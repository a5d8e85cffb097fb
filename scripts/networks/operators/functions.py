# SPDX-License-Identifier: Apache-2.0
"""Functions of one number: LeakyRelu, Sigmoid, HardSwish, ...; each by its formula in long double."""
import math
from typing import Callable, NamedTuple

import numpy as np
from node import F32, Node, is_near_tie, quantize

NEAR_TIE = F32(1e-3)  # steps
MICROSOFT = "com.microsoft"


class Function(NamedTuple):
    """As ONNX calls it. apply(x, *settings) is of long double."""

    name: str
    apply: Callable
    is_exact: bool = False  # whether ONNX Runtime's own is correctly rounded
    attributes: tuple = ()  # of float32
    opset: int = 13  # the first that has it, or 13
    # An absolute error of ONNX Runtime's own, which adds nearly opposite numbers: float32 steps of 1, or of x.
    off_by: Callable = np.zeros_like
    domain: str = ""
    settings: dict = {}  # attributes that are no numbers


STEP = F32(2**-24)


def step_of_one(x):
    return np.full_like(x, STEP)


def step_of_x(x):
    return np.abs(x) * STEP


def _of_double(function):
    return lambda x: np.vectorize(function, otypes=[np.longdouble])(x.astype(np.float64))


erf, erfc = _of_double(math.erf), _of_double(math.erfc)


def sigmoid(x):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def quick_gelu(x, alpha):
    return x * sigmoid(alpha * x)


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(x))


def gelu(x):
    return x / 2 * erfc(-x / np.sqrt(np.longdouble(2)))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.longdouble(np.pi)) * (x + np.longdouble(0.044715) * x**3)))


def leaky(x, slope):
    return np.where(x < 0, slope * x, x)


FUNCTIONS = [
    Function("PRelu", leaky, True),  # its slopes, one or one a channel, are an operand
    Function("LeakyRelu", leaky, True, ("alpha",)),
    Function("ThresholdedRelu", lambda x, alpha: np.where(x > alpha, x, 0), True, ("alpha",)),
    Function("Neg", np.negative, True),
    Function("Floor", np.floor, True),
    Function("Ceil", np.ceil, True),
    Function("Round", np.rint, True),
    Function("Sqrt", np.sqrt, True),
    Function("Reciprocal", lambda x: 1 / x, True),
    Function("Softsign", lambda x: x / (1 + np.abs(x))),
    Function("HardSigmoid", lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1), False, ("alpha", "beta")),
    Function("HardSwish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), opset=14),
    Function("Sigmoid", sigmoid, off_by=step_of_one),
    Function("Tanh", np.tanh),
    Function("Elu", elu, False, ("alpha",), off_by=step_of_one),
    Function("Selu", lambda x, alpha, gamma: gamma * elu(x, alpha), False, ("alpha", "gamma"), off_by=step_of_one),
    Function("Exp", np.exp),
    Function("Log", np.log),
    Function("Erf", erf),
    Function("Softplus", softplus),
    Function("Mish", lambda x: x * np.tanh(softplus(x)), opset=18),
    Function("Gelu", gelu, opset=20, off_by=step_of_x),
    Function("Gelu", gelu_tanh, opset=20, off_by=step_of_x, settings={"approximate": "tanh"}),
    Function("Gelu", gelu, off_by=step_of_x, domain=MICROSOFT),
    Function("FastGelu", gelu_tanh, off_by=step_of_x, domain=MICROSOFT),
    Function("QuickGelu", quick_gelu, False, ("alpha",), off_by=step_of_x, domain=MICROSOFT),
]


class Call(Node):
    """settings are the attributes' values, or a PRelu's slopes."""

    kind, weight = "function", 3
    function, settings = None, ()

    def is_prelu(self):
        return self.function.name == "PRelu"

    def apply(self, x):
        """The function of float32 numbers, in long double."""
        settings = np.asarray(self.settings, np.longdouble)
        settings = [settings.reshape((-1,) + (1,) * (len(self.shape) - 2))] if self.is_prelu() else settings
        with np.errstate(all="ignore"):
            return self.function.apply(x.astype(np.longdouble), *settings)

    def results(self):
        with np.errstate(all="ignore"):
            return self.apply(self.inputs[0].real()).astype(F32)

    def reals(self):
        """Infinities and what is no number count as 0, so that no scale is chosen by them."""
        y = self.results().astype(np.float64)
        return np.where(np.isfinite(y), np.clip(y, -1e6, 1e6), 0)

    def evaluate(self):
        y = self.results()
        return np.where(np.isnan(y), 0, quantize(self.steps(y), self.zero_point)).astype(np.uint8)

    def is_sure(self):
        """Where ONNX Runtime's own function is an approximation, no result may be near a tie, but for that of 0, and
        no step so small that the approximation is off by as much."""
        if self.function.is_exact:
            return True
        x = self.inputs[0].real()
        with np.errstate(all="ignore"):
            steps = self.steps(self.results())
            is_near = is_near_tie(steps, NEAR_TIE)
        is_off = self.function.off_by(x) > NEAR_TIE * F32(self.scale)
        return not np.any((x != 0) & (is_near | is_off))

    def may_be_no_number(self):
        return bool(np.any(np.isnan(self.apply(np.full(self.shape, F32(-1))))))

    @classmethod
    def draw(cls, drawing):
        x = drawing.pick()
        if not x:
            return
        function = FUNCTIONS[max(0, drawing.between(-2, len(FUNCTIONS) - 1))]  # the first of them more often
        slopes = 1 if drawing.one_in(4) else x.shape[1]
        count = slopes if function.name == "PRelu" else len(function.attributes)
        drawing.add(cls([x], x.shape, function=function, settings=draw_settings(drawing, count)))

    def write_float(self, form, inputs):
        form.need_opset(self.function.opset)
        if self.is_prelu():
            slopes = np.reshape(self.settings, (-1,) + (1,) * (len(self.shape) - 2))
            return form.call(self, "PRelu", [*inputs, form.constant(slopes, f"{self.name}_slopes")])
        attributes = dict(zip(self.function.attributes, map(float, self.settings))) | self.function.settings
        return form.call(self, self.function.name, inputs, self.function.domain, **attributes)

    def write_uint8(self, form, inputs):
        """As com.microsoft's operator where there is one."""
        op, words = self.function.name, form.triples(self, inputs)
        if op in ("LeakyRelu", "Sigmoid"):
            attributes = dict(zip(self.function.attributes, map(float, self.settings)))
            words += form.quantization(self)
            return form.call(self, f"QLinear{op}", words, domain="com.microsoft", **attributes)
        real = self.write_float(form, [form.node("DequantizeLinear", words, f"{self.name}_in")])
        return form.node("QuantizeLinear", [real, *form.quantization(self)], f"{self.name}_q", f"{self.name}/quantize")

    def details(self):
        return f"; {self.function.name}"


def draw_settings(drawing, count):
    return (drawing.integers(1, 1000, count) / 512).astype(F32)
