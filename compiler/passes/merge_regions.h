// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joins neighbouring composites of one target.
#ifndef FOVEA_COMPILER_PASSES_MERGE_REGIONS_H_
#define FOVEA_COMPILER_PASSES_MERGE_REGIONS_H_

#include "ir/graph.h"

namespace fovea {

/// Names, in Function::region, the region that each composite will be part of. A composite joins the region of the one
/// that it reads where both have the same target, it reads nothing else, and nothing else reads that. So a region is a
/// row of composites with one input and one output. Run after annotate_target.
Graph merge_regions(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_MERGE_REGIONS_H_
