// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the loops down to their stores.
#include "count_macs.h"

namespace fovea {
namespace {

bool is_function(const Expression& x, ScalarFunction function) {
  return x->kind == ExpressionKind::kApply && x->function == function;
}

/// x without the conversions around it.
const Expression& unconverted(const Expression& x) {
  const bool is_converted = is_function(x, ScalarFunction::kFloat32) || is_function(x, ScalarFunction::kFloat64) ||
                            is_function(x, ScalarFunction::kInt64);
  return is_converted ? unconverted(x->arguments[0]) : x;
}

bool accumulates_product(const Statement& store) {
  if (!is_function(store.value, ScalarFunction::kAdd)) {
    return false;
  }
  const Expression& sum = unconverted(store.value->arguments[0]);
  return sum->kind == ExpressionKind::kElement && sum->id == store.buffer &&
         is_function(unconverted(store.value->arguments[1]), ScalarFunction::kMultiply);
}

std::uint64_t count(const std::vector<Statement>& statements) {
  std::uint64_t macs = 0;
  for (const Statement& one : statements) {
    if (one.kind == StatementKind::kStore) {
      macs += accumulates_product(one) ? 1 : 0;
    } else {
      const bool is_loop = one.kind == StatementKind::kLoop;
      const int64_t turns = !is_loop ? 1 : one.axis.size < 1 ? 0 : last_of(one) / one.step + 1;
      macs += static_cast<std::uint64_t>(turns) * count(one.body);
    }
  }
  return macs;
}

}  // namespace

std::uint64_t count_macs(const Nest& nest) { return count(nest.body); }

}  // namespace fovea
