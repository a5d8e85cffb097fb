// SPDX-License-Identifier: Apache-2.0
/// \file
/// From what was seen of an activation, or a filter's weights, to a scale and zero point.
#pragma once

#include <span>

#include "histogram.h"
#include "ir/quantization.h"
#include "options.h"

namespace fovea {

/// The least number of an 8-bit type, which has 256 of them.
int64_t least_integer(ElementType element);

/// Scale and zero point for an activation. Its range holds 0; where no value is negative, the zero point is the type's
/// least integer, so that a ReLU before it is part of quantizing.
/// \param method  Not kBest.
Quantization choose_activation_scale(const Histogram& seen, Calibration method, const QuantizeOptions& options);

/// Mean squared error of what was seen, quantized so.
double quantization_error(const Histogram& seen, const Quantization& quantization);

/// A scale for weights of int8 around 0, of a filter or of all.
/// \param least  Where weights are so small beside their bias that the bias would be no int32: the least that will do.
float choose_weight_scale(std::span<const float> weights, float least, const QuantizeOptions& options);

}  // namespace fovea
