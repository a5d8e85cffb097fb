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

using Guards = std::vector<const Statement*>;

void add_loads(const Expression& x, const Statement& statement, const Guards& guards, std::vector<Access>& all) {
  for (const Expression& each : x->arguments) {
    add_loads(each, statement, guards, all);
  }
  if (x->outside) {
    add_loads(x->outside, statement, guards, all);
  }
  if (x->kind == ExpressionKind::kElement) {
    all.push_back({&statement, x->id, &x->arguments, false, guards});
  }
}

void add_accesses(const std::vector<Statement>& statements, Guards& guards, std::vector<Access>& all) {
  for (const Statement& each : statements) {
    if (each.value) {
      add_loads(each.value, each, guards, all);
    }
    if (each.kind == StatementKind::kStore) {
      for (const Expression& index : each.indices) {
        add_loads(index, each, guards, all);
      }
      all.push_back({&each, each.buffer, &each.indices, true, guards});
    }
    const bool may_not_run =
        each.kind == StatementKind::kIf || (each.kind == StatementKind::kLoop && each.axis.size == 0);
    if (may_not_run) {
      guards.push_back(&each);
    }
    add_accesses(each.body, guards, all);
    guards.resize(guards.size() - (may_not_run ? 1 : 0));
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

/// A variable whose quotient and remainder by a number are in indices, as of two loops that are one.
struct Fused {
  int64_t by = 0;
  int quotient = 0, remainder = 0;  ///< Variables that stand for them.
};

/// x with variables of their own in place of f / n and f % n, which are added to `turns`.
Expression without_fused(const Expression& x, std::map<int, Turns>& turns, std::map<int, Fused>& fused) {
  const auto is_part = [&](ScalarFunction function) {
    return x->kind == ExpressionKind::kApply && x->function == function && x->arguments.size() == 2 &&
           x->arguments[0]->kind == ExpressionKind::kVariable && turns.count(x->arguments[0]->id) != 0 &&
           number_in(x->arguments[1]).value_or(0) > 0;
  };
  const bool is_quotient = is_part(ScalarFunction::kDivide);
  if (is_quotient || is_part(ScalarFunction::kRemainder)) {
    const int id = x->arguments[0]->id;
    const int64_t by = *number_in(x->arguments[1]);
    Fused& parts = fused[id];
    if (parts.by == 0) {
      const int next = std::min(0, turns.begin()->first);
      parts = {by, next - 1, next - 2};
      turns[parts.quotient] = {1, turns.at(id).last / by};
      turns[parts.remainder] = {1, std::min(by - 1, turns.at(id).last)};
    }
    return parts.by == by ? variable(is_quotient ? parts.quotient : parts.remainder) : x;
  }
  ExpressionNode node = *x;
  for (Expression& each : node.arguments) {
    each = without_fused(each, turns, fused);
  }
  return Expression(std::move(node));
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

/// Those that the indices of a place tell apart together.
std::set<int> told_apart(const std::vector<Expression>& indices, std::map<int, Turns> turns) {
  std::map<int, Fused> fused;
  std::set<int> apart;
  for (const Expression& index : indices) {
    const Expression plain = without_fused(index, turns, fused);
    apart.merge(told_apart(plain, turns));
  }
  for (const auto& [id, parts] : fused) {
    const auto is_apart = [&](int part) { return turns.at(part).last == 0 || apart.count(part) != 0; };
    if (is_apart(parts.quotient) && is_apart(parts.remainder)) {
      apart.insert(id);
    }
  }
  return apart;
}

bool have_equal_indices(const Access& a, const Access& b) {
  return std::equal(a.indices->begin(), a.indices->end(), b.indices->begin(), b.indices->end(), is_equal);
}

/// The first statement that is a loop of one of these variables, from the outside in.
const Statement* find_outermost(const std::vector<Statement>& statements, const std::set<int>& variables) {
  for (const Statement& each : statements) {
    if (each.kind == StatementKind::kLoop && variables.count(each.axis.id) != 0) {
      return &each;
    }
    if (const Statement* const found = find_outermost(each.body, variables)) {
      return found;
    }
  }
  return nullptr;
}

/// Whether the first use of a register in a turn of a loop is a store that the others come after; of an array, in all
/// of its elements.
bool is_stored_first(const Nest& nest, const Statement& loop, int buffer) {
  std::vector<Access> uses = accesses_of(loop.body);
  std::erase_if(uses, [&](const Access& each) { return each.buffer != buffer; });
  const Access& first = uses.front();
  const bool is_before_all = first.is_store && std::all_of(uses.begin(), uses.end(), [&](const Access& each) {
                               return each.guards.size() >= first.guards.size() &&
                                      std::equal(first.guards.begin(), first.guards.end(), each.guards.begin());
                             });
  const Shape& shape = nest.buffers[static_cast<std::size_t>(buffer)].shape;
  if (!is_before_all || shape.empty()) {
    return is_before_all;
  }
  std::set<int> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Expression& index = (*first.indices)[axis];
    if (shape[axis] != 1) {
      if (index->kind != ExpressionKind::kVariable || !axes.insert(index->id).second) {
        return false;
      }
    }
  }
  const Statement* const around = find_outermost(loop.body, axes);
  std::map<int, Turns> turns;
  if (around != nullptr) {
    add_turns(*around, turns);
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Expression& index = (*first.indices)[axis];
    const auto found = shape[axis] == 1 ? turns.end() : turns.find(index->id);
    if (shape[axis] != 1 &&
        (found == turns.end() || found->second.step != 1 || found->second.last + 1 != shape[axis])) {
      return false;
    }
  }
  if (around == nullptr) {
    return true;
  }
  const std::vector<Access> beside = accesses_of(around->body);
  return first.guards.empty() && std::all_of(beside.begin(), beside.end(), [&](const Access& each) {
           return each.buffer != buffer || have_equal_indices(each, first);
         });
}

/// As above. \param free  Of how many loops the order may matter between turns that use one place.
std::optional<std::string> why_in_order(const Nest& nest, const Statement& loop, const std::set<int>& loops,
                                        const std::set<int>& own, int free) {
  std::map<int, Turns> turns;
  add_turns(loop, turns);
  const std::vector<Access> inside = accesses_of(loop.body), everywhere = accesses_of(nest.body);
  for (const Access& store : inside) {
    if (!store.is_store || own.count(store.buffer) != 0) {
      continue;
    }
    const NestBuffer& buffer = nest.buffers[static_cast<std::size_t>(store.buffer)];
    const auto is_of_buffer = [&](const Access& each) { return each.buffer == store.buffer; };
    if (buffer.shape.empty() && buffer.scope == MemoryScope::kRegister) {
      const bool is_own = std::count_if(inside.begin(), inside.end(), is_of_buffer) ==
                          std::count_if(everywhere.begin(), everywhere.end(), is_of_buffer);
      if (!is_own || !is_stored_first(nest, loop, store.buffer)) {
        return buffer.name + " goes on from turn to turn";
      }
      continue;
    }
    if (!std::all_of(inside.begin(), inside.end(),
                     [&](const Access& each) { return !is_of_buffer(each) || have_equal_indices(each, store); })) {
      return buffer.name + " is used at several places in a turn";
    }
    const std::set<int> apart = told_apart(*store.indices, turns);
    const auto together = std::count_if(loops.begin(), loops.end(),
                                        [&](int id) { return turns.at(id).last != 0 && apart.count(id) == 0; });
    if (together > free) {
      return "turns may store at the same place of " + buffer.name;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Access> accesses_of(const std::vector<Statement>& statements) {
  std::vector<Access> all;
  Guards guards;
  add_accesses(statements, guards, all);
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

std::optional<std::map<int, int64_t>> multiples_of(const Expression& index, const std::set<int>& variables) {
  std::map<int, Turns> turns;
  for (const int id : variables) {
    turns[id] = {};
  }
  std::map<int, int64_t> factors;
  return take_apart(index, 1, turns, factors) ? std::optional(factors) : std::nullopt;
}

std::set<int> told_apart_by(const Access& access, const Statement& loop) {
  std::map<int, Turns> turns;
  add_turns(loop, turns);
  return told_apart(*access.indices, turns);
}

std::set<int> own_registers(const Nest& nest, const Statement& loop) {
  const std::vector<Access> inside = accesses_of(loop.body), everywhere = accesses_of(nest.body);
  std::set<int> own;
  for (int id = 0; id < static_cast<int>(nest.buffers.size()); ++id) {
    const auto is_of_buffer = [&](const Access& each) { return each.buffer == id; };
    const auto count = std::count_if(inside.begin(), inside.end(), is_of_buffer);
    if (nest.buffers[static_cast<std::size_t>(id)].scope == MemoryScope::kRegister && count > 0 &&
        count == std::count_if(everywhere.begin(), everywhere.end(), is_of_buffer) && is_stored_first(nest, loop, id)) {
      own.insert(id);
    }
  }
  return own;
}

std::optional<std::string> why_not_swapped(const Nest& nest, const Statement& outer, const Statement& inner) {
  return why_in_order(nest, outer, {outer.axis.id, inner.axis.id}, own_registers(nest, inner), 1);
}

std::optional<std::string> why_in_order(const Nest& nest, const Statement& loop, const std::set<int>& loops,
                                        const std::set<int>& own) {
  return why_in_order(nest, loop, loops, own, 0);
}

}  // namespace fovea
