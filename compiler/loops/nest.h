// SPDX-License-Identifier: Apache-2.0
/// \file
/// The loop IR: a nest of loops over buffers, whose innermost statements store values. Walk-through: README.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interval.h"
#include "ops/expression.h"
#include "tensor/tensor.h"

namespace fovea {

/// What an element of a buffer is stored as.
enum class StoredType { kUint8, kInt8, kInt32, kInt64, kFloat32, kFloat64, kBool };

StoredType stored_type(ElementType element);
/// The type of a stored element as a value: kInt64 of all integers, kBool of a byte of 0 or 1.
ScalarType value_type(StoredType stored);

/// Where a buffer is, and who writes it.
enum class MemoryScope {
  kInput,     ///< In the arena or among the weights, of a device layer in DRAM; read only.
  kOutput,    ///< In the arena, of a device layer in DRAM; written only.
  kRegister,  ///< Of the nest: a scalar, or a small array.
  kGlb,       ///< In the accelerator's global buffer.
  kSpad,      ///< In scratchpads and accumulators of its PEs; the outer axes say which PE.
};

struct NestBuffer {
  std::string name;  ///< A C identifier, the nest's only one of that name.
  MemoryScope scope = MemoryScope::kInput;
  StoredType type = StoredType::kFloat32;
  Shape shape;  ///< Dense, row major.
};

/// What an integer of up to 32 bits, or a bool, is between; nothing of other types.
std::optional<Interval> range_of(StoredType stored);

/// The shortest type that holds all integers of a range.
StoredType shortest_type(const Interval& range);

/// Bytes of a buffer.
std::size_t size_bytes(const NestBuffer& buffer);

enum class LoopKind { kSerial, kUnrolled, kVector, kParallel };

enum class StatementKind {
  kLoop,
  kStore,
  kIf,    ///< Runs its body where its condition holds.
  kUnit,  ///< Runs its body: what a part of the accelerator does by itself, or an intrinsic.
};

struct Statement {
  StatementKind kind = StatementKind::kLoop;
  // A loop: its variable is 0, step, 2 step, ... below axis.size.
  std::string name;  ///< Of its variable; of a unit, which.
  Axis axis;
  int64_t step = 1;
  LoopKind loop = LoopKind::kSerial;
  std::vector<Statement> body;
  // A store.
  int buffer = 0;
  std::vector<Expression> indices;
  Expression value;  ///< Of an if, its condition.
};

struct Intrinsic;

/// Loops and their buffers. An element or a store of buffer i is of buffers[i]; types are kFloat32 and kFloat64 as a
/// processor computes them, one rounding an operation.
struct Nest {
  std::string name;
  std::vector<NestBuffer> buffers;
  std::vector<Statement> body;
  std::vector<std::shared_ptr<const Intrinsic>> intrinsics;  ///< That tensorize knows, and units are calls of.
};

/// "f32", "u8", "bool", ...
std::string_view to_text(StoredType type);
std::string_view to_text(LoopKind kind);
std::string_view to_text(MemoryScope scope);

/// What the variable of a loop that runs is at most.
int64_t last_of(const Statement& loop);

/// How often a loop runs.
int64_t turns_of(const Statement& loop);

Statement make_loop(std::string name, Axis axis, std::vector<Statement> body, LoopKind kind = LoopKind::kSerial);
Statement make_if(const Expression& condition, std::vector<Statement> body);
Statement make_store(int buffer, std::vector<Expression> indices, Expression value);

/// x in another type, as a conversion says; x itself where it is of it. A number becomes one of that type.
Expression converted(const Expression& x, ScalarType type);

}  // namespace fovea
