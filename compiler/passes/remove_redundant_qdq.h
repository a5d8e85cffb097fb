// SPDX-License-Identifier: Apache-2.0
/// \file
/// Removes pairs of dequantize and quantize that change nothing.
#pragma once

#include "ir/graph.h"

namespace fovea {

/// Replaces quantize(dequantize(q)) by q where both have the same scales, zero points and element type.
/// The pair the other way round rounds, and stays.
Graph remove_redundant_qdq(const Graph& graph);

}  // namespace fovea
