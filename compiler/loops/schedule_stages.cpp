// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps that put arrays between the stages of a nest, and move stages.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "dependence.h"
#include "nest_edit.h"
#include "schedule.h"

namespace fovea {
namespace {

bool is_scalar_register(const NestBuffer& buffer) {
  return buffer.scope == MemoryScope::kRegister && buffer.shape.empty();
}

/// The buffers that statements use.
std::set<int> buffers_in(const std::vector<Statement>& statements) {
  std::set<int> buffers;
  for (const Access& each : accesses_of(statements)) {
    buffers.insert(each.buffer);
  }
  return buffers;
}

/// Loops around a body as they are, or with names and variables of their own where there is an ending for them.
Statement around(const std::vector<const Statement*>& chain, std::vector<Statement> body, const std::string& ending,
                 NestEdit& edit) {
  Replacements renamed;
  for (std::size_t i = chain.size(); i-- > 0;) {
    Statement each = *chain[i];
    each.body = std::move(body);
    if (!ending.empty() && each.kind == StatementKind::kLoop) {
      renamed[each.axis.id] = variable(edit.fresh_variable());
      each.axis.id = renamed[each.axis.id]->id;
      each.name = edit.fresh_name(each.name + ending);
    }
    body = {};
    body.push_back(std::move(each));
  }
  return with_variables(std::move(body.front()), renamed);
}

/// What is known where a statement of the nest stands, but for elements.
bool find_ranges(const std::vector<Statement>& statements, const Statement& wanted, Ranges& ranges) {
  for (const Statement& each : statements) {
    const std::size_t known = ranges.bounds.size();
    if (each.kind == StatementKind::kLoop) {
      ranges.variables[each.axis.id] = {0, last_of(each)};
    } else if (each.kind == StatementKind::kIf) {
      ranges.assume(each.value);
    }
    if (&each == &wanted || find_ranges(each.body, wanted, ranges)) {
      return true;
    }
    ranges.bounds.resize(known);
  }
  return false;
}

using Loops = std::map<int, const Statement*>;  // By their variables.

void add_loops(const std::vector<Statement>& statements, Loops& loops) {
  for (const Statement& each : statements) {
    if (each.kind == StatementKind::kLoop) {
      loops[each.axis.id] = &each;
    }
    add_loops(each.body, loops);
  }
}

Loops loops_in(const Statement& statement) {
  Loops loops;
  add_loops(statement.body, loops);
  return loops;
}

/// The part of a buffer that a turn of a loop uses: `shape` elements from `base` on.
struct Region {
  std::set<int> variables;  ///< Of the loops in it.
  std::vector<int64_t> lows;
  std::vector<Expression> base;
  Shape shape;

  /// The place in it of a place in the buffer.
  std::vector<Expression> within(const std::vector<Expression>& indices) const {
    std::vector<Expression> all;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      Expression place = index_number(0);
      const std::map<int, int64_t> multiples = multiples_of(indices[axis], variables).value();
      for (const auto& [id, factor] : multiples) {
        place = sum(place, product(variable(id), factor));
      }
      all.push_back(sum(place, index_number(-lows[axis])));
    }
    return all;
  }
};

/// The region of these uses in a loop's body.
Region region_of(const NestEdit& edit, const Statement& loop, const std::vector<Access>& uses) {
  const std::string& name = edit.nest.buffers[static_cast<std::size_t>(uses.front().buffer)].name;
  const Loops loops = loops_in(loop);
  Region region;
  Replacements zeros;
  for (const auto& [id, unused] : loops) {
    region.variables.insert(id);
    zeros[id] = index_number(0);
  }
  for (std::size_t axis = 0; axis < uses.front().indices->size(); ++axis) {
    const Expression base = with_variables((*uses.front().indices)[axis], zeros);
    std::optional<Interval> reach;
    for (const Access& use : uses) {
      const auto multiples = multiples_of((*use.indices)[axis], region.variables);
      edit.refuse_unless(multiples.has_value(), "an index of " + name + " is no sum of multiples of loops");
      edit.refuse_unless(is_equal(with_variables((*use.indices)[axis], zeros), base),
                         "a turn uses " + name + " from several places on");
      Interval own;
      for (const auto& [id, factor] : *multiples) {
        (factor < 0 ? own.low : own.high) += factor * std::max<int64_t>(0, last_of(*loops.at(id)));
      }
      reach = reach ? Interval{std::min(reach->low, own.low), std::max(reach->high, own.high)} : own;
    }
    region.lows.push_back(reach->low);
    region.base.push_back(sum(base, index_number(reach->low)));
    region.shape.push_back(reach->high - reach->low + 1);
  }
  return region;
}

std::vector<Access> uses_of(const std::vector<Statement>& statements, int buffer) {
  std::vector<Access> uses = accesses_of(statements);
  std::erase_if(uses, [&](const Access& each) { return each.buffer != buffer; });
  return uses;
}

/// Loops over a region, in a loop's body, around statements. \param shape  Outside of which they don't run.
/// \param name  Of the loops, with a number behind it.
Statement over(NestEdit& edit, const Statement& at, const Region& region, const Shape& shape, const std::string& name,
               const std::vector<Expression>& places, std::vector<Statement> body) {
  Ranges ranges;
  find_ranges(edit.nest.body, at, ranges);
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    ranges.variables[places[axis]->id] = {0, region.shape[axis] - 1};
  }
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const Expression index = sum(region.base[axis], places[axis]);
    const Interval interval = interval_of(index, ranges);
    for (const Expression& condition : {interval.high >= shape[axis] ? index < index_number(shape[axis]) : Expression(),
                                        interval.low < 0 ? index_number(0) <= index : Expression()}) {
      if (condition) {
        Statement where = make_if(condition, std::move(body));
        body = {};
        body.push_back(std::move(where));
      }
    }
  }
  for (std::size_t axis = places.size(); axis-- > 0;) {
    Statement loop = make_loop(edit.fresh_name(name + std::to_string(axis)), {places[axis]->id, region.shape[axis]},
                               std::move(body));
    body = {};
    body.push_back(std::move(loop));
  }
  return std::move(body.front());
}

std::vector<Expression> fresh_places(NestEdit& edit, std::size_t count) {
  std::vector<Expression> places;
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back(variable(edit.fresh_variable()));
  }
  return places;
}

std::vector<Expression> sums(const std::vector<Expression>& a, const std::vector<Expression>& b) {
  std::vector<Expression> all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    all.push_back(sum(a[i], b[i]));
  }
  return all;
}

bool has_variable(const Expression& x, const std::set<int>& variables) {
  return x && (x->kind == ExpressionKind::kVariable
                   ? variables.count(x->id) != 0
                   : has_variable(x->outside, variables) ||
                         std::any_of(x->arguments.begin(), x->arguments.end(),
                                     [&](const Expression& each) { return has_variable(each, variables); }));
}

/// The loops from one on that are each, with conditions between, all of the body of the one before, down to the
/// statements among which `inner` is.
std::vector<const Statement*> chain_to(NestEdit& edit, const Statement& at, const Statement& inner) {
  std::vector<const Statement*> chain{&at};
  const auto is_inner = [&](const Statement& each) { return &each == &inner; };
  while (std::none_of(chain.back()->body.begin(), chain.back()->body.end(), is_inner)) {
    const std::vector<Statement>& body = chain.back()->body;
    edit.refuse_unless(
        body.size() == 1 && (body[0].kind == StatementKind::kLoop || body[0].kind == StatementKind::kIf),
        inner.name + " is not in loops that are each all of the body of the one before, from " + at.name + " on");
    chain.push_back(&body[0]);
  }
  return chain;
}

/// Makes arrays of the registers that parts of a body share: an element for each turn of the loops around.
void widen_shared(NestEdit& edit, const std::vector<const Statement*>& chain, Statement& outer,
                  const std::vector<std::set<int>>& parts) {
  std::map<int, int> users;
  for (const std::set<int>& part : parts) {
    for (const int id : part) {
      users[id] += is_scalar_register(edit.nest.buffers[static_cast<std::size_t>(id)]) ? 1 : 0;
    }
  }
  std::vector<Expression> places;
  Shape shape;
  for (const Statement* each : chain) {
    if (each->kind == StatementKind::kLoop) {
      places.push_back(variable(each->axis.id));
      shape.push_back(each->axis.size);
    }
  }
  for (const auto& [id, count] : users) {
    if (count > 1) {
      edit.make_array(id, shape);
    }
  }
  change_elements(outer.body, [&](const Expression& x) {
    const auto found = users.find(x->id);
    return found != users.end() && found->second > 1 ? element(x->id, places, x->type) : x;
  });
}

/// x with `change` of each element of a buffer that is converted to float64, conversion and all.
template <typename Change>
Expression with_conversions(const Expression& x, int buffer, const Change& change) {
  if (x->kind == ExpressionKind::kApply && x->function == ScalarFunction::kFloat64 &&
      x->arguments[0]->kind == ExpressionKind::kElement && x->arguments[0]->id == buffer) {
    return change(x->arguments[0]);
  }
  ExpressionNode node = *x;
  bool is_changed = false;
  for (Expression& each : node.arguments) {
    const Expression changed = with_conversions(each, buffer, change);
    is_changed |= !changed.is_same(each);
    each = changed;
  }
  return is_changed ? Expression(std::move(node)) : x;
}

template <typename Change>
void change_conversions(std::vector<Statement>& statements, int buffer, const Change& change) {
  for (Statement& each : statements) {
    each.value = each.value ? with_conversions(each.value, buffer, change) : each.value;
    change_conversions(each.body, buffer, change);
  }
}

/// A nest with what a turn of a loop reads of an input in an array, as it is or as float64.
Nest copied(NestEdit edit, const std::string& input, const std::string& at, bool is_converted) {
  const int id = edit.buffer(input);
  Statement& loop = edit.loop(at);
  const NestBuffer buffer = edit.nest.buffers[static_cast<std::size_t>(id)];
  edit.refuse_unless(buffer.scope == MemoryScope::kInput, input + " is no input");
  const std::vector<Access> uses = uses_of(loop.body, id);
  edit.refuse_unless(!uses.empty(), at + " does not read " + input);
  const Region region = region_of(edit, loop, uses);
  std::optional<Expression> outside;
  change_elements(loop.body, [&](const Expression& x) {
    if (x->id == id) {
      edit.refuse_unless(!outside || is_equal(*outside, x->outside), input + " is several things outside");
      outside = x->outside;
    }
    return x;
  });
  edit.refuse_unless(!has_variable(*outside, region.variables), "what " + input + " is outside depends on loops");
  const ScalarType type = is_converted ? ScalarType::kFloat64 : value_type(buffer.type);
  const int cache = edit.add_array(input + "_cache", is_converted ? StoredType::kFloat64 : buffer.type, region.shape);
  const auto in_cache = [&](const Expression& x) { return element(cache, region.within(x->arguments), type); };
  if (is_converted) {
    change_conversions(loop.body, id, in_cache);
    edit.refuse_unless(uses_of(loop.body, id).empty(), input + " is also used without a conversion to f64");
  } else {
    change_elements(loop.body, [&](const Expression& x) { return x->id == id ? in_cache(x) : x; });
  }
  const std::vector<Expression> places = fresh_places(edit, region.shape.size());
  const Expression value = converted(element(id, sums(region.base, places), value_type(buffer.type), *outside), type);
  loop.body.insert(loop.body.begin(), over(edit, loop, region, *outside ? Shape() : buffer.shape, input + "_cache",
                                           places, {make_store(cache, places, value)}));
  return edit.take();
}

}  // namespace

Nest decompose_reduction(const Nest& nest, const std::string& reduction, const std::string& at) {
  NestEdit edit(nest, "decompose " + reduction + " at " + at);
  Statement &outer = edit.loop(at), &inner = edit.loop(reduction);
  edit.refuse_unless(variables_in(outer.body).count(inner.axis.id) != 0, reduction + " is not in " + at);
  const std::vector<const Statement*> chain = chain_to(edit, outer, inner);
  std::set<int> around_it;
  for (const Statement* each : chain) {
    if (each->kind == StatementKind::kLoop) {
      around_it.insert(each->axis.id);
      edit.refuse_unless(each->step == 1, each->name + " goes by " + std::to_string(each->step));
    } else {
      edit.refuse_unless(accesses_of({*each}).size() == accesses_of(each->body).size(),
                         "a condition between depends on what is stored");
    }
  }
  const std::vector<Statement>& list = chain.back()->body;
  edit.refuse_unless(list.size() > 1, "nothing is before it or behind it");
  const auto why = why_in_order(edit.nest, outer, around_it);
  edit.refuse_unless(!why, why.value_or(""));
  const auto place = static_cast<std::size_t>(&inner - list.data());
  const auto part_of = [&](std::size_t first, std::size_t end) {
    return std::vector<Statement>(list.begin() + static_cast<std::ptrdiff_t>(first),
                                  list.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const std::vector<std::size_t> ends{0, place, place + 1, list.size()};
  std::vector<std::set<int>> users;
  for (std::size_t part = 0; part < 3; ++part) {
    users.push_back(buffers_in(part_of(ends[part], ends[part + 1])));
  }
  widen_shared(edit, chain, outer, users);
  std::vector<Statement> parts;
  constexpr std::array<const char*, 3> kEndings{"_first", "", "_last"};
  for (std::size_t part = 0; part < 3; ++part) {
    if (ends[part] != ends[part + 1]) {
      parts.push_back(around(chain, part_of(ends[part], ends[part + 1]), kEndings[part], edit));
    }
  }
  edit.replace(outer, std::move(parts));
  return edit.take();
}

Nest cache_read(const Nest& nest, const std::string& input, const std::string& at) {
  return copied(NestEdit(nest, "cache " + input + " at " + at), input, at, false);
}

Nest cache_converted(const Nest& nest, const std::string& input, const std::string& at) {
  return copied(NestEdit(nest, "cache " + input + " converted at " + at), input, at, true);
}

Nest cache_write(const Nest& nest, const std::string& output, const std::string& at) {
  NestEdit edit(nest, "cache " + output + " at " + at);
  const int id = edit.buffer(output);
  Statement& loop = edit.loop(at);
  const NestBuffer buffer = edit.nest.buffers[static_cast<std::size_t>(id)];
  edit.refuse_unless(buffer.scope == MemoryScope::kOutput, output + " is no output");
  const std::vector<Access> uses = uses_of(loop.body, id);
  edit.refuse_unless(!uses.empty(), at + " does not store in " + output);
  edit.refuse_unless(uses.size() == 1 && uses[0].guards.empty(), "not all of what a turn could copy is stored by it");
  const Region region = region_of(edit, loop, uses);
  const Loops loops = loops_in(loop);
  int64_t elements = 1;
  for (const int each : told_apart_by(uses[0], loop)) {
    elements *= region.variables.count(each) != 0 ? turns_of(*loops.at(each)) : 1;
  }
  edit.refuse_unless(elements == count_elements(region.shape),
                     "a turn does not store at all places of a part of " + output);
  const int cache = edit.add_array(output + "_cache", buffer.type, region.shape);
  change_elements(loop.body, [&](const Expression& x) {
    return x->id == id ? element(cache, region.within(x->arguments), x->type) : x;
  });
  const std::vector<Expression> places = fresh_places(edit, region.shape.size());
  const Expression value = element(cache, places, value_type(buffer.type));
  loop.body.push_back(over(edit, loop, region, buffer.shape, output + "_cache", places,
                           {make_store(id, sums(region.base, places), value)}));
  return edit.take();
}

Nest compute_at(const Nest& nest, const std::string& array, const std::string& at) {
  NestEdit edit(nest, "compute " + array + " at " + at);
  const int id = edit.buffer(array);
  const NestBuffer buffer = edit.nest.buffers[static_cast<std::size_t>(id)];
  edit.refuse_unless(buffer.scope == MemoryScope::kRegister && !buffer.shape.empty(),
                     array + " is no array of the nest");
  Statement& reader = edit.loop(at);
  const std::vector<Access> all = uses_of(edit.nest.body, id), reads = uses_of(reader.body, id);
  const auto is_store = [](const Access& each) { return each.is_store; };
  edit.refuse_unless(std::count_if(all.begin(), all.end(), is_store) == 1, array + " is stored by several statements");
  edit.refuse_unless(
      !reads.empty() && reads.size() + 1 == all.size() && std::none_of(reads.begin(), reads.end(), is_store),
      at + " does not have all that reads " + array);
  // The loops that store it, one an axis.
  const Access& store = *std::find_if(all.begin(), all.end(), is_store);
  std::set<int> axes;
  for (const Expression& index : *store.indices) {
    edit.refuse_unless(index->kind == ExpressionKind::kVariable && axes.insert(index->id).second,
                       array + " is not stored along loops of its own");
  }
  Loops loops;
  add_loops(edit.nest.body, loops);
  const Statement* producer = loops.at((*store.indices)[0]->id);
  for (const int axis : axes) {
    producer = variables_in(loops.at(axis)->body).count(producer->axis.id) != 0 ? loops.at(axis) : producer;
  }
  std::vector<Statement>& list = edit.list_of(*producer);
  const auto place = static_cast<std::size_t>(producer - list.data());
  const auto is_reader = [&](const Statement& each) {
    return &each == &reader || variables_in(each.body).count(reader.axis.id) != 0;
  };
  edit.refuse_unless(std::any_of(list.begin() + static_cast<std::ptrdiff_t>(place) + 1, list.end(), is_reader),
                     at + " does not come after what stores " + array);
  const Statement* innermost = producer;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    edit.refuse_unless(innermost->kind == StatementKind::kLoop && innermost->step == 1 &&
                           axes.count(innermost->axis.id) != 0 && (i + 1 == axes.size() || innermost->body.size() == 1),
                       array + " is not stored along loops of its own");
    innermost = i + 1 == axes.size() ? innermost : &innermost->body[0];
  }
  const std::set<int> own = own_registers(edit.nest, *innermost);
  for (const int each : buffers_in(innermost->body)) {
    const NestBuffer& used = edit.nest.buffers[static_cast<std::size_t>(each)];
    edit.refuse_unless(each == id || own.count(each) != 0 || used.scope == MemoryScope::kInput,
                       array + " is computed with " + used.name + ", which is no input");
  }
  edit.refuse_unless(uses_of(producer->body, id).size() == 1, array + " is computed with elements of it");
  const Region region = region_of(edit, reader, reads);
  const std::vector<Expression> places = fresh_places(edit, region.shape.size());
  Replacements moved;
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    moved[(*store.indices)[axis]->id] = sum(region.base[axis], places[axis]);
  }
  std::vector<Statement> body;
  for (const Statement& each : innermost->body) {
    body.push_back(with_variables(each, moved));
  }
  reader.body.insert(reader.body.begin(),
                     over(edit, reader, region, buffer.shape, array + "_", places, std::move(body)));
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
  return edit.take();
}

Nest reverse_compute_at(const Nest& nest, const std::string& loop, const std::string& at) {
  NestEdit edit(nest, "compute " + loop + " behind " + at);
  Statement &moved = edit.loop(loop), &before = edit.loop(at);
  std::vector<Statement>& list = edit.list_of(before);
  edit.refuse_unless(&edit.list_of(moved) == &list && &moved == &before + 1,
                     loop + " does not stand right behind " + at);
  edit.refuse_unless(
      moved.axis.size == before.axis.size && moved.step == before.step,
      "they run " + std::to_string(turns_of(moved)) + " and " + std::to_string(turns_of(before)) + " times");
  edit.refuse_unless(moved.loop == before.loop && moved.loop != LoopKind::kVector, "they are of different kinds");
  const Statement renamed = with_variables(moved, {{moved.axis.id, variable(before.axis.id)}});
  const std::vector<Access> first = accesses_of(before.body), second = accesses_of(renamed.body);
  // Of two uses of one buffer, both are in the same turn if an index that tells turns apart is the same in both.
  const auto is_in_one_turn = [&](const Access& a, const Access& b) {
    for (std::size_t axis = 0; axis < a.indices->size(); ++axis) {
      const Expression& index = (*a.indices)[axis];
      std::set<int> inside = variables_in(before.body);
      inside.merge(variables_in(renamed.body));
      const auto multiples = multiples_of(index, {before.axis.id});
      if (multiples && multiples->count(before.axis.id) != 0 && multiples->at(before.axis.id) != 0 &&
          !has_variable(index, inside) && is_equal(index, (*b.indices)[axis])) {
        return true;
      }
    }
    return false;
  };
  for (const Access& a : first) {
    for (const Access& b : second) {
      edit.refuse_unless(a.buffer != b.buffer || (!a.is_store && !b.is_store) || is_in_one_turn(a, b),
                         "a turn of " + loop + " needs others of " + at + " for " +
                             edit.nest.buffers[static_cast<std::size_t>(a.buffer)].name);
    }
  }
  before.body.insert(before.body.end(), renamed.body.begin(), renamed.body.end());
  list.erase(list.begin() + (&moved - list.data()));
  return edit.take();
}

}  // namespace fovea
