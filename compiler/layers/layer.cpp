// SPDX-License-Identifier: Apache-2.0
/// \file
/// What follows from a layer's fields.
#include "layer.h"

#include "ir/error.h"

namespace fovea {

const Accumulation* accumulation_of(const Layer& layer) {
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    return &conv->sum;
  }
  const auto* linear = std::get_if<Qlinear>(&layer.body);
  return linear == nullptr ? nullptr : &linear->sum;
}

dla_requantization requantization_of(const Accumulation& sum, dla_rounding rounding) {
  dla_requantization requantization;
  internal_check(dla_derive_requantization(sum.x.scale(), sum.w.scale(), sum.y.scale(), rounding, &requantization),
                 "the scales of a layer are positive numbers");
  return requantization;
}

}  // namespace fovea
