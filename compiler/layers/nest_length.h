// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long the C of operators that become one nest is: a value that is read twice stands there twice.
#pragma once

#include <cstddef>
#include <vector>

#include "ops/definition.h"

namespace fovea {

/// Of the operators of one nest together, in numbers, elements and operations. More become several nests.
inline constexpr double kMostNestLength = 512;
/// Operators between a nest's result and one in it.
inline constexpr std::size_t kMostNestDepth = 32;

/// The length of a definition.
class NestLength {
 public:
  /// \param index  Length of the index of an axis.
  explicit NestLength(const Definition& definition, double index = 1);

  double total() const { return total_; }
  /// How often elements of input i are read.
  double reads(std::size_t i) const { return reads_[i]; }
  /// Length of the longest index that it is read at.
  double index(std::size_t i) const { return indices_[i]; }

 private:
  /// \param times  How often x stands there.
  double measure(const Expression& x, double times);
  double measure_element(const ExpressionNode& x, double times);

  double index_, total_ = 0;
  std::vector<double> reads_, indices_;  ///< Of each buffer.
};

}  // namespace fovea
