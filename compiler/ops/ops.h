// SPDX-License-Identifier: Apache-2.0
/// \file
/// Declares the two functions of each operator: its type, and its value on constant tensors.
///
/// A type function throws UserError naming the call where the inputs don't fit. An evaluation is the operator's
/// meaning, written plainly: constant folding and the tests use it, never a compiled network. An operator that moves
/// elements has a third, which applies it to an index map; its evaluation is that of the map.
#ifndef FOVEA_COMPILER_OPS_OPS_H_
#define FOVEA_COMPILER_OPS_OPS_H_

#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"

namespace fovea {

class IndexMap;

#define FOVEA_OP(name_, inputs_, attributes_, type_, evaluate_)              \
  TensorType type_(const Node& call, const std::vector<TensorType>& inputs); \
  Tensor evaluate_(const Node& call, const std::vector<const Tensor*>& inputs);
#define FOVEA_MOVE(name_, inputs_, attributes_, type_, move_)                \
  TensorType type_(const Node& call, const std::vector<TensorType>& inputs); \
  bool move_(const Node& call, const std::vector<const Tensor*>& inputs, IndexMap& map);
#include "ir/ops.def"
#undef FOVEA_OP
#undef FOVEA_MOVE

/// The evaluation of operators that move elements.
Tensor evaluate_moved(const Node& call, const std::vector<const Tensor*>& inputs);

/// Attributes of an "unsupported" call. \param op  What can't be compiled: "LSTM".   \param why  One line, as a
/// UserError's; "" where it only reads what can't be compiled.   \param type  Of its result.
Attributes unsupported_attributes(std::string op, std::string why, const TensorType& type);

/// UserError with a line for each reason in "unsupported" calls, where there are any.
void refuse_unsupported(const Graph& graph);

}  // namespace fovea

#endif  // FOVEA_COMPILER_OPS_OPS_H_
