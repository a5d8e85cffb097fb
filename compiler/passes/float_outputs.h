// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes float32 numbers of integers that the network gives.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// An output of int32 or int64 is cast to float32, which has all such numbers up to 2^24; of larger ones the nearest,
/// as Cast makes them. An argmax or argmin keeps its axis where only the batch would be left.
Graph float_outputs(const Graph& graph);

}  // namespace fovea
