// SPDX-License-Identifier: Apache-2.0
/// \file
/// Dependence by indices: each is taken apart into multiples of variables, and these tell turns apart where no smaller
/// ones add up to as much.
#include "dependence.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "index_arithmetic.h"

namespace fovea {
namespace {

void add_loads(const Expression& x, const Statement& statement, bool is_certain, std::vector<Access>& all) {
  for (const Expression& each : x->arguments) {
    add_loads(each, statement, is_certain, all);
  }
  if (x->outside) {
    add_loads(x->outside, statement, is_certain, all);
  }
  if (x->kind == ExpressionKind::kElement) {
    all.push_back({&statement, x->id, &x->arguments, false, is_certain});
  }
}

void add_accesses(const std::vector<Statement>& statements, bool is_certain, std::vector<Access>& all) {
  for (const Statement& each : statements) {
    if (each.value) {
      add_loads(each.value, each, is_certain, all);
    }
    if (each.kind == StatementKind::kStore) {
      for (const Expression& index : each.indices) {
        add_loads(index, each, is_certain, all);
      }
      all.push_back({&each, each.buffer, &each.indices, true, is_certain});
    }
    const bool may_not_run =
        each.kind == StatementKind::kIf || (each.kind == StatementKind::kLoop && each.axis.size == 0);
    add_accesses(each.body, is_certain && !may_not_run, all);
  }
}

/// A loop's variable: how far apart its values are, and the largest.
struct Turns {
  int64_t step = 1, last = 0;
};

void add_turns(const Statement& statement, std::map<int, Turns>& turns) {
  if (statement.kind == StatementKind::kLoop) {
    turns[statement.axis.id] = {statement.step, statement.axis.size > 0 ? last_of(statement) : 0};
  }
  for (const Statement& each : statement.body) {
    add_turns(each, turns);
  }
}

/// Adds what x is of these variables, times `factor`. \return false where it is no sum of multiples.
bool take_apart(const Expression& x, int64_t factor, const std::map<int, Turns>& turns,
                std::map<int, int64_t>& factors) {
  if (x->kind == ExpressionKind::kNumber) {
    return true;
  }
  if (x->kind == ExpressionKind::kVariable) {
    if (turns.count(x->id) != 0) {
      factors[x->id] += factor;
    }
    return true;
  }
  if (x->kind == ExpressionKind::kApply && x->arguments.size() == 2) {
    const Expression &a = x->arguments[0], &b = x->arguments[1];
    if (x->function == ScalarFunction::kAdd || x->function == ScalarFunction::kSubtract) {
      const int64_t sign = x->function == ScalarFunction::kAdd ? 1 : -1;
      return take_apart(a, factor, turns, factors) && take_apart(b, factor * sign, turns, factors);
    }
    if (x->function == ScalarFunction::kMultiply && (number_in(a) || number_in(b))) {
      return number_in(b) ? take_apart(a, factor * *number_in(b), turns, factors)
                          : take_apart(b, factor * *number_in(a), turns, factors);
    }
  }
  std::map<int, int64_t> inside;
  const bool is_known = std::all_of(x->arguments.begin(), x->arguments.end(),
                                    [&](const Expression& each) { return take_apart(each, 1, turns, inside); });
  return is_known && inside.empty() && x->kind == ExpressionKind::kApply;
}

/// The variables that an index tells apart: different values of them, different indices.
std::set<int> told_apart(const Expression& index, const std::map<int, Turns>& turns) {
  std::map<int, int64_t> factors;
  if (!take_apart(index, 1, turns, factors)) {
    return {};
  }
  std::vector<std::pair<int64_t, int>> steps;  // From one value of the variable to the next.
  for (const auto& [id, factor] : factors) {
    if (turns.at(id).last != 0) {
      steps.emplace_back(std::abs(factor) * turns.at(id).step, id);
    }
  }
  std::sort(steps.begin(), steps.end());
  std::set<int> ids;
  int64_t reach = 0;
  for (const auto& [step, id] : steps) {
    if (step <= reach) {
      return {};
    }
    reach += std::abs(factors[id]) * turns.at(id).last;
    ids.insert(id);
  }
  return ids;
}

bool have_equal_indices(const Access& a, const Access& b) {
  return std::equal(a.indices->begin(), a.indices->end(), b.indices->begin(), b.indices->end(), is_equal);
}

}  // namespace

std::vector<Access> accesses_of(const std::vector<Statement>& statements) {
  std::vector<Access> all;
  add_accesses(statements, true, all);
  return all;
}

std::set<int> variables_in(const std::vector<Statement>& statements) {
  std::map<int, Turns> turns;
  for (const Statement& each : statements) {
    add_turns(each, turns);
  }
  std::set<int> ids;
  for (const auto& [id, unused] : turns) {
    ids.insert(id);
  }
  return ids;
}

std::optional<int64_t> stride_of(const Nest& nest, const Access& access, int variable) {
  const Shape& shape = nest.buffers[static_cast<std::size_t>(access.buffer)].shape;
  int64_t stride = 0, elements = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; elements *= shape[axis]) {
    std::map<int, int64_t> factors;
    if (!take_apart((*access.indices)[axis], elements, {{variable, {}}}, factors)) {
      return std::nullopt;
    }
    stride += factors[variable];
  }
  return stride;
}

std::optional<std::string> why_in_order(const Nest& nest, const Statement& loop, const std::set<int>& loops) {
  std::map<int, Turns> turns;
  add_turns(loop, turns);
  const std::vector<Access> inside = accesses_of(loop.body), everywhere = accesses_of(nest.body);
  for (const Access& store : inside) {
    if (!store.is_store) {
      continue;
    }
    const NestBuffer& buffer = nest.buffers[static_cast<std::size_t>(store.buffer)];
    const auto is_of_buffer = [&](const Access& each) { return each.buffer == store.buffer; };
    if (buffer.shape.empty() && buffer.scope == MemoryScope::kRegister) {
      const Access& first = *std::find_if(inside.begin(), inside.end(), is_of_buffer);
      const bool is_own = std::count_if(inside.begin(), inside.end(), is_of_buffer) ==
                          std::count_if(everywhere.begin(), everywhere.end(), is_of_buffer);
      if (!first.is_store || !first.is_certain || !is_own) {
        return buffer.name + " goes on from turn to turn";
      }
      continue;
    }
    if (!std::all_of(inside.begin(), inside.end(),
                     [&](const Access& each) { return !is_of_buffer(each) || have_equal_indices(each, store); })) {
      return buffer.name + " is used at several places in a turn";
    }
    std::set<int> apart;
    for (const Expression& index : *store.indices) {
      apart.merge(told_apart(index, turns));
    }
    for (const int id : loops) {
      if (turns.at(id).last != 0 && apart.count(id) == 0) {
        return "turns may store at the same place of " + buffer.name;
      }
    }
  }
  return std::nullopt;
}

}  // namespace fovea
