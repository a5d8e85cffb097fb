// SPDX-License-Identifier: Apache-2.0
/// \file
/// Indices as formulas: put together without terms that change nothing, compared, and with other variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "ops/expression.h"

namespace fovea {

/// A number of type kIndex.
Expression index_number(int64_t number);
/// The number that an expression of type kIndex is, if it is one.
std::optional<int64_t> number_in(const Expression& x);

/// \name a + b, a - b, a * b, a / b, a % b of indices, as short as numbers make them. \pre b > 0 where it divides.
/// @{
Expression sum(const Expression& a, const Expression& b);
Expression difference(const Expression& a, const Expression& b);
Expression product(const Expression& a, int64_t b);
Expression quotient(const Expression& a, int64_t b);
Expression remainder(const Expression& a, int64_t b);
/// @}

/// Whether both are the same formula: the same functions of the same elements, variables and numbers.
bool is_equal(const Expression& a, const Expression& b);

/// What stands for variables, by their ids.
using Replacements = std::map<int, Expression>;

/// x with these in place of its variables; x itself where it has none of them.
Expression with_variables(const Expression& x, const Replacements& replacements);

}  // namespace fovea
