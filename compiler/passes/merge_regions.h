// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joins neighbouring composites of one target.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Names, in Function::region, the region that each composite will be part of: that of all composites that read it,
/// where they are of one region and of its target, and it is no output; else one of its own. A part of a value
/// whose readers are of other regions is in that value's region. So the results of a region are its last
/// composite's and parts of that, and no value leaves it and comes back: regions can run one after another. Run after
/// annotate_target.
Graph merge_regions(const Graph& graph);

}  // namespace fovea
