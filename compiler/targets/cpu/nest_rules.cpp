// SPDX-License-Identifier: Apache-2.0
/// \file
/// Schedules for processors with caches. docs/compiler.md has what each rule was measured to gain.
#include "targets/nest_rules.h"

#include <algorithm>
#include <optional>
#include <string>

#include "loops/dependence.h"
#include "loops/schedule.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Elements of a cache line, and so the turns of a tile of which each line is used up.
constexpr int64_t kLine = 16;
/// Turns that are worth a loop less, and of all loops that are unrolled one in another.
constexpr int64_t kFewTurns = 4, kMostTurns = 16;

int64_t turns_of(const Statement& loop) { return (loop.axis.size + loop.step - 1) / loop.step; }

/// The loops that are each all of the body of the one before, from the first statement on.
std::vector<const Statement*> loops_around_all(const Nest& nest) {
  std::vector<const Statement*> loops;
  const std::vector<Statement>* body = &nest.body;
  while (body->size() == 1 && body->front().kind == StatementKind::kLoop) {
    loops.push_back(&body->front());
    body = &loops.back()->body;
  }
  return loops;
}

/// The largest divisor of a loop's turns up to a cache line; 1 of a loop that never runs.
int64_t tile_of(const Statement& loop) {
  int64_t tile = std::clamp(loop.axis.size, int64_t{1}, kLine);
  while (loop.axis.size % tile != 0) {
    --tile;
  }
  return tile;
}

/// The loop around the innermost along which something is read that the innermost one goes through by lines: neither
/// order has neighbours both to read and to write.
const Statement* find_transposed(const Nest& nest, const std::vector<const Statement*>& loops) {
  const Statement& innermost = *loops.back();
  const std::vector<Access> accesses = accesses_of(innermost.body);
  const auto is_dense = [&](const Access& each) {
    return each.is_store && stride_of(nest, each, innermost.axis.id) == 1;
  };
  if (turns_of(innermost) < kLine || !variables_in(innermost.body).empty() ||
      std::none_of(accesses.begin(), accesses.end(), is_dense)) {
    return nullptr;
  }
  for (const Statement* loop : loops) {
    const auto is_along = [&](const Access& each) {
      return !each.is_store && stride_of(nest, each, loop->axis.id) == 1 &&
             stride_of(nest, each, innermost.axis.id).value_or(0) >= kLine / 2;
    };
    if (loop != &innermost && tile_of(*loop) >= kFewTurns && std::any_of(accesses.begin(), accesses.end(), is_along)) {
      return loop;
    }
  }
  return nullptr;
}

/// Tiles of a cache line each way: every line that is read is used up before it is gone.
Nest tile_transposed(const Nest& nest) {
  const std::vector<const Statement*> loops = loops_around_all(nest);
  const Statement* const along = loops.empty() ? nullptr : find_transposed(nest, loops);
  if (along == nullptr) {
    return nest;
  }
  Nest tiled = tile(tile(nest, loops.back()->name, kLine), along->name, tile_of(*along));
  const auto first = std::find(loops.begin(), loops.end(), along) + 1;
  for (auto loop = first; loop != loops.end(); ++loop) {
    tiled = reorder(tiled, along->name + "_in", (*loop)->name);
  }
  return tiled;
}

bool has_functions(const Expression& x) {
  return (x->kind == ExpressionKind::kApply &&
          (is_real_function(x->function) || x->function == ScalarFunction::kPower)) ||
         std::any_of(x->arguments.begin(), x->arguments.end(), has_functions);
}

/// How often the innermost statements run that can be copied so often; more than kMostTurns where they can't.
int64_t count_turns(const std::vector<Statement>& statements) {
  int64_t most = 1;
  for (const Statement& each : statements) {
    const int64_t turns = each.kind == StatementKind::kLoop ? turns_of(each) : 1;
    const bool is_large = turns > kFewTurns || (each.value && has_functions(each.value));
    most = std::max(most, is_large ? kMostTurns + 1 : turns * count_turns(each.body));
  }
  return most;
}

void find_short(const std::vector<Statement>& statements, std::vector<std::string>& names) {
  for (const Statement& each : statements) {
    if (each.kind == StatementKind::kLoop && turns_of(each) > 1 && count_turns({each}) <= kMostTurns) {
      names.push_back(each.name);
    }
    find_short(each.body, names);
  }
}

/// Sums over few elements, as of a window, without the loop.
Nest unroll_short(const Nest& nest) {
  std::vector<std::string> names;
  find_short(nest.body, names);
  Nest unrolled = nest;
  for (const std::string& name : names) {
    unrolled = unroll(unrolled, name);
  }
  return unrolled;
}

}  // namespace

const std::vector<NestRule>& cpu_nest_rules() {
  static const std::vector<NestRule> table{
      {"tile what is transposed", tile_transposed},
      {"unroll short loops", unroll_short},
  };
  return table;
}

}  // namespace fovea
