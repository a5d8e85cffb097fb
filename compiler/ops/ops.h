// SPDX-License-Identifier: Apache-2.0
/// \file
/// Declares the functions that rows of ops.def name: an operator's type, and its definition, or where it has none its
/// value on constant tensors.
///
/// A type function throws UserError naming the call where the inputs don't fit. An operator that moves elements has a
/// function that applies it to an index map; its value is that of the map.
#pragma once

#include <vector>

#include "call.h"
#include "definition.h"
#include "tensor/tensor.h"

namespace fovea {

class IndexMap;

#define FOVEA_UNARY(name_, attributes_, type_, value_) \
  TensorType type_(const Call& call, const std::vector<TensorType>& inputs);
#define FOVEA_BINARY(name_, type_, value_) TensorType type_(const Call& call, const std::vector<TensorType>& inputs);
#define FOVEA_DEFINED(name_, inputs_, attributes_, type_, define_)           \
  TensorType type_(const Call& call, const std::vector<TensorType>& inputs); \
  Definition define_(const Call& call, const std::vector<TensorType>& inputs);
#define FOVEA_MOVE(name_, inputs_, attributes_, type_, move_)                \
  TensorType type_(const Call& call, const std::vector<TensorType>& inputs); \
  bool move_(const Call& call, const std::vector<const Tensor*>& inputs, IndexMap& map);
#define FOVEA_OP(name_, inputs_, attributes_, type_, evaluate_)              \
  TensorType type_(const Call& call, const std::vector<TensorType>& inputs); \
  Tensor evaluate_(const Call& call, const std::vector<const Tensor*>& inputs);
#include "ops.def"
#undef FOVEA_UNARY
#undef FOVEA_BINARY
#undef FOVEA_DEFINED
#undef FOVEA_MOVE
#undef FOVEA_OP

/// Two operands of one element type, broadcast.
TensorType binary_type(const Call& call, const std::vector<TensorType>& inputs);

/// \return `type`.   \throws UserError where it is of bool.
TensorType check_numbers(const Call& call, const TensorType& type);

/// The evaluation of operators that have a definition.
Tensor evaluate_defined(const Call& call, const std::vector<const Tensor*>& inputs);

/// The evaluation of operators that move elements.
Tensor evaluate_moved(const Call& call, const std::vector<const Tensor*>& inputs);

/// A shape as the value that shape_of gives.
Tensor evaluate_shape(const Shape& shape);

/// Attributes of an "unsupported" call. \param op  What can't be compiled: "LSTM".   \param why  One line, as a
/// UserError's; "" where it only reads what can't be compiled.   \param type  Of its result.
Attributes unsupported_attributes(std::string op, std::string why, const TensorType& type);

}  // namespace fovea
