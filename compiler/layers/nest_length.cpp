// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts what c_nest.cpp writes.
#include "nest_length.h"

#include <algorithm>

namespace fovea {

NestLength::NestLength(const Definition& definition, double index)
    : index_(index),
      reads_(definition.inputs.size() + definition.stages.size()),
      indices_(definition.inputs.size() + definition.stages.size()) {
  for (const Stage& stage : definition.stages) {
    total_ += measure(stage.value, 1);
  }
}

double NestLength::measure(const Expression& x, double times) {
  if (x->kind == ExpressionKind::kVariable) {
    return index_;
  }
  if (x->kind == ExpressionKind::kElement) {
    return measure_element(*x, times);
  }
  // min(a, b) is (b < a ? b : a).
  const bool is_doubled = x->kind == ExpressionKind::kApply &&
                          (x->function == ScalarFunction::kMinimum || x->function == ScalarFunction::kMaximum);
  const double copies = is_doubled ? 2 : 1;
  double length = 1;
  for (const Expression& each : x->arguments) {
    length += copies * measure(each, copies * times);
  }
  return length;
}

double NestLength::measure_element(const ExpressionNode& x, double times) {
  const auto buffer = static_cast<std::size_t>(x.id);
  reads_[buffer] += times;
  double length = 1;
  for (const Expression& each : x.arguments) {
    const double index = measure(each, times);
    indices_[buffer] = std::max(indices_[buffer], index);
    length += x.outside ? 3 * index : index;  // (0 <= index && index < size ? ...)
  }
  return length + (x.outside ? measure(x.outside, times) : 0);
}

}  // namespace fovea
