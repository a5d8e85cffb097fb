// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps that change loops where they are.
#include "schedule.h"

#include <algorithm>
#include <utility>

#include "dependence.h"
#include "nest_edit.h"

namespace fovea {
namespace {

/// Puts the body of a loop into a loop in it. \param place  What its variable becomes.
void open_inside(Statement& outer, Statement inner, const Expression& place) {
  const bool is_filled = outer.axis.size % (inner.axis.size * outer.step) == 0;
  for (const Statement& each : outer.body) {
    inner.body.push_back(with_variables(each, {{outer.axis.id, place}}));
  }
  if (!is_filled) {
    Statement rest = make_if(place < index_number(outer.axis.size), std::move(inner.body));
    inner.body = {};
    inner.body.push_back(std::move(rest));
  }
  outer.body = {};
  outer.body.push_back(std::move(inner));
  outer.loop = LoopKind::kSerial;
}

Nest split_by(NestEdit edit, const std::string& loop, int64_t size) {
  Statement& outer = edit.loop(loop);
  const int64_t turns = turns_of(outer);
  edit.refuse_unless(turns > 0, "the loop never runs");
  Statement inner =
      make_loop(edit.fresh_name(loop + "_in"), {edit.fresh_variable(), std::min(size, turns)}, {}, outer.loop);
  const Axis tiles{edit.fresh_variable(), (turns + size - 1) / size};
  const Expression place =
      product(sum(product(variable(tiles.id), inner.axis.size), variable(inner.axis.id)), outer.step);
  open_inside(outer, std::move(inner), place);
  outer.name = edit.fresh_name(loop + "_out");
  outer.axis = tiles;
  outer.step = 1;
  return edit.take();
}

/// Whether a condition is of variables alone, which nothing in a loop changes.
bool is_of_variables(const Expression& x) {
  return x->kind != ExpressionKind::kElement && std::all_of(x->arguments.begin(), x->arguments.end(), is_of_variables);
}

/// The loop that is all of the body of a loop, but for conditions; null where there is none.
Statement* loop_inside(Statement& around) {
  Statement* at = &around;
  do {
    at = at->body.size() == 1 ? &at->body[0] : nullptr;
  } while (at != nullptr && at->kind == StatementKind::kIf && is_of_variables(at->value));
  return at != nullptr && at->kind == StatementKind::kLoop ? at : nullptr;
}

/// A loop and those inside of it that are each all of the body of the one before, so many or as many as there are.
std::vector<Statement*> chain_of(Statement& first, std::size_t count) {
  std::vector<Statement*> chain;
  for (Statement* loop = &first; loop != nullptr && chain.size() < count; loop = loop_inside(*loop)) {
    chain.push_back(loop);
  }
  return chain;
}

/// Swaps a loop and the next inside of it; conditions between go inside of both.
void swap_loops(NestEdit& edit, Statement& around, Statement& inside) {
  const auto why = why_not_swapped(edit.nest, around, inside);
  edit.refuse_unless(!why, why.value_or(""));
  edit.refuse_unless(inside.loop != LoopKind::kVector, "a vector's loop is the innermost");
  std::swap(around.name, inside.name);
  std::swap(around.axis, inside.axis);
  std::swap(around.step, inside.step);
  std::swap(around.loop, inside.loop);
  if (&around.body[0] != &inside) {
    Statement conditions = std::move(around.body[0]);
    Statement* last = &conditions;
    while (&last->body[0] != &inside) {
      last = &last->body[0];
    }
    Statement loop = std::move(last->body[0]);
    last->body = std::move(loop.body);
    loop.body = {};
    loop.body.push_back(std::move(conditions));
    around.body = {};
    around.body.push_back(std::move(loop));
  }
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string all;
  for (const std::string& each : words) {
    all += (all.empty() ? "" : between) + each;
  }
  return all;
}

}  // namespace

Nest tile(const Nest& nest, const std::string& loop, int64_t size) {
  NestEdit edit(nest, "tile " + loop + " by " + std::to_string(size));
  Statement& outer = edit.loop(loop);
  edit.refuse_unless(size > 0, "a tile has one turn or more");
  edit.refuse_unless(outer.step == 1, "the loop goes by " + std::to_string(outer.step) + " already");
  edit.refuse_unless(outer.axis.size > 0, "the loop never runs");
  Statement inner = make_loop(edit.fresh_name(loop + "_in"), {edit.fresh_variable(), std::min(size, outer.axis.size)},
                              {}, outer.loop);
  const Expression place = variable(outer.axis.id) + variable(inner.axis.id);
  open_inside(outer, std::move(inner), place);
  outer.step = size;
  return edit.take();
}

Nest split(const Nest& nest, const std::string& loop, int64_t size) {
  NestEdit edit(nest, "split " + loop + " by " + std::to_string(size));
  edit.refuse_unless(size > 0, "a tile has one turn or more");
  return split_by(std::move(edit), loop, size);
}

Nest split_parts(const Nest& nest, const std::string& loop, int64_t parts) {
  NestEdit edit(nest, "split " + loop + " into " + std::to_string(parts));
  edit.refuse_unless(parts > 0, "there is one part or more");
  const int64_t turns = turns_of(edit.loop(loop));
  return split_by(std::move(edit), loop, std::max<int64_t>(1, (turns + parts - 1) / parts));
}

Nest fuse(const Nest& nest, const std::string& outer, const std::string& inner) {
  NestEdit edit(nest, "fuse " + outer + " and " + inner);
  Statement& around = edit.loop(outer);
  edit.refuse_unless(
      around.body.size() == 1 && around.body[0].kind == StatementKind::kLoop && around.body[0].name == inner,
      inner + " is not all of the body of " + outer);
  Statement inside = std::move(around.body[0]);
  const int64_t turns = turns_of(inside);
  edit.refuse_unless(
      turns > 0 && turns_of(around) <= kInt32Range.high / turns,
      "the loop would have " + std::to_string(turns_of(around)) + " x " + std::to_string(turns) + " turns");
  const Axis both{edit.fresh_variable(), turns_of(around) * turns};
  const Replacements parts{{around.axis.id, product(quotient(variable(both.id), turns), around.step)},
                           {inside.axis.id, product(remainder(variable(both.id), turns), inside.step)}};
  std::vector<Statement> body;
  for (const Statement& each : inside.body) {
    body.push_back(with_variables(each, parts));
  }
  const LoopKind kind = around.loop == inside.loop ? around.loop : LoopKind::kSerial;
  around = make_loop("", both, std::move(body), kind == LoopKind::kParallel ? kind : LoopKind::kSerial);
  around.name = edit.fresh_name(outer + "_" + inner);
  return edit.take();
}

Nest reorder(const Nest& nest, const std::vector<std::string>& loops) {
  NestEdit edit(nest, "reorder " + joined(loops, " and "));
  edit.refuse_unless(loops.size() > 1, "there are two loops or more");
  for (const std::string& each : loops) {
    edit.refuse_unless(std::count(loops.begin(), loops.end(), each) == 1, each + " is named twice");
  }
  const auto outermost = std::find_if(loops.begin(), loops.end(), [&](const std::string& each) {
    const std::set<int> inside = variables_in(edit.loop(each).body);
    return std::all_of(loops.begin(), loops.end(), [&](const std::string& other) {
      return other == each || inside.count(edit.loop(other).axis.id) != 0;
    });
  });
  edit.refuse_unless(outermost != loops.end(), "no loop of them is around all others");
  Statement& first = edit.loop(*outermost);
  std::vector<Statement*> chain = chain_of(first, SIZE_MAX);
  const auto is_named = [&](const Statement* loop) { return std::count(loops.begin(), loops.end(), loop->name) != 0; };
  for (const std::string& each : loops) {
    edit.refuse_unless(
        std::any_of(chain.begin(), chain.end(), [&](const Statement* loop) { return loop->name == each; }),
        each + " is not all of the body of " + chain.back()->name);
  }
  while (!is_named(chain.back())) {
    chain.pop_back();
  }
  std::vector<std::string> wanted;  // Loops between that are not named stay at their places.
  std::size_t next = 0;
  for (const Statement* each : chain) {
    wanted.push_back(is_named(each) ? loops[next++] : each->name);
  }
  for (std::size_t place = 0; place < wanted.size(); ++place) {
    std::size_t at = place;
    while (chain_of(first, wanted.size())[at]->name != wanted[place]) {
      ++at;
    }
    for (; at > place; --at) {
      const std::vector<Statement*> now = chain_of(first, wanted.size());
      swap_loops(edit, *now[at - 1], *now[at]);
    }
  }
  return edit.take();
}

Nest unroll(const Nest& nest, const std::string& loop) {
  NestEdit edit(nest, "unroll " + loop);
  Statement& found = edit.loop(loop);
  edit.refuse_unless(turns_of(found) <= kMostUnrolled,
                     std::to_string(turns_of(found)) + " turns are more than " + std::to_string(kMostUnrolled));
  found.loop = LoopKind::kUnrolled;
  return edit.take();
}

Nest vectorize(const Nest& nest, const std::string& loop) {
  NestEdit edit(nest, "vectorize " + loop);
  Statement& found = edit.loop(loop);
  edit.refuse_unless(variables_in(found.body).empty(), "there are loops in it");
  const auto why = why_in_order(edit.nest, found, {found.axis.id});
  edit.refuse_unless(!why, why.value_or(""));
  found.loop = LoopKind::kVector;
  return edit.take();
}

Nest parallel(const Nest& nest, const std::string& loop) {
  NestEdit edit(nest, "parallel " + loop);
  Statement& found = edit.loop(loop);
  const auto why = why_in_order(edit.nest, found, {found.axis.id}, own_registers(edit.nest, found));
  edit.refuse_unless(!why, why.value_or(""));
  found.loop = LoopKind::kParallel;
  return edit.take();
}

}  // namespace fovea
