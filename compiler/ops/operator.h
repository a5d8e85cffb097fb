// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of operators (ops.def), looked up by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "tensor/tensor.h"

namespace fovea {

/// Computes a call's type from its inputs' types. UserError, beginning with call_name(call), where they don't fit.
using TypeFunction = TensorType (*)(const Call& call, const std::vector<TensorType>& inputs);

/// Computes a call's value. \pre The types fit.
using EvaluateFunction = Tensor (*)(const Call& call, const std::vector<const Tensor*>& inputs);

struct Definition;
class Expression;
class IndexMap;

/// Computes what a call computes, from its inputs' types.
using DefineFunction = Definition (*)(const Call& call, const std::vector<TensorType>& inputs);

/// What an operator of one or of two numbers makes of them.
using UnaryFunction = Expression (*)(const Call& call, const Expression& x);
using BinaryFunction = Expression (*)(const Expression& a, const Expression& b);

/// Applies a call that moves elements to what moved them before. \param inputs  Its constants; the first is not looked
/// at. \return false where the two are no index map together.
using MoveFunction = bool (*)(const Call& call, const std::vector<const Tensor*>& inputs, IndexMap& map);

enum class AttributeKind { kInt, kFloat, kInts, kText };

struct AttributeSpec {
  std::string name;
  AttributeKind kind;
};

/// One row of ops.def.
struct Operator {
  std::string name;
  std::vector<std::string> inputs;
  bool is_variadic = false;  ///< The last input may be given more than once.
  std::vector<AttributeSpec> attributes;
  TypeFunction infer_type = nullptr;
  EvaluateFunction evaluate = nullptr;
  // At most one of these.
  MoveFunction move = nullptr;      ///< Of elements that only change their places.
  DefineFunction define = nullptr;  ///< Of all others that are expressions of their inputs' elements.
  UnaryFunction unary = nullptr;
  BinaryFunction binary = nullptr;
};

/// All rows, in the order of ops.def.
const std::vector<Operator>& operators();

/// The row of that name, or null.
const Operator* find_operator(std::string_view name);

/// Checks the number of inputs and the attributes of a call against its operator's row, then infers its type and checks
/// its shape.
TensorType infer_type(const Call& call, const std::vector<TensorType>& inputs);

}  // namespace fovea
