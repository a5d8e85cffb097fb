// SPDX-License-Identifier: Apache-2.0
/// \file
/// Removes pairs of dequantize and quantize that change nothing.
#ifndef FOVEA_COMPILER_PASSES_REMOVE_REDUNDANT_QDQ_H_
#define FOVEA_COMPILER_PASSES_REMOVE_REDUNDANT_QDQ_H_

#include "ir/graph.h"

namespace fovea {

/// Replaces quantize(dequantize(q)) by q where both have the same scales, zero points and element type.
/// The pair the other way round rounds, and stays.
Graph remove_redundant_qdq(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PASSES_REMOVE_REDUNDANT_QDQ_H_
