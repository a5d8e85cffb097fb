// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds definitions, and finds those of calls.
#include "definition.h"

#include <algorithm>
#include <functional>
#include <map>

#include "operator.h"
#include "ops.h"
#include "tensor/error.h"

namespace fovea {

ScalarType value_type(ElementType element) {
  return element == ElementType::kFloat32 ? ScalarType::kFloat64
         : element == ElementType::kBool  ? ScalarType::kBool
                                          : ScalarType::kInt64;
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
Definition define_unary(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, inputs[0].shape);
  return builder.result(call.op->unary(call, real(builder.broadcast(0))));
}

Definition define_binary(const Call& call, const std::vector<TensorType>& inputs) {
  DefinitionBuilder builder(inputs, call.op->infer_type(call, inputs).shape);
  return builder.result(call.op->binary(call, builder.broadcast(0), builder.broadcast(1)));
}

}  // namespace

std::optional<Definition> definition_of(const Call& call, const std::vector<TensorType>& inputs) {
  const Operator& op = *call.op;
  return op.unary != nullptr    ? std::optional(define_unary(call, inputs))
         : op.binary != nullptr ? std::optional(define_binary(call, inputs))
         : op.define != nullptr ? std::optional(op.define(call, inputs))
                                : std::nullopt;
}

namespace {

double product_of(const std::vector<Axis>& axes) {
  double product = 1;
  for (const Axis& axis : axes) {
    product *= static_cast<double>(axis.size);
  }
  return product;
}

/// Of an expression at one place. \param known  Those of expressions that stand more than once.
double count_steps(const Expression& x, std::map<const ExpressionNode*, double>& known) {
  if (!x) {
    return 0;
  }
  if (const auto found = known.find(&*x); found != known.end()) {
    return found->second;
  }
  double steps = 1 + count_steps(x->outside, known);
  for (std::size_t i = 0; i < x->arguments.size(); ++i) {
    const bool is_repeated = x->kind == ExpressionKind::kReduce && i == 1;
    steps += count_steps(x->arguments[i], known) * (is_repeated ? product_of(x->axes) : 1);
  }
  return known[&*x] = steps;
}

}  // namespace

double count_steps(const Definition& definition) {
  double steps = 0;
  std::map<const ExpressionNode*, double> known;
  for (const Stage& stage : definition.stages) {
    steps += static_cast<double>(count_elements(stage.shape)) * count_steps(stage.value, known);
  }
  return steps;
}

namespace {

/// Rewrites expressions: buffers get other ids, variables become expressions, elements of one buffer what computes
/// them.
struct Rewriting {
  std::function<int(int)> buffer;       ///< The id that a buffer's becomes.
  std::map<int, Expression> variables;  ///< Those that are not here stay.
  int replaced = -1;                    ///< A buffer, or none.
  /// Of that buffer, at such indices, and what it is outside.
  std::function<Expression(const std::vector<Expression>&, const Expression&)> element;
  std::map<const ExpressionNode*, Expression> done = {};  ///< So that what was one value stays one.
  int* next_axis = nullptr;     ///< Reductions get variables from there on; null leaves them theirs.
  bool may_be_outside = false;  ///< Whether other elements may be asked for where there are none, and are 0 there.

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
        return element(node.arguments, node.outside);
      }
      node.id = buffer(node.id);
      if (may_be_outside && !node.outside) {
        node.outside = node.type == ScalarType::kFloat64 ? number_of(0, node.type) : integer_number(0, node.type);
      }
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

/// Whether indices are inside of a shape. \param place  The shape whose variables they are of.
Expression is_inside(const std::vector<Expression>& indices, const Shape& shape, const Shape& place) {
  Expression all;
  const auto require = [&](const Expression& condition) { all = all ? logical_and(all, condition) : condition; };
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    const Expression& index = indices[axis];
    const auto id = static_cast<std::size_t>(index->kind == ExpressionKind::kVariable ? index->id : 0);
    if (index->kind != ExpressionKind::kVariable || id >= place.size() || place[id] > shape[axis]) {
      require(integer_number(0, ScalarType::kIndex) <= index);
      require(index < integer_number(shape[axis], ScalarType::kIndex));
    }
  }
  return all;
}

}  // namespace

Definition composed(const Definition& outer, std::size_t i, const Definition& inner) {
  internal_check(inner.stages.size() == 1 || outer.stages.size() == 1, "one of two operators in a nest is one stage");
  const auto at = static_cast<int>(i), more = static_cast<int>(inner.inputs.size()) - 1;
  Definition all;
  all.inputs = outer.inputs;
  all.inputs.erase(all.inputs.begin() + at);
  all.inputs.insert(all.inputs.begin() + at, inner.inputs.begin(), inner.inputs.end());
  int next_axis = static_cast<int>(outer.stages.back().shape.size());
  for (const Stage& stage : outer.stages) {
    next_axis = std::max(next_axis, count_variables(stage.value));
  }
  const auto inner_id = [&](int id) {
    const int stage = id - static_cast<int>(inner.inputs.size());
    return stage < 0 ? at + id : static_cast<int>(all.inputs.size()) + stage;
  };
  for (std::size_t k = 0; k + 1 < inner.stages.size(); ++k) {
    Rewriting rewriting;
    rewriting.buffer = inner_id;
    rewriting.next_axis = &next_axis;
    all.stages.push_back({inner.stages[k].shape, rewriting(inner.stages[k].value)});
  }
  for (const Stage& stage : outer.stages) {
    Rewriting rewriting;
    rewriting.buffer = [&](int id) { return id < at ? id : id + more; };
    rewriting.replaced = at;
    rewriting.element = [&](const std::vector<Expression>& indices, const Expression& outside) {
      const Shape& shape = inner.stages.back().shape;
      const Expression condition = outside ? is_inside(indices, shape, stage.shape) : Expression();
      Rewriting place;
      place.buffer = inner_id;
      place.may_be_outside = static_cast<bool>(condition);
      for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        place.variables[static_cast<int>(axis)] = indices[axis];
      }
      place.next_axis = &next_axis;
      const Expression value = float32(place(inner.stages.back().value));
      return condition ? select(condition, value, outside) : value;
    };
    all.stages.push_back({stage.shape, rewriting(stage.value)});
  }
  return all;
}

Tensor evaluate_defined(const Call& call, const std::vector<const Tensor*>& inputs) {
  std::vector<TensorType> types;
  for (const Tensor* input : inputs) {
    types.push_back(input->type());
  }
  return evaluate_definition(call, *definition_of(call, types), call.op->infer_type(call, types), inputs);
}

}  // namespace fovea
