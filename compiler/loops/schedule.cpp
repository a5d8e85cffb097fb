// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds loops by their names and rebuilds what is around them.
#include "schedule.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "dependence.h"
#include "index_arithmetic.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Throws UserError "nest <name>: <step>: <problem>" unless the condition holds.
void refuse_unless(bool condition, const Nest& nest, const std::string& step, const std::string& problem) {
  if (!condition) {
    user_error("nest " + nest.name + ": " + step + ": " + problem);
  }
}

void find_loops(std::vector<Statement>& statements, const std::string& loop, std::vector<Statement*>& found) {
  for (Statement& each : statements) {
    if (each.kind == StatementKind::kLoop && each.name == loop) {
      found.push_back(&each);
    }
    find_loops(each.body, loop, found);
  }
}

/// The one loop of that name.
Statement& find_loop(Nest& nest, const std::string& loop, const std::string& step) {
  std::vector<Statement*> found;
  find_loops(nest.body, loop, found);
  refuse_unless(!found.empty(), nest, step, "there is no loop " + loop);
  refuse_unless(found.size() == 1, nest, step, std::to_string(found.size()) + " loops are called " + loop);
  return *found.front();
}

void add_names(const std::vector<Statement>& statements, std::set<std::string>& names) {
  for (const Statement& each : statements) {
    names.insert(each.name);
    add_names(each.body, names);
  }
}

/// `name`, or with a number behind it, as nothing in the nest is called.
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

/// An id that no loop has.
int fresh_variable(const Nest& nest) {
  const std::set<int> used = variables_in(nest.body);
  return used.empty() ? 0 : std::max(0, *used.rbegin() + 1);
}

/// A statement, and what is in it, with these in place of variables.
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

}  // namespace

Nest tile(const Nest& nest, const std::string& loop, int64_t size) {
  const std::string step = "tile " + loop + " by " + std::to_string(size);
  Nest tiled = nest;
  Statement& outer = find_loop(tiled, loop, step);
  refuse_unless(size > 0, nest, step, "a tile has one turn or more");
  refuse_unless(outer.step == 1, nest, step, "the loop goes by " + std::to_string(outer.step) + " already");
  Statement inner = make_loop(fresh_name(nest, loop + "_in"), {fresh_variable(nest), std::min(size, outer.axis.size)},
                              {}, outer.loop);
  const Expression place = variable(outer.axis.id) + variable(inner.axis.id);
  for (const Statement& each : outer.body) {
    inner.body.push_back(with_variables(each, {{outer.axis.id, place}}));
  }
  if (outer.axis.size % inner.axis.size != 0) {
    Statement rest = make_if(place < index_number(outer.axis.size), std::move(inner.body));
    inner.body = {};
    inner.body.push_back(std::move(rest));
  }
  outer.step = size;
  outer.loop = LoopKind::kSerial;
  outer.body = {};
  outer.body.push_back(std::move(inner));
  return tiled;
}

Nest reorder(const Nest& nest, const std::string& outer, const std::string& inner) {
  const std::string step = "reorder " + outer + " and " + inner;
  Nest swapped = nest;
  Statement& around = find_loop(swapped, outer, step);
  refuse_unless(around.body.size() == 1 && around.body[0].kind == StatementKind::kLoop && around.body[0].name == inner,
                nest, step, inner + " is not all of the body of " + outer);
  Statement& inside = around.body[0];
  const auto why = why_in_order(nest, around, {around.axis.id, inside.axis.id});
  refuse_unless(!why, nest, step, why.value_or(""));
  refuse_unless(inside.loop != LoopKind::kVector, nest, step, "a vector's loop is the innermost");
  std::swap(around.name, inside.name);
  std::swap(around.axis, inside.axis);
  std::swap(around.step, inside.step);
  std::swap(around.loop, inside.loop);
  return swapped;
}

Nest unroll(const Nest& nest, const std::string& loop) {
  const std::string step = "unroll " + loop;
  Nest unrolled = nest;
  Statement& found = find_loop(unrolled, loop, step);
  const int64_t turns = (found.axis.size + found.step - 1) / found.step;
  refuse_unless(turns <= kMostUnrolled, nest, step,
                std::to_string(turns) + " turns are more than " + std::to_string(kMostUnrolled));
  found.loop = LoopKind::kUnrolled;
  return unrolled;
}

Nest vectorize(const Nest& nest, const std::string& loop) {
  const std::string step = "vectorize " + loop;
  Nest vector = nest;
  Statement& found = find_loop(vector, loop, step);
  refuse_unless(variables_in(found.body).empty(), nest, step, "there are loops in it");
  const auto why = why_in_order(nest, found, {found.axis.id});
  refuse_unless(!why, nest, step, why.value_or(""));
  found.loop = LoopKind::kVector;
  return vector;
}

}  // namespace fovea
