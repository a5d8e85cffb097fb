// SPDX-License-Identifier: Apache-2.0
/// \file
/// What functions of two numbers give, for whoever computes expressions: definitions in double, nests as processors do.
#pragma once

#include <cstdint>
#include <optional>

#include "expression.h"

namespace fovea {

/// Real to int64 as dla_to_int64() does it: toward zero; the ends for what is beyond them, 0 for not a number.
int64_t truncated(double x);

/// A function of two reals that gives a real. Of two float32 a sum, difference, product or quotient, rounded to
/// float32, is what float32 arithmetic gives.
double on_reals(ScalarFunction function, double a, double b);

/// Whether a comparison of reals holds.
bool compares(ScalarFunction function, double a, double b);

/// A function or comparison (0 or 1) of two integers, modulo 2^64. Nothing where it divides by 0.
std::optional<int64_t> on_integers(ScalarFunction function, int64_t a, int64_t b);

}  // namespace fovea
