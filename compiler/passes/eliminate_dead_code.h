// SPDX-License-Identifier: Apache-2.0
/// \file
/// Drops what no output needs.
#ifndef FOVEA_COMPILER_PASSES_ELIMINATE_DEAD_CODE_H_
#define FOVEA_COMPILER_PASSES_ELIMINATE_DEAD_CODE_H_

#include "ir/graph.h"

namespace fovea {

/// Removes values that no output depends on. Inputs stay, read or not: they are what a caller gives.
Graph eliminate_dead_code(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_ELIMINATE_DEAD_CODE_H_
