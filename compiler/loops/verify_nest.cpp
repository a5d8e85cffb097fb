// SPDX-License-Identifier: Apache-2.0
/// \file
/// Verifies nests: a walk in the order in which statements run.
#include "verify_nest.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "interval.h"
#include "tensor/error.h"

namespace fovea {
namespace {

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_letter);
}

class Verifier {
 public:
  explicit Verifier(const Nest& nest) : nest_(nest), ranges_(ranges_of(nest.buffers)) {}

  void run() {
    for (const NestBuffer& buffer : nest_.buffers) {
      take_name(buffer.name);
    }
    find_stores(nest_.body);
    statements(nest_.body);
  }

 private:
  void find_stores(const std::vector<Statement>& all) {
    for (const Statement& each : all) {
      each.kind == StatementKind::kStore ? (void)stored_.insert(each.buffer) : find_stores(each.body);
    }
  }

  void check(bool condition, const std::string& problem) const {
    if (!condition) {
      user_error("nest " + nest_.name + ": " + problem);
    }
  }

  void take_name(const std::string& name) {
    check(is_identifier(name), "\"" + name + "\" is no name");
    check(names_.insert(name).second, "two things are called " + name);
  }

  const NestBuffer& buffer_of(int id) const {
    check(id >= 0 && static_cast<std::size_t>(id) < nest_.buffers.size(), "there is no buffer " + std::to_string(id));
    return nest_.buffers[static_cast<std::size_t>(id)];
  }

  void statements(const std::vector<Statement>& all) {
    for (const Statement& each : all) {
      switch (each.kind) {
        case StatementKind::kLoop:
          loop(each);
          break;
        case StatementKind::kStore:
          store(each);
          break;
        case StatementKind::kIf:
          where(each);
          break;
        case StatementKind::kUnit:
          check(is_identifier(each.name), "\"" + each.name + "\" is no name");
          statements(each.body);
          break;
      }
    }
  }

  void where(const Statement& statement) {
    check(static_cast<bool>(statement.value) && statement.value->type == ScalarType::kBool,
          "what stands behind \"if\" is no condition");
    expression(statement.value);
    const std::size_t known = ranges_.bounds.size();
    ranges_.assume(statement.value);
    statements(statement.body);
    ranges_.bounds.resize(known);
  }

  void loop(const Statement& loop) {
    take_name(loop.name);
    check(loop.axis.size >= 0, "the loop " + loop.name + " runs " + std::to_string(loop.axis.size) + " times");
    check(loop.step > 0, "the loop " + loop.name + " goes by " + std::to_string(loop.step));
    check(ranges_.variables.count(loop.axis.id) == 0,
          "the variable of the loop " + loop.name + " is that of a loop around it");
    ranges_.variables[loop.axis.id] = {0, last_of(loop)};
    if (loop.axis.size > 0) {  // What never runs is never wrong.
      statements(loop.body);
    }
    ranges_.variables.erase(loop.axis.id);
    names_.erase(loop.name);
  }

  void store(const Statement& store) {
    const NestBuffer& buffer = buffer_of(store.buffer);
    check(static_cast<bool>(store.value), "nothing is stored in " + buffer.name);
    expression(store.value);
    check(buffer.scope != MemoryScope::kInput, "stores in " + buffer.name + ", which is an input");
    check(store.value->type == value_type(buffer.type), "what is stored in " + buffer.name + " has another type");
    place(buffer, store.indices, false);
    written_.insert(store.buffer);
  }

  void place(const NestBuffer& buffer, const std::vector<Expression>& indices, bool has_outside) {
    check(indices.size() == buffer.shape.size(),
          buffer.name + " has " + std::to_string(buffer.shape.size()) + " axes, not " + std::to_string(indices.size()));
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      expression(indices[axis]);
      check(indices[axis]->type == ScalarType::kIndex, "an index of " + buffer.name + " is none");
      const Interval interval = interval_of(indices[axis], ranges_);
      const Interval inside{0, buffer.shape[axis] - 1};
      check(has_outside || interval.is_within(inside),
            "an index of " + buffer.name + " along axis " + std::to_string(axis) + " goes from " +
                std::to_string(interval.low) + " to " + std::to_string(interval.high) + ", outside of its " +
                std::to_string(buffer.shape[axis]));
    }
  }

  void expression(const Expression& x) {
    check(x->kind != ExpressionKind::kReduce, "a reduction is no loop yet");
    if (x->kind == ExpressionKind::kVariable) {
      check(ranges_.variables.count(x->id) != 0, "a variable is used outside of its loop");
      return;
    }
    if (x->kind == ExpressionKind::kElement) {
      const NestBuffer& buffer = buffer_of(x->id);
      check(buffer.scope != MemoryScope::kOutput, "reads " + buffer.name + ", which is an output");
      check(buffer.scope == MemoryScope::kInput || written_.count(x->id) != 0 ||
                (!buffer.shape.empty() && stored_.count(x->id) != 0),
            "reads " + buffer.name + " before anything is stored there");
      check(x->type == value_type(buffer.type), "an element of " + buffer.name + " has another type");
      place(buffer, x->arguments, static_cast<bool>(x->outside));
      if (x->outside) {
        expression(x->outside);
      }
      return;
    }
    for (const Expression& each : x->arguments) {
      expression(each);
    }
  }

  const Nest& nest_;
  std::set<std::string> names_;
  std::set<int> written_, stored_;  ///< Buffers in which something is stored before, or anywhere.
  Ranges ranges_;
};

}  // namespace

void verify_nest(const Nest& nest) { Verifier(nest).run(); }

}  // namespace fovea
