// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks nests by names.
#include "loop_search.h"

#include <algorithm>
#include <set>

#include "dependence.h"
#include "tensor/error.h"

namespace fovea {
namespace {

void find_paths(std::vector<Statement>& statements, const std::string& loop, std::vector<Statement*>& around,
                std::vector<LoopPath>& found) {
  for (Statement& each : statements) {
    around.push_back(&each);
    if (each.kind == StatementKind::kLoop && each.name == loop) {
      found.push_back({around});
    }
    find_paths(each.body, loop, around, found);
    around.pop_back();
  }
}

void add_names(const std::vector<Statement>& statements, std::set<std::string>& names) {
  for (const Statement& each : statements) {
    names.insert(each.name);
    add_names(each.body, names);
  }
}

}  // namespace

void refuse_unless(bool condition, const Nest& nest, const std::string& step, const std::string& problem) {
  if (!condition) {
    user_error("nest " + nest.name + ": " + step + ": " + problem);
  }
}

LoopPath find_loop(Nest& nest, const std::string& loop, const std::string& step) {
  std::vector<Statement*> around;
  std::vector<LoopPath> found;
  find_paths(nest.body, loop, around, found);
  refuse_unless(!found.empty(), nest, step, "there is no loop " + loop);
  refuse_unless(found.size() == 1, nest, step, std::to_string(found.size()) + " loops are called " + loop);
  return found.front();
}

std::string fresh_name(const Nest& nest, const std::string& name) {
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

int fresh_variable(const Nest& nest) {
  const std::set<int> used = variables_in(nest.body);
  return used.empty() ? 0 : std::max(0, *used.rbegin() + 1);
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
