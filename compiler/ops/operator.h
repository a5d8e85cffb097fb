// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of operators (ops.def), looked up by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "tensor/tensor.h"

namespace fovea {

/// Computes a call's type from its inputs' types. UserError, beginning with call_name(call), where they don't fit.
using TypeFunction = std::function<TensorType(const Call& call, const std::vector<TensorType>& inputs)>;

/// Computes a call's value. \pre The types fit.
using EvaluateFunction = Tensor (*)(const Call& call, const std::vector<const Tensor*>& inputs);

struct Definition;
class Expression;
class IndexMap;

/// Computes what a call computes, from its inputs' types.
using DefineFunction = std::function<Definition(const Call& call, const std::vector<TensorType>& inputs)>;

/// What an operator of one or of two numbers makes of them.
using UnaryFunction = std::function<Expression(const Call& call, const Expression& x)>;
using BinaryFunction = std::function<Expression(const Call& call, const Expression& a, const Expression& b)>;

/// Applies a call that moves elements to what moved them before. \param inputs  Its constants; the first is not looked
/// at. \return false where the two are no index map together.
using MoveFunction = bool (*)(const Call& call, const std::vector<const Tensor*>& inputs, IndexMap& map);

enum class AttributeKind { kInt, kFloat, kInts, kText };

struct AttributeSpec {
  std::string name;
  AttributeKind kind;
};

/// One row of ops.def, or an operator of the user's.
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

/// An operator of the user's, which graphs that call it keep. Others know nothing of it: it is part of no table.
struct OwnOperator {
  std::shared_ptr<const Operator> op;
  std::string onnx;     ///< The ONNX operator that is imported as a call of it: "ai.mine.Swish"; "" for none.
  Attributes defaults;  ///< Of all its attributes, where the ONNX node has none.
};

/// The row of that name, or the operator of the user's, or nothing.
Call find_call(std::string_view name, const std::vector<OwnOperator>& operators);

/// Checks the number of inputs and the attributes of a call against its operator's row, then infers its type and checks
/// its shape.
TensorType infer_type(const Call& call, const std::vector<TensorType>& inputs);

}  // namespace fovea
