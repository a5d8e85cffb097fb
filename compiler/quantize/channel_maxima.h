// SPDX-License-Identifier: Apache-2.0
/// \file
/// How near channels come to the bound of a Clip.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "layerwise_run.h"

namespace fovea {

/// The largest value of each channel, axis 1, of what a node reads.
using ChannelMaxima = std::map<NodeId, std::vector<double>>;

/// Of each Clip from 0, on all inputs. \pre `plan` is of `graph`.
ChannelMaxima find_channel_maxima(const Graph& graph, const QuantizationPlan& plan,
                                  std::span<const CalibrationInput> inputs, const SayProgress& progress);

/// Whether a node is a Clip whose least value is 0, as ReLU6 is.
bool is_bounded_relu(const Node& node);

}  // namespace fovea
