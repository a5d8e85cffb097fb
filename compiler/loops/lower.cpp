// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lowers definitions: loops over the result's axes, each stage computed as far inside as it needs to be.
#include "lower.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "interval.h"
#include "tensor/error.h"

namespace fovea {
namespace {

bool is_arithmetic(ScalarFunction function) {
  return function == ScalarFunction::kAdd || function == ScalarFunction::kSubtract ||
         function == ScalarFunction::kMultiply || function == ScalarFunction::kDivide;
}

bool is_float32(const Expression& x) { return x->type == ScalarType::kFloat32; }
bool is_real(const Expression& x) { return is_float32(x) || x->type == ScalarType::kFloat64; }

class Lowering {
 public:
  Lowering(std::string name, const Definition& definition, const std::vector<std::string>& names,
           const TensorType& result)
      : definition_(definition), shape_(result.shape) {
    nest_.name = std::move(name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const TensorType& type = definition.inputs[i];
      nest_.buffers.push_back({names[i], MemoryScope::kInput, stored_type(type.element), type.shape});
    }
    nest_.buffers.push_back({"y", MemoryScope::kOutput, stored_type(result.element), result.shape});
    output_ = static_cast<int>(names.size());
    ranges_ = ranges_of(nest_.buffers);
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      ranges_.variables[static_cast<int>(axis)] = {0, shape_[axis] - 1};
    }
    next_axis_ = static_cast<int>(shape_.size());
    for (const Stage& stage : definition.stages) {
      count_uses(stage.value);
    }
  }

  Nest run() {
    nest_.body = loops(loop_order(), 0);
    return std::move(nest_);
  }

 private:
  /// Whether a stage has one place for all indices of an axis that the result has several of.
  bool is_reduced(const Stage& stage, std::size_t axis) const { return stage.shape[axis] != shape_[axis]; }

  /// The result's axes, those outermost that most stages have.
  std::vector<std::size_t> loop_order() const {
    std::vector<std::size_t> order(shape_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto reducing = [&](std::size_t axis) {
      return std::count_if(definition_.stages.begin(), definition_.stages.end(),
                           [&](const Stage& stage) { return is_reduced(stage, axis); });
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return reducing(a) < reducing(b); });
    return order;
  }

  /// How many of the ordered loops must be around a stage.
  std::size_t depth_of(const Stage& stage, const std::vector<std::size_t>& order) const {
    std::size_t depth = order.size();
    while (depth > 0 && is_reduced(stage, order[depth - 1])) {
      --depth;
    }
    return depth;
  }

  /// The loops from `depth` on, and in front of them the stages that need no more around them.
  std::vector<Statement> loops(const std::vector<std::size_t>& order, std::size_t depth) {
    std::vector<Statement> statements;
    for (std::size_t i = 0; i + 1 < definition_.stages.size(); ++i) {
      const Stage& stage = definition_.stages[i];
      if (depth_of(stage, order) == depth) {
        internal_check(i == stages_.size(), "a stage needs only stages that are computed where it is, or outside");
        const Expression value = lowered(stage.value, statements);
        const int id = add_register(value->type, interval_of(value, ranges_));
        statements.push_back(make_store(id, {}, value));
        stages_.push_back(id);
      }
    }
    if (depth < order.size()) {
      const auto axis = static_cast<int>(order[depth]);
      statements.push_back(
          make_loop("i" + std::to_string(axis), {axis, shape_[order[depth]]}, loops(order, depth + 1)));
      return statements;
    }
    const ScalarType type = value_type(nest_.buffers[static_cast<std::size_t>(output_)].type);
    const Expression& value = definition_.stages.back().value;
    const Expression stored =
        type == ScalarType::kFloat32 ? rounded(value, statements) : converted(lowered(value, statements), type);
    statements.push_back(make_store(output_, variables_of(shape_), stored));
    return statements;
  }

  /// \param range  Of what is kept in it, where that is an integer.
  int add_register(ScalarType type, const Interval& range) {
    const StoredType stored = type == ScalarType::kFloat32   ? StoredType::kFloat32
                              : type == ScalarType::kFloat64 ? StoredType::kFloat64
                                                             : shortest_type(range);
    internal_check(value_type(stored) == type, "a register holds a number");
    nest_.buffers.push_back({"t" + std::to_string(registers_++), MemoryScope::kRegister, stored, {}});
    const int id = static_cast<int>(nest_.buffers.size()) - 1;
    if (const auto known = range_of(stored)) {
      ranges_.elements[id] = *known;
    }
    return id;
  }

  /// What a reduction is between, from its first value on. Elements are of one range.
  static Interval range_of_reduction(ScalarFunction function, const Interval& first, const Interval& each,
                                     int64_t count) {
    const bool is_sum = function == ScalarFunction::kAdd && first.is_within(kInt32Range) &&
                        each.is_within(kInt32Range) && count <= kInt32Range.high;
    if (is_sum) {
      return {first.low + std::min<int64_t>(0, count * each.low), first.high + std::max<int64_t>(0, count * each.high)};
    }
    const bool is_kept = function == ScalarFunction::kMaximum || function == ScalarFunction::kMinimum;
    return is_kept ? Interval{std::min(first.low, each.low), std::max(first.high, each.high)} : kAnyIndex;
  }

  /// x as float32, one rounding of what it is as a real number.
  Expression rounded(const Expression& x, std::vector<Statement>& before) {
    if (x->kind == ExpressionKind::kApply && is_arithmetic(x->function) && is_real(x)) {
      const Expression a = lowered(x->arguments[0], before), b = lowered(x->arguments[1], before);
      if (is_float32(a) && is_float32(b)) {
        return apply(x->function, {a, b});
      }
      return converted(widened(x->function, a, b), ScalarType::kFloat32);
    }
    return converted(lowered(x, before), ScalarType::kFloat32);
  }

  static Expression widened(ScalarFunction function, const Expression& a, const Expression& b) {
    return apply(function, {converted(a, ScalarType::kFloat64), converted(b, ScalarType::kFloat64)});
  }

  /// x in the types of loops: exactly what it is as a real number, but for functions.def. Statements that must come
  /// before it are added.
  Expression lowered(const Expression& x, std::vector<Statement>& before) {
    switch (x->kind) {
      case ExpressionKind::kNumber: {
        const Expression narrow = is_real(x) ? number_of(x->real, ScalarType::kFloat32) : x;
        return is_real(x) && narrow->real == x->real ? narrow : x;
      }
      case ExpressionKind::kVariable:
        return variable(id_of(x->id));
      case ExpressionKind::kElement:
        return lowered_element(*x, before);
      case ExpressionKind::kReduce:
        return lowered_reduction(x, before);
      default:
        return lowered_call(x, before);
    }
  }

  void count_uses(const Expression& x) {
    if (++uses_[&*x] == 1) {
      std::for_each(x->arguments.begin(), x->arguments.end(), [this](const Expression& each) { count_uses(each); });
    }
  }

  /// A function or a rounded value that is used more than once is computed once, into a register.
  Expression lowered_call(const Expression& x, std::vector<Statement>& before) {
    const bool is_kept = (is_real_function(x->function) || x->function == ScalarFunction::kFloat32) && uses_[&*x] > 1;
    if (const auto found = kept_.find(&*x); found != kept_.end()) {
      return found->second;
    }
    Expression value = lowered_function(*x, before);
    if (!is_kept || value->kind != ExpressionKind::kApply) {
      return value;
    }
    const int id = add_register(value->type, kAnyIndex);  // A real number.
    before.push_back(make_store(id, {}, value));
    return kept_[&*x] = element(id, {}, value->type);
  }

  int id_of(int id) const {
    const auto found = renamed_.find(id);
    return found == renamed_.end() ? id : found->second;
  }

  Expression lowered_element(const ExpressionNode& x, std::vector<Statement>& before) {
    const auto id = static_cast<std::size_t>(x.id);
    if (id >= definition_.inputs.size()) {
      const int stage = stages_[id - definition_.inputs.size()];
      return element(stage, {}, value_type(nest_.buffers[static_cast<std::size_t>(stage)].type));
    }
    const NestBuffer& buffer = nest_.buffers[id];
    std::vector<Expression> indices;
    bool is_inside = true;
    for (std::size_t axis = 0; axis < x.arguments.size(); ++axis) {
      indices.push_back(lowered(x.arguments[axis], before));
      is_inside &= interval_of(indices.back(), ranges_).is_within({0, buffer.shape[axis] - 1});
    }
    const ScalarType type = value_type(buffer.type);
    internal_check(is_inside || x.outside, nest_.name + ": its definition stays inside of its inputs");
    return element(x.id, std::move(indices), type,
                   is_inside ? Expression() : converted(lowered(x.outside, before), type));
  }

  Expression lowered_reduction(const Expression& x, std::vector<Statement>& before) {
    std::vector<Statement> body;
    std::vector<std::pair<std::string, Axis>> axes;
    for (const Axis& axis : x->axes) {
      const Axis own{next_axis_++, axis.size};
      ranges_.variables[own.id] = {0, own.size - 1};
      renamed_[axis.id] = own.id;
      axes.emplace_back("k" + std::to_string(reductions_++), own);
    }
    const bool is_narrow = x->function == ScalarFunction::kAddFloat32;
    Expression first = is_narrow ? rounded(x->arguments[0], before) : lowered(x->arguments[0], before);
    const auto kept = kept_;  // What the body keeps is of one turn.
    Expression each = is_narrow ? rounded(x->arguments[1], body) : lowered(x->arguments[1], body);
    kept_ = kept;
    const bool is_kept =
        is_narrow || x->function == ScalarFunction::kMaximum || x->function == ScalarFunction::kMinimum;
    if (is_real(each) && (!is_kept || !is_float32(first) || !is_float32(each))) {
      first = converted(first, ScalarType::kFloat64);
      each = converted(each, ScalarType::kFloat64);
    }
    const int64_t count = std::accumulate(x->axes.begin(), x->axes.end(), int64_t{1},
                                          [](int64_t product, const Axis& axis) { return product * axis.size; });
    const int sum = add_register(
        each->type, range_of_reduction(x->function, interval_of(first, ranges_), interval_of(each, ranges_), count));
    Expression so_far = element(sum, {}, each->type);
    body.push_back(make_store(sum, {}, apply(is_narrow ? ScalarFunction::kAdd : x->function, {so_far, each})));
    for (std::size_t i = axes.size(); i-- > 0;) {
      Statement loop = make_loop(axes[i].first, axes[i].second, std::move(body));
      body = {};
      body.push_back(std::move(loop));
    }
    before.push_back(make_store(sum, {}, first));
    before.push_back(std::move(body.front()));
    return so_far;
  }

  Expression lowered_function(const ExpressionNode& x, std::vector<Statement>& before) {
    if (x.function == ScalarFunction::kFloat32) {
      return rounded(x.arguments[0], before);
    }
    if (is_real_function(x.function)) {
      return apply(x.function, {rounded(x.arguments[0], before)});
    }
    if (x.function == ScalarFunction::kPower) {
      const Expression base = rounded(x.arguments[0], before);
      return apply(x.function, {base, rounded(x.arguments[1], before)});
    }
    std::vector<Expression> arguments;
    for (const Expression& each : x.arguments) {
      arguments.push_back(lowered(each, before));
    }
    switch (x.function) {
      case ScalarFunction::kFloat64:
      case ScalarFunction::kInt64:
      case ScalarFunction::kIndex:
        return converted(arguments[0], x.type);
      default:
        break;
    }
    const std::size_t first = arguments.size() - std::min<std::size_t>(arguments.size(), 2);
    const bool is_exact = !is_arithmetic(x.function) && x.function != ScalarFunction::kRemainder;
    const bool are_narrow =
        std::all_of(arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end(), is_float32);
    for (std::size_t i = first; i < arguments.size(); ++i) {
      const bool is_wide = is_real(arguments[i]) && !(is_exact && are_narrow);
      arguments[i] = is_wide ? converted(arguments[i], ScalarType::kFloat64) : arguments[i];
    }
    return apply(x.function, std::move(arguments));
  }

  const Definition& definition_;
  Shape shape_;
  Nest nest_;
  int output_ = 0;
  Ranges ranges_;
  std::map<int, int> renamed_;  ///< A definition's axes of reductions, as the nest's.
  std::vector<int> stages_;     ///< The registers of stages.
  std::map<const ExpressionNode*, int> uses_;
  std::map<const ExpressionNode*, Expression> kept_;  ///< What is in a register by now.
  int next_axis_ = 0, reductions_ = 0, registers_ = 0;
};

}  // namespace

Nest lower(std::string name, const Definition& definition, const std::vector<std::string>& names,
           const TensorType& result) {
  internal_check(names.size() == definition.inputs.size(), "each input has a name");
  return Lowering(std::move(name), definition, names, result).run();
}

}  // namespace fovea
