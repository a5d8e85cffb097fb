// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gives outputs that nothing computes a layer that writes them.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// An output that is a constant or an input becomes a cast of it to its own type, which is a layer; a constant without
/// a batch of 1 gets that in front.
Graph copy_outputs(const Graph& graph);

}  // namespace fovea
