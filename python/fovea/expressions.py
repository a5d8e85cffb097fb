# SPDX-License-Identifier: Apache-2.0
"""Expressions: what one element of an operator's result is, by elements of its inputs.

Expressions and axes take + - * / % ** < <= > >= == != & | ~ and abs(). A number takes the type of what it stands
beside. Real numbers are computed in double, and rounded to float32 where the result is stored; integers wrap at 64
bits and divide toward zero.
"""
from collections.abc import Callable
from typing import Union

from ._fovea import Axis, Expression, apply

Value = Union[Expression, float, int, bool]

__all__ = ["Axis", "Expression", "clamp", "float32", "integer", "maximum", "minimum", "real", "select"]


def select(condition: Value, a: Value, b: Value) -> Expression:
    """a where the condition holds, b elsewhere."""
    return apply("select", condition, a, b)


def minimum(a: Value, b: Value) -> Expression:
    """The smaller one; the first where the two are equal or no numbers."""
    return apply("min", a, b)


def maximum(a: Value, b: Value) -> Expression:
    """The larger one; the first where the two are equal or no numbers."""
    return apply("max", a, b)


def clamp(x: Value, least: Value, most: Value) -> Expression:
    """x, but not below `least` nor above `most`."""
    return minimum(most, maximum(least, x))


def real(x: Value) -> Expression:
    """As a real number."""
    return apply("f64", x)


def integer(x: Value) -> Expression:
    """As an integer; of a real number, toward zero."""
    return apply("i64", x)


def float32(x: Value) -> Expression:
    """Rounded to float32."""
    return apply("f32", x)


def _of_real(name: str) -> Callable[[Value], Expression]:
    def function(x: Value) -> Expression:
        return apply(name, x)

    function.__name__ = name
    return function


acos = _of_real("acos")
acosh = _of_real("acosh")
asin = _of_real("asin")
asinh = _of_real("asinh")
atan = _of_real("atan")
atanh = _of_real("atanh")
ceil = _of_real("ceil")
cos = _of_real("cos")
erf = _of_real("erf")
exp = _of_real("exp")
expm1 = _of_real("expm1")
floor = _of_real("floor")
gelu = _of_real("gelu")
log = _of_real("log")
round_even = _of_real("round")
sigmoid = _of_real("sigmoid")
sin = _of_real("sin")
sinh = _of_real("sinh")
softplus = _of_real("softplus")
sqrt = _of_real("sqrt")
tan = _of_real("tan")
tanh = _of_real("tanh")
