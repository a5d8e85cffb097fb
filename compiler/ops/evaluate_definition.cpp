// SPDX-License-Identifier: Apache-2.0
/// \file
/// Computes a definition's value, many elements at a time.
#include <algorithm>
#include <map>

#include "definition.h"
#include "operator.h"
#include "scalar_arithmetic.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Elements that are computed together.
constexpr int64_t kRun = 1024;

bool is_real(const Expression& x) { return x->type == ScalarType::kFloat64; }

/// The value of an expression at each place of a run; one value where it is the same at all of them.
struct Values {
  std::vector<double> reals;
  std::vector<int64_t> integers;

  double real_at(std::size_t i) const { return reals[reals.size() == 1 ? 0 : i]; }
  int64_t integer_at(std::size_t i) const { return integers[integers.size() == 1 ? 0 : i]; }
  std::size_t size() const { return std::max(reals.size(), integers.size()); }
};

/// A tensor that is read: an input, or a stage.
struct Source {
  Shape shape;
  const Tensor* tensor = nullptr;
  const Values* stage = nullptr;
};

class Evaluator {
 public:
  Evaluator(const Call& call, std::vector<Source> sources) : call_(call), sources_(std::move(sources)) {}

  /// All elements of a stage.
  Values run(const Stage& stage) {
    Values all;
    const int64_t count = count_elements(stage.shape);
    for (int64_t first = 0; first < count; first += kRun) {
      begin(stage.shape, first, std::min(kRun, count - first));
      const Values values = evaluate(stage.value);
      for (std::size_t i = 0; i < run_size_; ++i) {
        is_real(stage.value) ? all.reals.push_back(values.real_at(i)) : all.integers.push_back(values.integer_at(i));
      }
    }
    return all;
  }

 private:
  void begin(const Shape& shape, int64_t first, int64_t count) {
    variables_.clear();
    shape_ = &shape;
    first_ = first;
    run_size_ = static_cast<std::size_t>(count);
  }

  /// The indices along an axis of the stage, at each place of the run.
  const Values& variable_values(int id) {
    const auto [found, is_new] = variables_.try_emplace(id);
    if (is_new) {
      const auto axis = shape_->begin() + id;
      const int64_t size = *axis, inner = count_elements(Shape(axis + 1, shape_->end()));
      if (size == 1) {
        found->second.integers = {0};
        return found->second;
      }
      for (std::size_t i = 0; i < run_size_; ++i) {
        found->second.integers.push_back((first_ + static_cast<int64_t>(i)) / inner % size);
      }
    }
    return found->second;
  }

  Values evaluate(const Expression& x) {
    switch (x->kind) {
      case ExpressionKind::kNumber:
        return is_real(x) ? Values{{x->real}, {}} : Values{{}, {x->integer}};
      case ExpressionKind::kVariable:
        return variable_values(x->id);
      case ExpressionKind::kElement:
        return elements(*x);
      case ExpressionKind::kReduce:
        return reduced(*x);
      default:
        return applied(*x);
    }
  }

  Values elements(const ExpressionNode& x) {
    const Source& source = sources_[static_cast<std::size_t>(x.id)];
    std::vector<Values> indices;
    std::size_t size = 1;
    for (const Expression& each : x.arguments) {
      indices.push_back(evaluate(each));
      size = std::max(size, indices.back().size());
    }
    const Values outside = x.outside ? evaluate(x.outside) : Values{};
    size = std::max(size, outside.size());
    Values values;
    for (std::size_t i = 0; i < size; ++i) {
      int64_t place = 0;
      bool is_inside = true;
      for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        const int64_t index = indices[axis].integer_at(i);
        is_inside &= index >= 0 && index < source.shape[axis];
        place = place * source.shape[axis] + index;
      }
      internal_check(is_inside || x.outside, call_name(call_) + ": its definition stays inside of its inputs");
      read(x, source, is_inside ? place : -1, outside, i, values);
    }
    return values;
  }

  static void read(const ExpressionNode& x, const Source& source, int64_t place, const Values& outside, std::size_t i,
                   Values& values) {
    const auto at = static_cast<std::size_t>(place);
    if (x.type == ScalarType::kFloat64) {
      values.reals.push_back(place < 0                  ? outside.real_at(i)
                             : source.tensor != nullptr ? source.tensor->at(at)
                                                        : source.stage->reals[at]);
    } else {
      values.integers.push_back(place < 0                  ? outside.integer_at(i)
                                : source.tensor != nullptr ? source.tensor->integer_at(at)
                                                           : source.stage->integers[at]);
    }
  }

  Values reduced(const ExpressionNode& x) {
    Values sum = evaluate(x.arguments[0]);
    int64_t count = 1;
    for (const Axis& axis : x.axes) {
      count *= axis.size;
    }
    for (int64_t k = 0; k < count; ++k) {
      int64_t rest = k;
      for (std::size_t i = x.axes.size(); i-- > 0;) {
        variables_[x.axes[i].id].integers.assign(1, rest % x.axes[i].size);
        rest /= x.axes[i].size;
      }
      sum = combined(x.function, x.type == ScalarType::kFloat64, sum, evaluate(x.arguments[1]));
    }
    return sum;
  }

  Values combined(ScalarFunction function, bool of_reals, const Values& a, const Values& b) {
    Values values;
    const std::size_t size = std::max(a.size(), b.size());
    for (std::size_t i = 0; i < size; ++i) {
      if (of_reals) {
        values.reals.push_back(on_reals(function, a.real_at(i), b.real_at(i)));
      } else {
        const auto value = on_integers(function, a.integer_at(i), b.integer_at(i));
        check_call(value.has_value(), call_, "divides an integer by 0");
        values.integers.push_back(*value);
      }
    }
    return values;
  }

  Values applied(const ExpressionNode& x) {
    const Values a = evaluate(x.arguments[0]);
    const bool of_reals = is_real(x.arguments[0]);
    Values values;
    switch (x.function) {
      case ScalarFunction::kNot:
        std::transform(a.integers.begin(), a.integers.end(), std::back_inserter(values.integers),
                       [](int64_t each) { return each == 0 ? 1 : 0; });
        return values;
      case ScalarFunction::kFloat32:
        std::transform(a.reals.begin(), a.reals.end(), std::back_inserter(values.reals),
                       [](double each) { return static_cast<double>(static_cast<float>(each)); });
        return values;
      case ScalarFunction::kFloat64:
        std::transform(a.integers.begin(), a.integers.end(), std::back_inserter(values.reals),
                       [](int64_t each) { return static_cast<double>(each); });
        return of_reals ? a : values;
      case ScalarFunction::kInt64:
      case ScalarFunction::kIndex:
        std::transform(a.reals.begin(), a.reals.end(), std::back_inserter(values.integers), truncated);
        return of_reals ? values : a;
      case ScalarFunction::kSelect:
        return selected(x, a);
      case ScalarFunction::kLess:
      case ScalarFunction::kLessEqual:
      case ScalarFunction::kEqual:
        return of_reals ? compared(x.function, a, evaluate(x.arguments[1]))
                        : combined(x.function, false, a, evaluate(x.arguments[1]));
      default:
        break;
    }
    if (is_real_function(x.function)) {
      std::transform(a.reals.begin(), a.reals.end(), std::back_inserter(values.reals),
                     [&](double each) { return apply_function(x.function, each); });
      return values;
    }
    return combined(x.function, of_reals, a, evaluate(x.arguments[1]));
  }

  static Values compared(ScalarFunction function, const Values& a, const Values& b) {
    Values values;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      values.integers.push_back(compares(function, a.real_at(i), b.real_at(i)) ? 1 : 0);
    }
    return values;
  }

  Values selected(const ExpressionNode& x, const Values& condition) {
    const Values a = evaluate(x.arguments[1]), b = evaluate(x.arguments[2]);
    Values values;
    for (std::size_t i = 0; i < std::max({condition.size(), a.size(), b.size()}); ++i) {
      const Values& chosen = condition.integer_at(i) != 0 ? a : b;
      x.type == ScalarType::kFloat64 ? values.reals.push_back(chosen.real_at(i))
                                     : values.integers.push_back(chosen.integer_at(i));
    }
    return values;
  }

  const Call& call_;
  std::vector<Source> sources_;
  const Shape* shape_ = nullptr;
  int64_t first_ = 0;
  std::size_t run_size_ = 0;
  std::map<int, Values> variables_;
};

}  // namespace

Tensor evaluate_definition(const Call& call, const Definition& definition, const TensorType& result,
                           const std::vector<const Tensor*>& inputs) {
  std::vector<Source> sources;
  for (const Tensor* input : inputs) {
    sources.push_back({input->type().shape, input, nullptr});
  }
  std::vector<Values> stages;
  stages.reserve(definition.stages.size());
  for (const Stage& stage : definition.stages) {
    stages.push_back(Evaluator(call, sources).run(stage));
    sources.push_back({stage.shape, nullptr, &stages.back()});
  }
  Tensor value(result);
  const Values& last = stages.back();
  for (std::size_t i = 0; i < last.reals.size(); ++i) {
    value.set(i, last.reals[i]);
  }
  for (std::size_t i = 0; i < last.integers.size(); ++i) {
    value.set_integer(i, last.integers[i]);
  }
  return value;
}

}  // namespace fovea
