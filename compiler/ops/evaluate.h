// SPDX-License-Identifier: Apache-2.0
/// \file
/// The IR's meaning: computes values from constants, operator by operator.
#ifndef FOVEA_COMPILER_OPS_EVALUATE_H_
#define FOVEA_COMPILER_OPS_EVALUATE_H_

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"

namespace fovea {

/// Runs a graph, functions included. Slow and plain: for tests and small constants.
/// \param arguments  One tensor an input of the graph, of its type.   \return One tensor an output.
std::vector<Tensor> evaluate(const Graph& graph, const std::vector<Tensor>& arguments);

/// A shape as the value that shape_of gives.
Tensor evaluate_shape(const Shape& shape);

/// Whether a value depends on constants (and shapes) only.
bool is_constant(const Graph& graph, NodeId id);

/// Value of one node where it depends on constants (and shapes) only; nothing where it depends on an input.
std::optional<Tensor> evaluate_constant(const Graph& graph, NodeId id);

}  // namespace fovea

#endif  // FOVEA_COMPILER_OPS_EVALUATE_H_
