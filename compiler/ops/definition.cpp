// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds definitions, and finds those of calls.
#include "definition.h"

#include "ir/error.h"
#include "ir/operator.h"
#include "ops.h"

namespace fovea {

ScalarType value_type(ElementType element) {
  return element == ElementType::kFloat32 ? ScalarType::kFloat64 : ScalarType::kInt64;
}

std::vector<Expression> variables_of(const Shape& shape) {
  std::vector<Expression> variables;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    variables.push_back(variable(static_cast<int>(i)));
  }
  return variables;
}

DefinitionBuilder::DefinitionBuilder(std::vector<TensorType> inputs, Shape result)
    : definition_{std::move(inputs), {}}, result_(std::move(result)), next_axis_(static_cast<int>(result_.size())) {}

Expression DefinitionBuilder::at(std::size_t i, std::vector<Expression> indices, Expression outside) const {
  const TensorType& type = definition_.inputs.at(i);
  internal_check(indices.size() == type.shape.size(), "an element has an index an axis");
  return element(static_cast<int>(i), std::move(indices), value_type(type.element), std::move(outside));
}

Expression DefinitionBuilder::broadcast(std::size_t i) const {
  const Shape& shape = definition_.inputs.at(i).shape;
  std::vector<Expression> indices;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool is_one = shape[axis] == 1;
    indices.push_back(is_one ? integer_number(0, ScalarType::kIndex) : place(result_.size() - shape.size() + axis));
  }
  return at(i, std::move(indices));
}

Expression DefinitionBuilder::stage(const std::vector<std::size_t>& reduced, const Expression& value) {
  Shape shape = result_;
  std::vector<Expression> indices = places();
  for (const std::size_t axis : reduced) {
    shape[axis] = 1;
    indices[axis] = integer_number(0, ScalarType::kIndex);
  }
  definition_.stages.push_back({std::move(shape), value});
  const std::size_t id = definition_.inputs.size() + definition_.stages.size() - 1;
  return element(static_cast<int>(id), std::move(indices), value->type);
}

Definition DefinitionBuilder::result(const Expression& value) {
  definition_.stages.push_back({result_, value});
  return std::move(definition_);
}

namespace {

/// f of each element, at its own place.
Definition define_unary(const Node& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  return builder.result(call.op->unary(call, real(builder.broadcast(0))));
}

Definition define_binary(const Node& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, call.op->infer_type(call, inputs).shape);
  return builder.result(call.op->binary(builder.broadcast(0), builder.broadcast(1)));
}

}  // namespace

std::optional<Definition> definition_of(const Node& call, const std::vector<TensorType>& inputs) {
  const Operator& op = *call.op;
  const DefineFunction define = op.unary != nullptr ? define_unary : op.binary != nullptr ? define_binary : op.define;
  return define == nullptr ? std::nullopt : std::optional(define(call, inputs));
}

Tensor evaluate_defined(const Node& call, const std::vector<const Tensor*>& inputs) {
  std::vector<TensorType> types;
  for (const Tensor* input : inputs) {
    types.push_back(input->type());
  }
  return evaluate_definition(call, *definition_of(call, types), call.op->infer_type(call, types), inputs);
}

}  // namespace fovea
