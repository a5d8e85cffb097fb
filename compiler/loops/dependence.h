// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the turns of loops need one another.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nest.h"

namespace fovea {

/// What a statement does with a buffer.
struct Access {
  const Statement* statement = nullptr;
  int buffer = 0;
  const std::vector<Expression>* indices = nullptr;
  bool is_store = false;
  bool is_certain = true;  ///< No condition is between it and the statements that were asked about.
};

/// The loads and stores of statements, in the order in which they come first.
std::vector<Access> accesses_of(const std::vector<Statement>& statements);

/// The variables of the loops among statements, and of those inside of them.
std::set<int> variables_in(const std::vector<Statement>& statements);

/// How many elements apart the places of an access are for one more of a variable; nothing where that is not always the
/// same.
std::optional<int64_t> stride_of(const Nest& nest, const Access& access, int variable);

/// Why the turns of a loop of the nest, and of loops inside of it, can't run in any order, in one clause; nothing where
/// they can, and what the nest computes stays the same bit for bit. They can where each turn stores in places of its
/// own, which no other reads, and in registers that it alone uses. \param loops  Variables of those whose order it is.
std::optional<std::string> why_in_order(const Nest& nest, const Statement& loop, const std::set<int>& loops);

}  // namespace fovea
