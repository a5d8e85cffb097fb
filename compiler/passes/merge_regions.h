// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joins neighbouring composites of one target.
#ifndef FOVEA_COMPILER_PASSES_MERGE_REGIONS_H_
#define FOVEA_COMPILER_PASSES_MERGE_REGIONS_H_

#include "ir/graph.h"

namespace fovea {

/// Names, in Function::region, the region that each composite will be part of. A composite joins the region of the
/// first one that it reads where both have the same target and nothing else reads that. So a region is a row of
/// composites, each read by the next one only, with one output; what else they read comes from outside. Run after
/// annotate_target.
Graph merge_regions(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_MERGE_REGIONS_H_
