// SPDX-License-Identifier: Apache-2.0
/// \file
/// How far two tensors of one layer are apart.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "side.h"

namespace fovea {

/// All but `equal` in real numbers, where the tensors' scales are known; else in their integers.
struct Difference {
  std::size_t elements = 0;
  std::size_t equal =
      0;               ///< Integers of one scale: the same; beside float32: what it rounds to; else the same numbers.
  double largest = 0;  ///< |a - b|.
  double mean = 0;     ///< Of |a - b|.
  double noise_ratio = 0;  ///< 10 * log10(sum of a^2 / sum of (a - b)^2), in dB; infinite where nothing differs.
  std::optional<std::size_t> first;   ///< Place of the first element that is not equal.
  bool quantization_differs = false;  ///< Both sides say scale and zero point, and not the same ones.

  bool is_none() const { return !first && !quantization_differs; }
};

/// Scale and zero point of both tensors: where one side does not say, it is taken to be as the other, int8 128 below
/// uint8.
std::pair<std::optional<Quantization>, std::optional<Quantization>> quantizations_of(const LayerValue& a,
                                                                                     const LayerValue& b);

/// What element i stands for: float32, as DequantizeLinear rounds it.
double number_at(const Tensor& values, const std::optional<Quantization>& quantization, std::size_t i);

/// \pre As many elements.
/// \param tolerance  Elements are equal too where they are no further apart than this times the largest |a|.
Difference difference_of(const LayerValue& a, const LayerValue& b, double tolerance);

}  // namespace fovea
