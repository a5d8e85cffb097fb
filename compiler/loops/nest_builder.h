// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds a nest from the outside in.
#pragma once

#include <string>
#include <vector>

#include "interval.h"
#include "nest.h"

namespace fovea {

/// Loops, conditions and units are opened, and what follows is in them until they are closed. A loop of one turn is
/// none: its variable is the number 0. A condition that always holds is none either.
class NestBuilder {
 public:
  explicit NestBuilder(std::string name) { nest_.name = std::move(name); }

  /// \return its number, for at() and store().
  int buffer(std::string name, MemoryScope scope, StoredType type, Shape shape = {});

  /// Opens a loop. \return its variable.
  Expression loop(const std::string& name, int64_t size, int64_t step = 1, LoopKind kind = LoopKind::kSerial);
  /// Opens a condition: that all of these hold.
  void only_where(const std::vector<Expression>& conditions);
  void unit(const std::string& name);

  /// Whether a comparison of two indices holds here, whatever the variables are.
  bool always(const Expression& condition) const;

  /// How many are open.
  std::size_t depth() const { return open_.size(); }
  /// Closes all but the outermost `depth`.
  void close_to(std::size_t depth);

  Expression at(int buffer, std::vector<Expression> indices = {}, const Expression& outside = {}) const;
  void store(int buffer, std::vector<Expression> indices, const Expression& value);

  /// Closes all. The builder is empty then.
  Nest take();

 private:
  void open(Statement statement);
  Nest nest_;
  std::vector<Statement> open_;
  std::vector<std::size_t> known_;  ///< How many bounds there were before each of `open_`.
  Ranges ranges_;
  int next_variable_ = 0;
};

}  // namespace fovea
