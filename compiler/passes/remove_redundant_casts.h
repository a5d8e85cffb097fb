// SPDX-License-Identifier: Apache-2.0
/// \file
/// Removes casts that change nothing.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Replaces cast(x, T) by x where x has type T already, and cast(cast(x, U), T) by x where x has type T and every T is
/// a U: uint8 and int8 are float32, int32 and int64, int32 is int64.
Graph remove_redundant_casts(const Graph& graph);

}  // namespace fovea
