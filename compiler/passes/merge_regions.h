// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joins neighbouring composites of one target.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Names, in Function::region, the region that each composite will be part of: that of all composites that read it,
/// where they are of one region and of its target, and it is no output; else one of its own. So a region has one
/// output, its last composite's, and no value leaves it and comes back: regions can run one after another. Run after
/// annotate_target.
Graph merge_regions(const Graph& graph);

}  // namespace fovea
