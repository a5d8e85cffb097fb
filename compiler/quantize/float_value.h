// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an operator of the graph computes, the frequent ones faster than by the evaluator.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace fovea {

/// A call's value, as its definition says; sums of float32 are rounded where the evaluator's are, or more often.
/// \pre It is no nn.conv2d or nn.dense that PackedProduct computes.
Tensor float_value(const Node& call, const std::vector<const Tensor*>& inputs);

/// Adds a number a filter, [M], to all that the filter makes: [N, M, ...].
void add_bias(Tensor& sums, std::span<const float> bias);

}  // namespace fovea
