// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves a ReLU or clip before the pools between it and what makes its input.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// A ReLU or clip of a max pool, reshape, transpose or slice of a sum becomes the pool, ... of the sum's ReLU or clip:
/// the same numbers, where nothing else reads those in between. Quantized, the sum and its ReLU then have one scale;
/// behind the pool the ReLU would have a second one.
Graph hoist_relu(const Graph& graph);

}  // namespace fovea
