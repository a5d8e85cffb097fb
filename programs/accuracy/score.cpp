// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts what a network knew.
#include "score.h"

#include <algorithm>
#include <cmath>

#include "program/answer.h"

namespace fovea {

Outcome judge(std::span<const float> outputs, uint32_t true_class) {
  const float of_true = outputs[true_class];
  const auto before = outputs.begin() + true_class;
  const auto larger = std::count_if(outputs.begin(), outputs.end(), [&](float other) { return other > of_true; });
  const auto equal_before = std::count(outputs.begin(), before, of_true);
  return {static_cast<uint16_t>(best_of(outputs)), static_cast<uint16_t>(larger + equal_before)};
}

ShareInterval wilson_interval(std::size_t part, std::size_t all) {
  if (all == 0) {
    return {};
  }
  constexpr double kZ = 1.959963984540054;  // 97.5 % of a normal distribution are below it.
  const auto n = static_cast<double>(all);
  const double share = static_cast<double>(part) / n, square = kZ * kZ / n;
  const double middle = (share + square / 2) / (1 + square);
  const double half = kZ / (1 + square) * std::sqrt(share * (1 - share) / n + square / (4 * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

void Score::add(uint32_t true_class, const Outcome& outcome) {
  ++pictures_;
  top1_ += outcome.place == 0 ? 1 : 0;
  top5_ += outcome.place < 5 ? 1 : 0;
  ++confusion_[true_class][outcome.answer];
}

}  // namespace fovea
