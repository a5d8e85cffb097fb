// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds loops by their names and rebuilds what is around them.
#include "schedule.h"

#include <algorithm>
#include <utility>

#include "dependence.h"
#include "index_arithmetic.h"
#include "loop_search.h"
#include "tensor/error.h"

namespace fovea {
Nest tile(const Nest& nest, const std::string& loop, int64_t size) {
  const std::string step = "tile " + loop + " by " + std::to_string(size);
  Nest tiled = nest;
  Statement& outer = find_loop(tiled, loop, step).back();
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
  Statement& around = find_loop(swapped, outer, step).back();
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
  Statement& found = find_loop(unrolled, loop, step).back();
  const int64_t turns = (found.axis.size + found.step - 1) / found.step;
  refuse_unless(turns <= kMostUnrolled, nest, step,
                std::to_string(turns) + " turns are more than " + std::to_string(kMostUnrolled));
  found.loop = LoopKind::kUnrolled;
  return unrolled;
}

Nest vectorize(const Nest& nest, const std::string& loop) {
  const std::string step = "vectorize " + loop;
  Nest vector = nest;
  Statement& found = find_loop(vector, loop, step).back();
  refuse_unless(variables_in(found.body).empty(), nest, step, "there are loops in it");
  const auto why = why_in_order(nest, found, {found.axis.id});
  refuse_unless(!why, nest, step, why.value_or(""));
  found.loop = LoopKind::kVector;
  return vector;
}

}  // namespace fovea
