// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts the network into regions.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Moves each row of composites of one region into a function of its own, which holds the composites and has their
/// target, and stands where the first that is read outside stood. Those are its results. Run after merge_regions.
Graph partition_graph(const Graph& graph);

}  // namespace fovea
