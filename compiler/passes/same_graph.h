// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares graphs.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Whether two graphs have the same nodes in the same order: kinds, inputs, attributes, constants, functions and
/// origins.
bool is_same_graph(const Graph& a, const Graph& b);

}  // namespace fovea
