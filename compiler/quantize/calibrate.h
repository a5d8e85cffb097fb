// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks at a float network's activations.
#pragma once

#include <vector>

#include "histogram.h"
#include "layerwise_run.h"

namespace fovea {

/// What was seen of the values of each of the plan's scales, on all inputs. UserError naming the node where a value is
/// infinite or no number, or where all that a node gives is one number.
std::vector<Histogram> calibrate(const Graph& graph, const QuantizationPlan& plan,
                                 std::span<const CalibrationInput> inputs, const SayProgress& progress);

}  // namespace fovea
