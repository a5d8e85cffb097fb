// SPDX-License-Identifier: Apache-2.0
/// \file
/// The interpreter of the loop IR: a tree walk over numbers that know their type.
#include "interpret.h"

#include <cmath>
#include <map>
#include <string>

#include "ops/scalar_arithmetic.h"
#include "spec/dla_real.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// A value: `real` where its type is kFloat32 (then exactly one) or kFloat64, else `integer`.
struct Value {
  double real = 0;
  int64_t integer = 0;
};

float function_f32(ScalarFunction function, float x) {
  switch (function) {
#define FOVEA_FUNCTION(enumerator, text, value) \
  case ScalarFunction::enumerator:              \
    return dla_real_##text(x);
#include "ops/functions.def"
#undef FOVEA_FUNCTION
    default:
      internal_check(false, "a function of real numbers is a row of functions.def");
      return 0;
  }
}

class Interpreter {
 public:
  Interpreter(const Nest& nest, const std::vector<const Tensor*>& inputs, const TensorType& result,
              const std::function<void(const std::string&)>& on_unit)
      : nest_(nest), inputs_(inputs), on_unit_(on_unit), result_(result), own_(nest.buffers.size()) {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (is_own(nest.buffers[i])) {
        own_[i].resize(static_cast<std::size_t>(count_elements(nest.buffers[i].shape)));
      }
    }
  }

  Tensor run() {
    statements(nest_.body);
    return std::move(result_);
  }

 private:
  void statements(const std::vector<Statement>& all) {
    for (const Statement& each : all) {
      switch (each.kind) {
        case StatementKind::kLoop:
          run(each);
          break;
        case StatementKind::kIf:
          if (evaluate(each.value).integer != 0) {
            statements(each.body);
          }
          break;
        case StatementKind::kUnit:
          if (on_unit_) {
            on_unit_(each.name);
          }
          statements(each.body);
          break;
        case StatementKind::kStore:
          store(each);
          break;
      }
    }
  }

  /// Turns that run side by side are run in reverse: what needs their order shows.
  void run(const Statement& loop) {
    const bool is_in_order = loop.loop == LoopKind::kSerial || loop.loop == LoopKind::kUnrolled;
    for (int64_t i = 0; i < loop.axis.size; i += loop.step) {
      variables_[loop.axis.id] = is_in_order ? i : last_of(loop) - i;
      statements(loop.body);
    }
  }

  static bool is_own(const NestBuffer& buffer) {
    return buffer.scope != MemoryScope::kInput && buffer.scope != MemoryScope::kOutput;
  }

  /// What an element that is stored as such a type holds then.
  static Value kept(Value value, StoredType type) {
    switch (type) {
      case StoredType::kUint8:
        return {0, static_cast<uint8_t>(value.integer)};
      case StoredType::kInt8:
        return {0, static_cast<int8_t>(value.integer)};
      case StoredType::kInt32:
        return {0, static_cast<int32_t>(value.integer)};
      default:
        return value;
    }
  }

  void store(const Statement& store) {
    const Value value = evaluate(store.value);
    const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(store.buffer)];
    const auto place = static_cast<std::size_t>(place_of(buffer, store.indices));
    if (is_own(buffer)) {
      own_[static_cast<std::size_t>(store.buffer)].at(place) = kept(value, buffer.type);
      return;
    }
    buffer.type == StoredType::kFloat32 ? result_.set(place, value.real) : result_.set_integer(place, value.integer);
  }

  /// Place of an element in its buffer; -1 outside of it.
  int64_t place_of(const NestBuffer& buffer, const std::vector<Expression>& indices) {
    int64_t place = 0;
    bool is_inside = true;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      const int64_t index = evaluate(indices[axis]).integer;
      is_inside &= index >= 0 && index < buffer.shape[axis];
      place = place * buffer.shape[axis] + index;
    }
    return is_inside ? place : -1;
  }

  Value evaluate(const Expression& x) {
    switch (x->kind) {
      case ExpressionKind::kNumber:
        return {x->real, x->integer};
      case ExpressionKind::kVariable:
        return {0, variables_.at(x->id)};
      case ExpressionKind::kElement:
        return element_of(*x);
      default:
        return applied(*x);
    }
  }

  Value element_of(const ExpressionNode& x) {
    const auto id = static_cast<std::size_t>(x.id);
    const NestBuffer& buffer = nest_.buffers[id];
    const int64_t place = place_of(buffer, x.arguments);
    internal_check(place >= 0 || x.outside, "an element that may be outside says what it is there");
    if (place < 0) {
      return evaluate(x.outside);
    }
    const auto at = static_cast<std::size_t>(place);
    if (is_own(buffer)) {
      return own_[id].at(at);
    }
    const Tensor& tensor = *inputs_[id];
    return buffer.type == StoredType::kFloat32 ? Value{tensor.at(at), 0} : Value{0, tensor.integer_at(at)};
  }

  Value applied(const ExpressionNode& x) {
    if (x.function == ScalarFunction::kSelect) {
      return evaluate(x.arguments[evaluate(x.arguments[0]).integer != 0 ? 1 : 2]);
    }
    const Value a = evaluate(x.arguments[0]);
    const ScalarType from = x.arguments[0]->type;
    const bool is_float32 = from == ScalarType::kFloat32, is_real = is_float32 || from == ScalarType::kFloat64;
    switch (x.function) {
      case ScalarFunction::kNot:
        return {0, a.integer == 0 ? 1 : 0};
      case ScalarFunction::kFloat32:
        return {is_real ? static_cast<float>(a.real) : static_cast<float>(a.integer), 0};
      case ScalarFunction::kFloat64:
        return {is_real ? a.real : static_cast<double>(a.integer), 0};
      case ScalarFunction::kInt64:
      case ScalarFunction::kIndex:
        return {0, is_real ? truncated(a.real) : a.integer};
      default:
        break;
    }
    if (is_real_function(x.function)) {
      return {is_float32 ? function_f32(x.function, static_cast<float>(a.real)) : apply_function(x.function, a.real),
              0};
    }
    const Value b = evaluate(x.arguments[1]);
    if (x.function == ScalarFunction::kPower) {
      return {
          is_float32 ? dla_real_pow(static_cast<float>(a.real), static_cast<float>(b.real)) : std::pow(a.real, b.real),
          0};
    }
    if (is_real && x.type == ScalarType::kBool) {
      return {0, compares(x.function, a.real, b.real) ? 1 : 0};
    }
    if (is_real) {
      const double value = on_reals(x.function, a.real, b.real);
      return {is_float32 ? static_cast<float>(value) : value, 0};
    }
    const auto value = on_integers(x.function, a.integer, b.integer);
    if (!value) {
      user_error("nest " + nest_.name + ": divides an integer by 0");
    }
    return {0, *value};
  }

  const Nest& nest_;
  const std::vector<const Tensor*>& inputs_;
  const std::function<void(const std::string&)>& on_unit_;
  Tensor result_;
  std::vector<std::vector<Value>> own_;  ///< Elements of what is neither input nor output.
  std::map<int, int64_t> variables_;
};

}  // namespace

Tensor interpret(const Nest& nest, const std::vector<const Tensor*>& inputs, const TensorType& result,
                 const std::function<void(const std::string&)>& on_unit) {
  return Interpreter(nest, inputs, result, on_unit).run();
}

}  // namespace fovea
