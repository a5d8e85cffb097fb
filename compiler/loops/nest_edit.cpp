// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds loops by their names and rebuilds what is around them.
#include "nest_edit.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "dependence.h"
#include "tensor/error.h"
#include "verify_nest.h"

namespace fovea {
namespace {

/// Bytes of an array in a function: a part of the smallest stack that a CPU has.
constexpr std::size_t kMostArrayBytes = 65536;

void find_loops(std::vector<Statement>& statements, const std::string& loop, std::vector<Statement*>& found) {
  for (Statement& each : statements) {
    if (each.kind == StatementKind::kLoop && each.name == loop) {
      found.push_back(&each);
    }
    find_loops(each.body, loop, found);
  }
}

/// The unit that a loop is in; null where it is in none.
const Statement* find_unit(const std::vector<Statement>& statements, const Statement& loop,
                           const Statement* around = nullptr) {
  for (const Statement& each : statements) {
    if (&each == &loop) {
      return around;
    }
    if (const Statement* const unit = find_unit(each.body, loop, each.kind == StatementKind::kUnit ? &each : around)) {
      return unit;
    }
  }
  return nullptr;
}

std::vector<Statement>* find_list(std::vector<Statement>& statements, const Statement& statement) {
  for (Statement& each : statements) {
    if (&each == &statement) {
      return &statements;
    }
    if (std::vector<Statement>* const found = find_list(each.body, statement)) {
      return found;
    }
  }
  return nullptr;
}

void add_names(const std::vector<Statement>& statements, std::set<std::string>& names) {
  for (const Statement& each : statements) {
    names.insert(each.name);
    add_names(each.body, names);
  }
}

}  // namespace

NestEdit::NestEdit(const Nest& before, std::string name) : nest(before), step(std::move(name)) {
  const std::set<int> used = variables_in(nest.body);
  next_variable_ = used.empty() ? 0 : std::max(0, *used.rbegin() + 1);
}

void NestEdit::refuse_unless(bool condition, const std::string& problem) const {
  if (!condition) {
    user_error("nest " + nest.name + ": " + step + ": " + problem);
  }
}

Statement& NestEdit::loop(const std::string& name) {
  std::vector<Statement*> found;
  find_loops(nest.body, name, found);
  refuse_unless(!found.empty(), "there is no loop " + name);
  refuse_unless(found.size() == 1, std::to_string(found.size()) + " loops are called " + name);
  const Statement* const unit = find_unit(nest.body, *found.front());
  refuse_unless(unit == nullptr, name + " is in the unit " + (unit == nullptr ? "" : unit->name));
  return *found.front();
}

int NestEdit::buffer(const std::string& name) const {
  const auto found =
      std::find_if(nest.buffers.begin(), nest.buffers.end(), [&](const NestBuffer& each) { return each.name == name; });
  refuse_unless(found != nest.buffers.end(), "there is no buffer " + name);
  return static_cast<int>(found - nest.buffers.begin());
}

std::vector<Statement>& NestEdit::list_of(const Statement& statement) {
  std::vector<Statement>* const found = find_list(nest.body, statement);
  internal_check(found != nullptr, "a statement of the nest is somewhere in it");
  return *found;
}

std::string NestEdit::fresh_name(const std::string& name) const {
  std::set<std::string> names;
  add_names(nest.body, names);
  for (const NestBuffer& each : nest.buffers) {
    names.insert(each.name);
  }
  std::string fresh = name;
  for (int i = 2; names.count(fresh) != 0; ++i) {
    fresh = name + std::to_string(i);
  }
  return fresh;
}

int NestEdit::add_array(const std::string& name, StoredType type, const Shape& shape) {
  nest.buffers.push_back({fresh_name(name), MemoryScope::kRegister, type, {}});
  const int id = static_cast<int>(nest.buffers.size()) - 1;
  make_array(id, shape);
  return id;
}

void NestEdit::make_array(int buffer, const Shape& shape) {
  NestBuffer& array = nest.buffers[static_cast<std::size_t>(buffer)];
  array.shape = shape;
  refuse_unless(count_elements(shape) > 0, array.name + " would have no elements");
  refuse_unless(size_bytes(array) <= kMostArrayBytes, array.name + " would have " + std::to_string(size_bytes(array)) +
                                                          " bytes, more than " + std::to_string(kMostArrayBytes));
}

void NestEdit::replace(const Statement& statement, std::vector<Statement> by) {
  std::vector<Statement>& list = list_of(statement);
  const auto place = list.begin() + (&statement - list.data());
  list.insert(list.erase(place), std::make_move_iterator(by.begin()), std::make_move_iterator(by.end()));
}

Nest NestEdit::take() {
  try {
    verify_nest(nest);
  } catch (const UserError& error) {
    const std::string problem = error.what(), start = "nest " + nest.name + ": ";
    refuse_unless(false, problem.starts_with(start) ? problem.substr(start.size()) : problem);
  }
  return std::move(nest);
}

Statement with_variables(Statement statement, const Replacements& replacements) {
  if (statement.value) {
    statement.value = with_variables(statement.value, replacements);
  }
  for (Expression& index : statement.indices) {
    index = with_variables(index, replacements);
  }
  for (Statement& each : statement.body) {
    each = with_variables(std::move(each), replacements);
  }
  return statement;
}

}  // namespace fovea
