// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads intrinsics, finds what they are called with, and puts them into nests.
#include "intrinsic.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "dependence.h"
#include "nest_edit.h"
#include "nest_text.h"
#include "schedule.h"
#include "tensor/error.h"
#include "verify_nest.h"

namespace fovea {
namespace {

bool is_scalar(const NestBuffer& buffer) { return buffer.scope == MemoryScope::kRegister && buffer.shape.empty(); }

/// Elements from one of a dense buffer to the next along each axis.
std::vector<int64_t> dense_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  return strides;
}

/// Puts a statement of a nest beside the intrinsic's.
class Comparison {
 public:
  Comparison(const Nest& function, const Nest& nest) : function_(function), nest_(nest) {}

  void compare(const Statement& own, const Statement& other) {
    check(own.kind == other.kind && own.body.size() == other.body.size(), "it has other statements");
    if (own.kind == StatementKind::kLoop) {
      check(turns_of(own) == turns_of(other) && own.step == other.step,
            other.name + " has " + std::to_string(turns_of(other)) + " turns, and its " + own.name + " " +
                std::to_string(turns_of(own)));
      variables_[own.axis.id] = other.axis.id;
      zeros_[own.axis.id] = index_number(0);
      zeros_of_nest_[other.axis.id] = index_number(0);
    } else if (own.kind == StatementKind::kStore) {
      compare_places(own.buffer, own.indices, other.buffer, other.indices);
    } else {
      check(own.kind == StatementKind::kIf, "there is a unit in it");
    }
    if (own.value) {
      compare(own.value, other.value);
    }
    for (std::size_t i = 0; i < own.body.size(); ++i) {
      compare(own.body[i], other.body[i]);
    }
  }

  std::vector<IntrinsicArgument> arguments() const {
    std::vector<IntrinsicArgument> all;
    for (int id = 0; id < static_cast<int>(function_.buffers.size()); ++id) {
      if (!is_scalar(buffer_of(function_, id))) {
        all.push_back(argument(id));
      }
    }
    return all;
  }

  const std::map<int, int>& buffers() const { return buffers_; }

 private:
  struct Place {
    int buffer;
    const std::vector<Expression>*own, *other;
  };

  static void check(bool condition, const std::string& problem) {
    if (!condition) {
      user_error(problem);
    }
  }

  static const NestBuffer& buffer_of(const Nest& nest, int id) { return nest.buffers[static_cast<std::size_t>(id)]; }

  void compare(const Expression& own, const Expression& other) {
    const bool is_same = own->kind == other->kind && own->type == other->type &&
                         (own->kind == ExpressionKind::kElement || own->arguments.size() == other->arguments.size()) &&
                         (own->kind != ExpressionKind::kApply || own->function == other->function) &&
                         (own->kind != ExpressionKind::kNumber ||
                          (own->integer == other->integer &&
                           std::bit_cast<std::uint64_t>(own->real) == std::bit_cast<std::uint64_t>(other->real))) &&
                         (own->kind != ExpressionKind::kVariable ||
                          (variables_.count(own->id) != 0 && variables_.at(own->id) == other->id));
    check(is_same, "it computes something else");
    if (own->kind == ExpressionKind::kElement) {
      check(!own->outside && !other->outside, "something is read outside of a buffer");
      compare_places(own->id, own->arguments, other->id, other->arguments);
      return;
    }
    for (std::size_t i = 0; i < own->arguments.size(); ++i) {
      compare(own->arguments[i], other->arguments[i]);
    }
  }

  void compare_places(int own, const std::vector<Expression>& indices, int other,
                      const std::vector<Expression>& other_indices) {
    const NestBuffer &mine = buffer_of(function_, own), &theirs = buffer_of(nest_, other);
    const auto [known, is_new] = buffers_.emplace(own, other);
    check(known->second == other,
          "its " + mine.name + " is " + buffer_of(nest_, known->second).name + " and " + theirs.name);
    check(mine.type == theirs.type && is_scalar(mine) == is_scalar(theirs),
          "its " + mine.name + " is " + std::string(to_text(mine.type)) + (is_scalar(mine) ? ", a register" : "") +
              ", and " + theirs.name + " " + std::string(to_text(theirs.type)) +
              (is_scalar(theirs) ? ", a register" : ""));
    for (const auto& [mapped, to] : buffers_) {
      const bool are_read =
          mine.scope == MemoryScope::kInput && buffer_of(function_, mapped).scope == MemoryScope::kInput;
      check(mapped == own || to != other || are_read,
            "its " + mine.name + " and " + buffer_of(function_, mapped).name + " are both " + theirs.name);
    }
    places_.push_back({own, &indices, &other_indices});
  }

  /// How far apart the places in the nest are for one more of each of the intrinsic's variables.
  std::map<int, int64_t> reach(const Place& place) const {
    std::set<int> variables;
    for (const auto& [own, other] : variables_) {
      variables.insert(other);
    }
    const NestBuffer& buffer = buffer_of(nest_, buffers_.at(place.buffer));
    const std::vector<int64_t> strides = dense_strides(buffer.shape);
    std::map<int, int64_t> all;
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      const auto multiples = multiples_of((*place.other)[axis], variables);
      check(multiples.has_value(), "an index of " + buffer.name + " is no sum of multiples of loops");
      for (const auto& [own, other] : variables_) {
        all[own] += multiples->count(other) != 0 ? multiples->at(other) * strides[axis] : 0;
      }
    }
    return all;
  }

  IntrinsicArgument argument(int id) const {
    const NestBuffer& buffer = buffer_of(function_, id);
    check(buffers_.count(id) != 0, "its " + buffer.name + " is not used");
    std::set<int> variables;
    for (const auto& [own, other] : variables_) {
      variables.insert(own);
    }
    std::optional<IntrinsicArgument> argument;
    for (const Place& place : places_) {
      if (place.buffer != id) {
        continue;
      }
      const std::map<int, int64_t> apart = reach(place);
      std::vector<std::map<int, int64_t>> multiples;
      std::map<int, int> axes;  // How many a variable is in.
      for (const Expression& index : *place.own) {
        const auto of_index = multiples_of(index, variables);
        check(of_index && number_in(with_variables(index, zeros_)) == 0,
              "an index of its " + buffer.name + " is no sum of multiples of loops");
        multiples.push_back(*of_index);
        for (const auto& [variable, factor] : *of_index) {
          axes[variable] += factor != 0 ? 1 : 0;
        }
      }
      IntrinsicArgument here{buffers_.at(id), {}, std::vector<int64_t>(multiples.size(), 0)};
      std::map<int, int64_t> expected;
      for (std::size_t axis = 0; axis < multiples.size(); ++axis) {
        for (const auto& [variable, factor] : multiples[axis]) {
          if (factor != 0 && axes.at(variable) == 1) {
            here.strides[axis] = apart.at(variable) / factor;
          }
        }
        for (const auto& [variable, factor] : multiples[axis]) {
          expected[variable] += here.strides[axis] * factor;
        }
      }
      for (const auto& [variable, distance] : apart) {
        const auto found = expected.find(variable);
        check((found == expected.end() ? 0 : found->second) == distance,
              "elements of " + buffer_of(nest_, here.buffer).name + " lie otherwise than those of its " + buffer.name);
      }
      for (const Expression& index : *place.other) {
        here.base.push_back(with_variables(index, zeros_of_nest_));
      }
      const bool is_same =
          !argument || (argument->strides == here.strides &&
                        std::equal(here.base.begin(), here.base.end(), argument->base.begin(), argument->base.end(),
                                   [](const Expression& a, const Expression& b) { return is_equal(a, b); }));
      check(is_same, buffer_of(nest_, here.buffer).name + " is used from several places on");
      argument = std::move(here);
    }
    return *argument;
  }

  const Nest &function_, &nest_;
  std::map<int, int> variables_, buffers_;  ///< Of the intrinsic, and the nest's.
  Replacements zeros_, zeros_of_nest_;
  std::vector<Place> places_;
};

Comparison compared(const Intrinsic& intrinsic, const Nest& nest, const Statement& statement) {
  Comparison comparison(intrinsic.nest, nest);
  comparison.compare(intrinsic.nest.body.front(), statement);
  return comparison;
}

bool uses_outside(const std::vector<Statement>& statements, const Statement& part, int buffer) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& each) {
    if (&each == &part) {
      return false;
    }
    Statement head = each;
    head.body = {};
    const std::vector<Access> own = accesses_of({head});
    return std::any_of(own.begin(), own.end(), [&](const Access& access) { return access.buffer == buffer; }) ||
           uses_outside(each.body, part, buffer);
  });
}

Intrinsic read_intrinsic(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  Intrinsic intrinsic{{}, text.str()};
  if (!stream || intrinsic.source.empty()) {
    user_error(file + ": there is no such file, or nothing in it");
  }
  const std::size_t first = intrinsic.source.find("/* nest "), last = intrinsic.source.find("*/", first);
  if (first == std::string::npos || last == std::string::npos) {
    user_error(file + ": no comment /* nest NAME(...) { ... } */ says what its function computes");
  }
  intrinsic.nest = parse_nest(intrinsic.source.substr(first + 2, last - first - 2), file);
  verify_nest(intrinsic.nest);
  const auto is_of_machine = [](const NestBuffer& each) { return each.scope >= MemoryScope::kGlb; };
  if (intrinsic.nest.body.size() != 1 ||
      std::any_of(intrinsic.nest.buffers.begin(), intrinsic.nest.buffers.end(), is_of_machine)) {
    user_error(file + ": nest " + intrinsic.nest.name + " is not one loop over buffers of a processor");
  }
  return intrinsic;
}

}  // namespace

std::vector<std::shared_ptr<const Intrinsic>> read_intrinsics(const std::vector<std::filesystem::path>& files) {
  std::vector<std::shared_ptr<const Intrinsic>> all;
  for (const std::filesystem::path& file : files) {
    auto read = std::make_shared<const Intrinsic>(read_intrinsic(file.string()));
    const std::string& name = read->nest.name;
    if (std::ranges::any_of(all, [&](const auto& each) { return each->nest.name == name; })) {
      user_error(file.string() + ": another file has a function " + name + " too; rename one");
    }
    all.push_back(std::move(read));
  }
  return all;
}

std::vector<IntrinsicArgument> arguments_of(const Intrinsic& intrinsic, const Nest& nest, const Statement& statement) {
  return compared(intrinsic, nest, statement).arguments();
}

Nest tensorize(const Nest& nest, const std::string& loop, const std::string& function) {
  NestEdit edit(nest, "tensorize " + loop + " by " + function);
  edit.refuse_unless(function != "array",
                     "the accelerator's array takes whole layers of 8-bit numbers, not a part of a CPU's nest; "
                     "--target dla places them, and C functions work here");
  const auto name_of = [](const auto& each) { return each->nest.name; };
  const auto found = std::ranges::find(nest.intrinsics, function, name_of);
  std::string names;
  for (const auto& each : nest.intrinsics) {
    names += (names.empty() ? "; there are " : ", ") + name_of(each);
  }
  edit.refuse_unless(found != nest.intrinsics.end(),
                     "no file of C is given that has this function (--intrinsic FILE)" + names);
  const Intrinsic& intrinsic = **found;
  Statement& part = edit.loop(loop);
  try {
    const Comparison comparison = compared(intrinsic, edit.nest, part);
    comparison.arguments();
    for (const auto& [own, other] : comparison.buffers()) {
      const NestBuffer& buffer = edit.nest.buffers[static_cast<std::size_t>(other)];
      if (is_scalar(buffer) && uses_outside(edit.nest.body, part, other)) {
        user_error(buffer.name + " is used elsewhere too");
      }
    }
  } catch (const UserError& error) {
    edit.refuse_unless(false, error.what());
  }
  Statement unit;
  unit.kind = StatementKind::kUnit;
  unit.name = intrinsic.nest.name;
  unit.body.push_back(part);
  edit.replace(part, {unit});
  return edit.take();
}

}  // namespace fovea
