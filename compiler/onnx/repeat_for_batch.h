// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network of one picture, made one of several.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// The graph for `pictures` at once. Inputs whose first dimension is 1 get that many; of other inputs all pictures have
/// the same. Each value is followed from there: along which axis its pictures are, those outermost along it. Constants
/// that are joined with pictures are repeated for each. UserError where an operator takes pictures together, or it is
/// not known that it keeps them apart. \param name  The model's, for messages.
Graph repeat_for_batch(const Graph& graph, int64_t pictures, const std::string& name);

}  // namespace fovea
