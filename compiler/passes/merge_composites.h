// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fuses what one runtime call computes.
#ifndef FOVEA_COMPILER_PASSES_MERGE_COMPOSITES_H_
#define FOVEA_COMPILER_PASSES_MERGE_COMPOSITES_H_

#include "ir/graph.h"

namespace fovea {

/// Replaces each match of a fusion (layers/layer_kinds.def) by a call of a composite that holds the matched operators
/// and constants. Starts at the outputs and takes, at each value, the first row of the table that matches. What matches
/// no row stays as it is; a match that no layer computes becomes "unsupported", with the reason.
Graph merge_composites(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_MERGE_COMPOSITES_H_
