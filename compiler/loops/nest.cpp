// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names and parts of nests.
#include "nest.h"

#include <array>
#include <utility>

#include "tensor/error.h"

namespace fovea {

StoredType stored_type(ElementType element) {
  switch (element) {
    case ElementType::kFloat32:
      return StoredType::kFloat32;
    case ElementType::kUint8:
      return StoredType::kUint8;
    case ElementType::kInt8:
      return StoredType::kInt8;
    case ElementType::kInt32:
      return StoredType::kInt32;
    case ElementType::kBool:
      return StoredType::kBool;
    default:
      return StoredType::kInt64;
  }
}

ScalarType value_type(StoredType stored) {
  return stored == StoredType::kFloat32   ? ScalarType::kFloat32
         : stored == StoredType::kFloat64 ? ScalarType::kFloat64
         : stored == StoredType::kBool    ? ScalarType::kBool
                                          : ScalarType::kInt64;
}

std::optional<Interval> range_of(StoredType stored) {
  switch (stored) {
    case StoredType::kUint8:
      return Interval{0, UINT8_MAX};
    case StoredType::kInt8:
      return Interval{INT8_MIN, INT8_MAX};
    case StoredType::kInt32:
      return kInt32Range;
    case StoredType::kBool:
      return Interval{0, 1};
    default:
      return std::nullopt;
  }
}

StoredType shortest_type(const Interval& range) {
  for (const StoredType type : {StoredType::kUint8, StoredType::kInt8, StoredType::kInt32}) {
    if (range.is_within(*range_of(type))) {
      return type;
    }
  }
  return StoredType::kInt64;
}

std::size_t size_bytes(const NestBuffer& buffer) {
  constexpr std::array<std::size_t, 7> kBytes{1, 1, 4, 8, 4, 8, 1};
  return static_cast<std::size_t>(count_elements(buffer.shape)) * kBytes[static_cast<std::size_t>(buffer.type)];
}

std::string_view to_text(StoredType type) {
  constexpr std::array<std::string_view, 7> kNames{"u8", "i8", "i32", "i64", "f32", "f64", "bool"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view to_text(LoopKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"serial", "unrolled", "vector", "parallel"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_text(MemoryScope scope) {
  constexpr std::array<std::string_view, 5> kNames{"input", "output", "register", "glb", "spad"};
  return kNames[static_cast<std::size_t>(scope)];
}

int64_t last_of(const Statement& loop) { return (loop.axis.size - 1) / loop.step * loop.step; }

int64_t turns_of(const Statement& loop) { return (loop.axis.size + loop.step - 1) / loop.step; }

Statement make_loop(std::string name, Axis axis, std::vector<Statement> body, LoopKind kind) {
  Statement loop;
  loop.name = std::move(name);
  loop.axis = axis;
  loop.loop = kind;
  loop.body = std::move(body);
  return loop;
}

Statement make_if(const Expression& condition, std::vector<Statement> body) {
  Statement statement;
  statement.kind = StatementKind::kIf;
  statement.value = condition;
  statement.body = std::move(body);
  return statement;
}

Statement make_store(int buffer, std::vector<Expression> indices, Expression value) {
  Statement store;
  store.kind = StatementKind::kStore;
  store.buffer = buffer;
  store.indices = std::move(indices);
  store.value = std::move(value);
  return store;
}

Expression converted(const Expression& x, ScalarType type) {
  if (x->type == type) {
    return x;
  }
  if (x->kind == ExpressionKind::kNumber && (type == ScalarType::kFloat32 || type == ScalarType::kFloat64)) {
    const bool is_real = x->type == ScalarType::kFloat32 || x->type == ScalarType::kFloat64;
    return number_of(is_real ? x->real : static_cast<double>(x->integer), type);
  }
  internal_check(type != ScalarType::kBool, "nothing is converted to what holds or does not");
  ExpressionNode node;
  node.kind = ExpressionKind::kApply;
  node.type = type;
  node.function = type == ScalarType::kFloat32   ? ScalarFunction::kFloat32
                  : type == ScalarType::kFloat64 ? ScalarFunction::kFloat64
                  : type == ScalarType::kInt64   ? ScalarFunction::kInt64
                                                 : ScalarFunction::kIndex;
  node.arguments = {x};
  return Expression(std::move(node));
}

}  // namespace fovea
