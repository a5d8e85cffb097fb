// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gives outputs that depend on no input a layer that writes them.
#ifndef FOVEA_COMPILER_PASSES_CONSTANT_OUTPUTS_H_
#define FOVEA_COMPILER_PASSES_CONSTANT_OUTPUTS_H_

#include "ir/graph.h"

namespace fovea {

/// An output that is a constant becomes a cast of it to its own type, which is a layer; one without a batch of 1 gets
/// that in front.
Graph constant_outputs(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_CONSTANT_OUTPUTS_H_
