// SPDX-License-Identifier: Apache-2.0
/// \file
/// Drops what no output needs.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Removes values that no output depends on. Inputs stay, read or not: they are what a caller gives.
Graph eliminate_dead_code(const Graph& graph);

}  // namespace fovea
