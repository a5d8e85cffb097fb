// SPDX-License-Identifier: Apache-2.0
/// \file
/// Computes a definition's value, many elements at a time.
#include <algorithm>
#include <functional>
#include <map>
#include <type_traits>

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

  std::size_t size() const { return std::max(reals.size(), integers.size()); }
};

/// Of an operand: its values, the next `step` further on.
template <typename T>
struct Operand {
  explicit Operand(const std::vector<T>& values) : at(values.data()), step(values.size() == 1 ? 0 : 1) {}
  T operator[](std::size_t i) const { return at[i * step]; }
  const T* at;
  std::size_t step;
};

template <typename To, typename From, typename Function>
void apply_to_each(std::vector<To>& to, const std::vector<From>& from, Function function) {
  to.resize(from.size());
  std::transform(from.begin(), from.end(), to.begin(), function);
}

template <typename To, typename From, typename Function>
void apply_to_pairs(std::vector<To>& to, const std::vector<From>& a, const std::vector<From>& b, Function function) {
  const Operand<From> left(a), right(b);
  to.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = function(left[i], right[i]);
  }
}

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
      append(all.reals, values.reals);
      append(all.integers, values.integers);
    }
    return all;
  }

 private:
  /// The values of a run, be they one for all its places.
  template <typename T>
  void append(std::vector<T>& all, const std::vector<T>& values) const {
    values.size() == 1 ? all.insert(all.end(), run_size_, values[0])
                       : all.insert(all.end(), values.begin(), values.end());
  }

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
      std::vector<int64_t>& indices = found->second.integers;
      indices.reserve(run_size_);
      int64_t index = first_ / inner % size;
      for (int64_t place = first_, end = first_ + static_cast<int64_t>(run_size_); place < end;) {
        const int64_t stay = std::min(end - place, inner - place % inner);
        indices.insert(indices.end(), static_cast<std::size_t>(stay), index);
        index = index + 1 == size ? 0 : index + 1;
        place += stay;
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

  /// The indices of an element, and what is read where they are outside.
  Values elements(const ExpressionNode& x) {
    const Source& source = sources_[static_cast<std::size_t>(x.id)];
    if (is_at_own_places(x, source)) {
      return run_of(source);
    }
    std::vector<int64_t> places{0};
    for (std::size_t axis = 0; axis < x.arguments.size(); ++axis) {
      const bool is_variable = x.arguments[axis]->kind == ExpressionKind::kVariable;
      const Values other = is_variable ? Values{} : evaluate(x.arguments[axis]);
      const auto& indices = is_variable ? variable_values(x.arguments[axis]->id).integers : other.integers;
      go_along(places, indices, source.shape[axis]);
    }
    const bool is_inside = std::none_of(places.begin(), places.end(), [](int64_t place) { return place < 0; });
    if (!is_inside && !x.outside) {
      internal_check(false, call_name(call_) + ": its definition stays inside of its inputs");
    }
    const Values outside = is_inside ? Values{} : evaluate(x.outside);
    Values values;
    x.type == ScalarType::kFloat64 ? read(source, places, outside.reals, values.reals)
                                   : read(source, places, outside.integers, values.integers);
    return values;
  }

  /// Whether the element at each place of the stage is read there: by the variables of its axes in order, or 0 of an
  /// axis that has nothing else.
  bool is_at_own_places(const ExpressionNode& x, const Source& source) const {
    for (std::size_t axis = 0; axis < x.arguments.size(); ++axis) {
      const ExpressionNode& index = *x.arguments[axis];
      const bool is_own = index.kind == ExpressionKind::kVariable && index.id == static_cast<int>(axis);
      if (!is_own && (source.shape[axis] != 1 || index.kind != ExpressionKind::kNumber)) {
        return false;
      }
    }
    return source.shape == *shape_ && source.tensor != nullptr &&
           source.tensor->type().element == ElementType::kFloat32;
  }

  Values run_of(const Source& source) const {
    const auto run = source.tensor->values<float>().subspan(static_cast<std::size_t>(first_), run_size_);
    return {{run.begin(), run.end()}, {}};
  }

  /// From places in a tensor's outer axes to those in the next one; what is outside of it is below 0.
  static void go_along(std::vector<int64_t>& places, const std::vector<int64_t>& indices, int64_t size) {
    std::vector<int64_t> next;
    apply_to_pairs(next, places, indices, [size](int64_t place, int64_t index) {
      const bool is_inside = place >= 0 && index >= 0 && index < size;
      return is_inside ? place * size + index : -1;
    });
    places = std::move(next);
  }

  template <typename T>
  static void read(const Source& source, const std::vector<int64_t>& places, const std::vector<T>& outside,
                   std::vector<T>& values) {
    if (source.tensor == nullptr) {
      if constexpr (std::is_same_v<T, double>) {
        read_from(source.stage->reals.data(), places, outside, values);
      } else {
        read_from(source.stage->integers.data(), places, outside, values);
      }
      return;
    }
    switch (source.tensor->type().element) {
      case ElementType::kFloat32:
        return read_from(source.tensor->values<float>().data(), places, outside, values);
      case ElementType::kUint8:
        return read_from(source.tensor->values<uint8_t>().data(), places, outside, values);
      case ElementType::kInt8:
        return read_from(source.tensor->values<int8_t>().data(), places, outside, values);
      case ElementType::kInt32:
        return read_from(source.tensor->values<int32_t>().data(), places, outside, values);
      case ElementType::kInt64:
        return read_from(source.tensor->values<int64_t>().data(), places, outside, values);
      case ElementType::kBool:
        return read_from(source.tensor->values<bool>().data(), places, outside, values);
    }
  }

  template <typename Element, typename T>
  static void read_from(const Element* elements, const std::vector<int64_t>& places, const std::vector<T>& outside,
                        std::vector<T>& values) {
    if (outside.empty()) {
      return apply_to_each(values, places, [elements](int64_t place) { return static_cast<T>(elements[place]); });
    }
    const Operand<int64_t> place(places);
    const Operand<T> other(outside);
    values.resize(std::max(places.size(), outside.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = place[i] < 0 ? other[i] : static_cast<T>(elements[place[i]]);
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
    if (of_reals) {
      switch (function) {
        case ScalarFunction::kAdd:
          apply_to_pairs(values.reals, a.reals, b.reals, std::plus<>());
          break;
        case ScalarFunction::kSubtract:
          apply_to_pairs(values.reals, a.reals, b.reals, std::minus<>());
          break;
        case ScalarFunction::kMultiply:
          apply_to_pairs(values.reals, a.reals, b.reals, std::multiplies<>());
          break;
        default:
          apply_to_pairs(values.reals, a.reals, b.reals,
                         [function](double left, double right) { return on_reals(function, left, right); });
      }
      return values;
    }
    apply_to_pairs(values.integers, a.integers, b.integers, [&](int64_t left, int64_t right) {
      const auto value = on_integers(function, left, right);
      check_call(value.has_value(), call_, "divides an integer by 0");
      return *value;
    });
    return values;
  }

  Values applied(const ExpressionNode& x) {
    Values a = evaluate(x.arguments[0]);
    const bool of_reals = is_real(x.arguments[0]);
    Values values;
    switch (x.function) {
      case ScalarFunction::kNot:
        apply_to_each(values.integers, a.integers, [](int64_t each) { return each == 0 ? 1 : 0; });
        return values;
      case ScalarFunction::kFloat32:
        apply_to_each(values.reals, a.reals, [](double each) { return static_cast<float>(each); });
        return values;
      case ScalarFunction::kFloat64:
        apply_to_each(values.reals, a.integers, [](int64_t each) { return static_cast<double>(each); });
        return of_reals ? a : values;
      case ScalarFunction::kInt64:
      case ScalarFunction::kIndex:
        apply_to_each(values.integers, a.reals, truncated);
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
      apply_to_each(values.reals, a.reals, [&](double each) { return apply_function(x.function, each); });
      return values;
    }
    return combined(x.function, of_reals, a, evaluate(x.arguments[1]));
  }

  static Values compared(ScalarFunction function, const Values& a, const Values& b) {
    Values values;
    apply_to_pairs(values.integers, a.reals, b.reals,
                   [function](double left, double right) { return compares(function, left, right) ? 1 : 0; });
    return values;
  }

  Values selected(const ExpressionNode& x, const Values& condition) {
    const Values a = evaluate(x.arguments[1]), b = evaluate(x.arguments[2]);
    Values values;
    x.type == ScalarType::kFloat64 ? select(condition.integers, a.reals, b.reals, values.reals)
                                   : select(condition.integers, a.integers, b.integers, values.integers);
    return values;
  }

  template <typename T>
  static void select(const std::vector<int64_t>& condition, const std::vector<T>& a, const std::vector<T>& b,
                     std::vector<T>& values) {
    const Operand<int64_t> holds(condition);
    const Operand<T> first(a), second(b);
    values.resize(std::max({condition.size(), a.size(), b.size()}));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = holds[i] != 0 ? first[i] : second[i];
    }
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
  if (result.element == ElementType::kFloat32 && last.integers.empty()) {
    std::transform(last.reals.begin(), last.reals.end(), value.values<float>().begin(),
                   [](double each) { return static_cast<float>(each); });
    return value;
  }
  for (std::size_t i = 0; i < last.reals.size(); ++i) {
    value.set(i, last.reals[i]);
  }
  for (std::size_t i = 0; i < last.integers.size(); ++i) {
    value.set_integer(i, last.integers[i]);
  }
  return value;
}

}  // namespace fovea
