// SPDX-License-Identifier: Apache-2.0
/// \file
/// What steps of a schedule find and rebuild in a nest.
#pragma once

#include <string>
#include <vector>

#include "index_arithmetic.h"
#include "nest.h"

namespace fovea {

/// A step at work on a copy of a nest: what it says where it refuses.
struct NestEdit {
  NestEdit(const Nest& before, std::string name);

  Nest nest;
  std::string step;

  /// Throws UserError "nest <name>: <step>: <problem>" unless the condition holds.
  void refuse_unless(bool condition, const std::string& problem) const;

  /// The one loop of that name.
  Statement& loop(const std::string& name);

  /// The buffer of that name.
  int buffer(const std::string& name) const;

  /// The statements that a statement of the nest is among.
  std::vector<Statement>& list_of(const Statement& statement);

  /// `name`, or with a number behind it, as nothing in the nest is called.
  std::string fresh_name(const std::string& name) const;

  /// An id that no loop has, another each time.
  int fresh_variable() { return next_variable_++; }

  /// Adds an array, which has elements and is no larger than what a function's stack has room for. \return its id.
  int add_array(const std::string& name, StoredType type, const Shape& shape);

  /// Makes an array of a register.
  void make_array(int buffer, const Shape& shape);

  /// Puts statements in the place of one of the nest.
  void replace(const Statement& statement, std::vector<Statement> by);

  /// The nest, which is left empty. Refuses what verify_nest() does not take.
  Nest take();

 private:
  int next_variable_ = 0;
};

/// A statement, and what is in it, with these in place of variables.
Statement with_variables(Statement statement, const Replacements& replacements);

/// x, with `change` of each element in it, from the inside out.
template <typename Change>
Expression with_elements(const Expression& x, const Change& change) {
  if (!x || x->kind == ExpressionKind::kNumber || x->kind == ExpressionKind::kVariable) {
    return x;
  }
  ExpressionNode node = *x;
  bool is_changed = false;
  for (Expression& each : node.arguments) {
    const Expression changed = with_elements(each, change);
    is_changed |= !changed.is_same(each);
    each = changed;
  }
  if (node.outside) {
    const Expression outside = with_elements(node.outside, change);
    is_changed |= !outside.is_same(node.outside);
    node.outside = outside;
  }
  const Expression rebuilt = is_changed ? Expression(std::move(node)) : x;
  return rebuilt->kind == ExpressionKind::kElement ? change(rebuilt) : rebuilt;
}

/// Statements with `change` of each element that they read; a store's place is an element of its buffer too.
template <typename Change>
void change_elements(std::vector<Statement>& statements, const Change& change) {
  for (Statement& each : statements) {
    if (each.value) {
      each.value = with_elements(each.value, change);
    }
    if (each.kind == StatementKind::kStore) {
      const Expression place = with_elements(element(each.buffer, each.indices, each.value->type), change);
      each.buffer = place->id;
      each.indices = place->arguments;
    }
    change_elements(each.body, change);
  }
}

}  // namespace fovea
