// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keeps the statements that are open, and what is known inside of them.
#include "nest_builder.h"

#include <utility>

#include "index_arithmetic.h"

namespace fovea {

int NestBuilder::buffer(std::string name, MemoryScope scope, StoredType type, Shape shape) {
  nest_.buffers.push_back({std::move(name), scope, type, std::move(shape)});
  return static_cast<int>(nest_.buffers.size()) - 1;
}

Expression NestBuilder::loop(const std::string& name, int64_t size, int64_t step, LoopKind kind) {
  if (size <= step) {
    return index_number(0);
  }
  Statement loop = make_loop(name, {next_variable_++, size}, {}, kind);
  loop.step = step;
  ranges_.variables[loop.axis.id] = {0, last_of(loop)};
  open(std::move(loop));
  return variable(next_variable_ - 1);
}

void NestBuilder::only_where(const std::vector<Expression>& conditions) {
  Expression all;
  for (const Expression& each : conditions) {
    if (!always(each)) {
      all = all ? logical_and(all, each) : each;
    }
  }
  if (all) {
    open(make_if(all, {}));
    ranges_.assume(all);
  }
}

void NestBuilder::unit(const std::string& name) {
  Statement unit;
  unit.kind = StatementKind::kUnit;
  unit.name = name;
  open(std::move(unit));
}

void NestBuilder::open(Statement statement) {
  open_.push_back(std::move(statement));
  known_.push_back(ranges_.bounds.size());
}

void NestBuilder::close_to(std::size_t depth) {
  while (open_.size() > depth) {
    Statement closed = std::move(open_.back());
    open_.pop_back();
    ranges_.bounds.resize(known_.back());
    known_.pop_back();
    (open_.empty() ? nest_.body : open_.back().body).push_back(std::move(closed));
  }
}

bool NestBuilder::always(const Expression& condition) const {
  const bool is_less = condition->function == ScalarFunction::kLess;
  if (!is_less && condition->function != ScalarFunction::kLessEqual) {
    return false;
  }
  const Interval a = interval_of(condition->arguments[0], ranges_), b = interval_of(condition->arguments[1], ranges_);
  return is_less ? a.high < b.low : a.high <= b.low;
}

Expression NestBuilder::at(int buffer, std::vector<Expression> indices, const Expression& outside) const {
  const NestBuffer& of = nest_.buffers[static_cast<std::size_t>(buffer)];
  bool is_inside = true;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    is_inside &= interval_of(indices[axis], ranges_).is_within({0, of.shape[axis] - 1});
  }
  return element(buffer, std::move(indices), value_type(of.type), is_inside ? Expression() : outside);
}

void NestBuilder::store(int buffer, std::vector<Expression> indices, const Expression& value) {
  Statement store = make_store(buffer, std::move(indices), value);
  (open_.empty() ? nest_.body : open_.back().body).push_back(std::move(store));
}

Nest NestBuilder::take() {
  close_to(0);
  return std::move(nest_);
}

}  // namespace fovea
