// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes float32 numbers of indices that the network gives.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// An output that is an argmax or argmin is cast to float32, and keeps its axis where only the batch would be left: a
/// network's outputs are float32 with a batch and more.
Graph float_outputs(const Graph& graph);

}  // namespace fovea
