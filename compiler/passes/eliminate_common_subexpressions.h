// SPDX-License-Identifier: Apache-2.0
/// \file
/// Computes once what is computed more than once.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Merges equal constants, and calls of the same operator with the same attributes and inputs. The first keeps its
/// place and origin.
Graph eliminate_common_subexpressions(const Graph& graph);

}  // namespace fovea
