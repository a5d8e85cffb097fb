// SPDX-License-Identifier: Apache-2.0
/// \file
/// Schedules for processors with caches. docs/compiler.md has what each rule was measured to gain.
#include "targets/nest_rules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "loops/dependence.h"
#include "loops/schedule_trace.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using Trace = std::vector<std::string>;

/// Elements of a cache line, and so the turns of a tile of which each line is used up.
constexpr int64_t kLine = 16;
/// Turns of a sum that are worth a loop of their own, sums side by side in registers each way, and those of a row that
/// stays in the nearest cache.
constexpr int64_t kManyTerms = 16, kVectorSums = 8, kMostSums = 1024;
/// Sums of float64 in registers; bytes of rows that are converted at a time, tiles of them that are worth the
/// columns' conversion, and bytes of columns.
constexpr int64_t kRealSums = 48, kRowBytes = 65536, kTilesOfColumns = 4, kColumnBytes = 16384;
/// Turns that are worth a loop less, and of all loops that are unrolled one in another.
constexpr int64_t kFewTurns = 4, kMostTurns = 16;

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

/// The largest divisor of a number up to another, 1 of what is below.
int64_t divisor_of(int64_t number, int64_t most) {
  int64_t divisor = std::clamp(number, int64_t{1}, std::max(most, int64_t{1}));
  while (number % divisor != 0) {
    --divisor;
  }
  return divisor;
}

/// That of a loop's turns, up to a cache line or so many.
int64_t tile_of(const Statement& loop, int64_t most = kLine) { return divisor_of(loop.axis.size, most); }

std::string tile_step(const std::string& loop, int64_t size) { return "tile " + loop + " " + std::to_string(size); }

std::string reorder_step(const std::vector<std::string>& loops) {
  std::string step = "reorder";
  for (const std::string& loop : loops) {
    step += " " + loop;
  }
  return step;
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
Trace tile_transposed(const Nest& nest) {
  const std::vector<const Statement*> loops = loops_around_all(nest);
  const Statement* const along = loops.empty() ? nullptr : find_transposed(nest, loops);
  if (along == nullptr) {
    return {};
  }
  Trace trace{tile_step(loops.back()->name, kLine), tile_step(along->name, tile_of(*along))};
  const auto first = std::find(loops.begin(), loops.end(), along) + 1;
  for (auto loop = first; loop != loops.end(); ++loop) {
    trace.push_back(reorder_step({(*loop)->name, along->name + "_in"}));
  }
  return trace;
}

/// A sum, or another reduction, of many terms in all loops of a nest.
struct Sum {
  std::vector<const Statement*> around;  ///< The loops, from the outside in.
  std::vector<std::string> terms;        ///< The loops of its terms.
  const Statement* loop = nullptr;       ///< The outermost of these.
  int64_t count = 1;                     ///< Of the terms.
};

std::optional<Sum> find_sum(const Nest& nest) {
  Sum sum{loops_around_all(nest), {}, nullptr, 1};
  if (sum.around.empty()) {
    return std::nullopt;
  }
  const std::vector<Statement>& body = sum.around.back()->body;
  const auto is_loop = [](const Statement& each) { return each.kind == StatementKind::kLoop; };
  const auto found = std::find_if(body.begin(), body.end(), is_loop);
  if (found == body.end() || body.size() < 2 || std::count_if(body.begin(), body.end(), is_loop) != 1) {
    return std::nullopt;
  }
  sum.loop = &*found;
  for (const Statement* at = sum.loop; at != nullptr && at->kind == StatementKind::kLoop;
       at = at->body.size() == 1 ? &at->body[0] : nullptr) {
    sum.terms.push_back(at->name);
    sum.count *= turns_of(*at);
  }
  return sum.count < kManyTerms ? std::nullopt : std::optional(sum);
}

/// How the terms of a sum are read along a loop around it: whether any is, and whether all of those are neighbours.
struct Along {
  bool is_read = false, is_dense = true, is_reused = false;
};

Along along(const Nest& nest, const Sum& sum, const Statement& loop) {
  Along along;
  for (const Access& each : accesses_of(sum.loop->body)) {
    const auto& buffer = nest.buffers[static_cast<std::size_t>(each.buffer)];
    if (!each.is_store && !buffer.shape.empty()) {
      constexpr int64_t kUnknown = 2;  // No neighbour, and not the same place.
      const int64_t stride = stride_of(nest, each, loop.axis.id).value_or(kUnknown);
      along.is_read |= stride != 0;
      along.is_dense &= stride == 0 || stride == 1;
      along.is_reused |= stride == 0;
    }
  }
  return along;
}

/// The inputs that a sum reads along one loop and not along another.
std::vector<std::string> read_along(const Nest& nest, const Sum& sum, const Statement& loop, const Statement& other) {
  std::set<std::string> names;
  for (const Access& each : accesses_of(sum.loop->body)) {
    const NestBuffer& buffer = nest.buffers[static_cast<std::size_t>(each.buffer)];
    if (buffer.scope == MemoryScope::kInput && stride_of(nest, each, loop.axis.id) != 0 &&
        stride_of(nest, each, other.axis.id) == 0) {
      names.insert(buffer.name);
    }
  }
  return {names.begin(), names.end()};
}

/// Tiles of a sum's loops.
struct Tiles {
  Trace trace;
  std::vector<std::string> loops;  ///< Of a tile.
};

/// Tiles of so many rows, of which `some` are a tile of tiles: `<outer> <inner> <outer>_in ... <inner>_in`.
Tiles tiled(const std::string& outer, const std::string& inner, int64_t some, int64_t rows, int64_t width) {
  Trace trace{tile_step(inner, width), tile_step(outer, some)};
  std::vector<std::string> order{inner, outer + "_in"};
  if (some != rows) {
    trace.push_back(tile_step(outer + "_in", rows));
    order.push_back(outer + "_in_in");
  }
  trace.push_back(reorder_step(order));
  return {trace, {order.back(), inner + "_in"}};
}

void add_converted(const std::vector<std::string>& inputs, const std::string& at, Trace& trace) {
  for (const std::string& input : inputs) {
    trace.push_back("cache_converted " + input + " " + at);
  }
}

bool fits(const Nest& nest, const Trace& trace) {
  try {
    apply_trace(nest, trace);
  } catch (const UserError&) {
    return false;
  }
  return true;
}

/// Sums side by side: of neighbours in a vector, of several rows in registers. Each adds its terms in their order.
template <bool has_caches>
Trace sum_side_by_side(const Nest& nest) {
  const std::optional<Sum> sum = find_sum(nest);
  if (!sum) {
    return {};
  }
  const Statement& inner = *sum->around.back();
  const Along reads = along(nest, *sum, inner);
  if (!reads.is_read || !reads.is_dense || turns_of(inner) < kFewTurns) {
    return {};
  }
  // Rows share what they read, where whole vectors of sums are tiles; else each sums a whole row.
  const Statement* const outer = sum->around.size() > 1 ? sum->around[sum->around.size() - 2] : nullptr;
  const int64_t width = inner.axis.size % kVectorSums == 0 ? kVectorSums : kVectorSums / 2;
  const bool has_tiles = outer != nullptr && along(nest, *sum, *outer).is_reused && inner.axis.size % width == 0;
  const int64_t rows = has_tiles ? tile_of(*outer, kVectorSums) : 1;
  if (rows == 1 && inner.axis.size > kMostSums) {
    return {};
  }
  Tiles tiles{{}, {inner.name}};
  if (rows > 1) {
    tiles = tiled(outer->name, inner.name, rows, rows, width);
  }
  if (rows > 1 && has_caches) {
    const int64_t part = tile_of(*outer, kRealSums / width), few = part > 1 ? part : rows, row = 8 * sum->count;
    const int64_t tiles_of_rows = divisor_of(outer->axis.size / few, kRowBytes / row / few);
    const int64_t some = tiles_of_rows >= kTilesOfColumns && width * row <= kColumnBytes ? tiles_of_rows * few : few;
    Tiles converted = tiled(outer->name, inner.name, some, few, width);
    add_converted(read_along(nest, *sum, *outer, inner), outer->name, converted.trace);
    if (some != few) {
      add_converted(read_along(nest, *sum, inner, *outer), inner.name, converted.trace);
    }
    if (fits(nest, converted.trace)) {  // Else nothing is converted, or too much.
      tiles = std::move(converted);
    }
  }
  Trace trace = std::move(tiles.trace);
  trace.push_back("decompose_reduction " + sum->terms[0] + " " + tiles.loops[0]);
  std::vector<std::string> order = sum->terms;
  order.insert(order.end(), tiles.loops.begin(), tiles.loops.end());
  trace.push_back(reorder_step(order));
  for (const std::string ending : {"_first", "", "_last"}) {
    trace.push_back("vectorize " + tiles.loops.back() + ending);
    if (rows > 1) {
      trace.push_back("unroll " + tiles.loops[0] + ending);
    }
  }
  return trace;
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

void find_short(const std::vector<Statement>& statements, Trace& trace) {
  for (const Statement& each : statements) {
    if (each.kind == StatementKind::kLoop && each.loop == LoopKind::kSerial && turns_of(each) > 1 &&
        count_turns({each}) <= kMostTurns) {
      trace.push_back("unroll " + each.name);
    }
    find_short(each.body, trace);
  }
}

/// Sums over few elements, as of a window, without the loop.
Trace unroll_short(const Nest& nest) {
  Trace trace;
  find_short(nest.body, trace);
  return trace;
}

}  // namespace

const std::vector<NestRule>& cpu_nest_rules(bool has_short_stack) {
  const auto make = [](Trace (*sums)(const Nest&)) {
    return std::vector<NestRule>{{"tile what is transposed", tile_transposed},
                                 {"sums side by side", sums},
                                 {"unroll short loops", unroll_short}};
  };
  static const std::vector<NestRule> table = make(sum_side_by_side<true>), small = make(sum_side_by_side<false>);
  return has_short_stack ? small : table;
}

}  // namespace fovea
