// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds definitions, and finds those of calls.
#include "definition.h"

#include <algorithm>
#include <functional>
#include <map>

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

Expression DefinitionBuilder::at(std::size_t i, std::vector<Expression> indices, const Expression& outside) const {
  const TensorType& type = definition_.inputs.at(i);
  internal_check(indices.size() == type.shape.size(), "an element has an index an axis");
  return element(static_cast<int>(i), std::move(indices), value_type(type.element), outside);
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

namespace {

/// Rewrites expressions: buffers get other ids, variables become expressions, elements of one buffer what computes
/// them.
struct Rewriting {
  std::function<int(int)> buffer;                                     ///< The id that a buffer's becomes.
  std::map<int, Expression> variables;                                ///< Those that are not here stay.
  int replaced = -1;                                                  ///< A buffer, or none.
  std::function<Expression(const std::vector<Expression>&)> element;  ///< Of that buffer, at such indices.
  std::map<const ExpressionNode*, Expression> done = {};              ///< So that what was one value stays one.
  int* next_axis = nullptr;  ///< Reductions get variables from there on; null leaves them theirs.

  Expression operator()(const Expression& x) {
    const auto found = done.find(&*x);
    return found != done.end() ? found->second : done.emplace(&*x, rewritten(x)).first->second;
  }

  Expression rewritten(const Expression& x) {
    if (x->kind == ExpressionKind::kVariable) {
      const auto found = variables.find(x->id);
      return found == variables.end() ? x : found->second;
    }
    ExpressionNode node = *x;
    for (Axis& axis : node.axes) {
      if (next_axis != nullptr) {
        variables[axis.id] = variable(*next_axis);
        axis.id = (*next_axis)++;
      }
    }
    for (Expression& each : node.arguments) {
      each = (*this)(each);
    }
    if (node.outside) {
      node.outside = (*this)(node.outside);
    }
    if (node.kind == ExpressionKind::kElement) {
      if (node.id == replaced) {
        internal_check(!node.outside, "what is computed where it is needed has elements everywhere it is needed");
        return element(node.arguments);
      }
      node.id = buffer(node.id);
    }
    return Expression(std::move(node));
  }
};

/// One more than the largest id of a variable.
int count_variables(const Expression& x) {
  int count = x->kind == ExpressionKind::kVariable ? x->id + 1 : 0;
  for (const Expression& each : x->arguments) {
    count = std::max(count, count_variables(each));
  }
  return std::max(count, x->outside ? count_variables(x->outside) : 0);
}

}  // namespace

Definition composed(const Definition& outer, std::size_t i, const Definition& inner) {
  internal_check(inner.stages.size() == 1, "what is computed where it is needed is one stage");
  const auto at = static_cast<int>(i), more = static_cast<int>(inner.inputs.size()) - 1;
  Definition all;
  all.inputs = outer.inputs;
  all.inputs.erase(all.inputs.begin() + at);
  all.inputs.insert(all.inputs.begin() + at, inner.inputs.begin(), inner.inputs.end());
  int next_axis = static_cast<int>(outer.stages.back().shape.size());
  for (const Stage& stage : outer.stages) {
    next_axis = std::max(next_axis, count_variables(stage.value));
  }
  for (const Stage& stage : outer.stages) {
    Rewriting rewriting;
    rewriting.buffer = [&](int id) { return id < at ? id : id + more; };
    rewriting.replaced = at;
    rewriting.element = [&](const std::vector<Expression>& indices) {
      Rewriting place;
      place.buffer = [&](int id) { return at + id; };
      for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        place.variables[static_cast<int>(axis)] = indices[axis];
      }
      place.next_axis = &next_axis;
      return float32(place(inner.stages[0].value));
    };
    all.stages.push_back({stage.shape, rewriting(stage.value)});
  }
  return all;
}

Tensor evaluate_defined(const Node& call, const std::vector<const Tensor*>& inputs) {
  std::vector<TensorType> types;
  for (const Tensor* input : inputs) {
    types.push_back(input->type());
  }
  return evaluate_definition(call, *definition_of(call, types), call.op->infer_type(call, types), inputs);
}

}  // namespace fovea
