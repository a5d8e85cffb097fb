// SPDX-License-Identifier: Apache-2.0
/// \file
/// Computes once what is computed more than once.
#ifndef FOVEA_COMPILER_PASSES_ELIMINATE_COMMON_SUBEXPRESSIONS_H_
#define FOVEA_COMPILER_PASSES_ELIMINATE_COMMON_SUBEXPRESSIONS_H_

#include "ir/graph.h"

namespace fovea {

/// Merges equal constants, and calls of the same operator with the same attributes and inputs. The first keeps its
/// place and origin.
Graph eliminate_common_subexpressions(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_ELIMINATE_COMMON_SUBEXPRESSIONS_H_
