// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the turns of loops need one another.
#pragma once

#include <cstdint>
#include <map>
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
  /// What is between it and the statements that were asked about that may not run its body, the outermost first.
  std::vector<const Statement*> guards;
};

/// The loads and stores of statements, in the order in which they come first.
std::vector<Access> accesses_of(const std::vector<Statement>& statements);

/// The variables of the loops among statements, and of those inside of them.
std::set<int> variables_in(const std::vector<Statement>& statements);

/// How many elements apart the places of an access are for one more of a variable; nothing where that is not always the
/// same.
std::optional<int64_t> stride_of(const Nest& nest, const Access& access, int variable);

/// What an index is of these variables, as multiples of them; nothing where it is no such sum. Others may be in it.
std::optional<std::map<int, int64_t>> multiples_of(const Expression& index, const std::set<int>& variables);

/// The variables of a loop and those in it that an access tells apart: where they differ, so do its places.
std::set<int> told_apart_by(const Access& access, const Statement& loop);

/// The registers of a nest that a turn of a loop has to itself: it stores in all of what it reads of them, before.
std::set<int> own_registers(const Nest& nest, const Statement& loop);

/// Whether two loops, of which the second alone is in the first, may change places: the turns that use one place of a
/// buffer stay in their order. \return why not, in one clause; nothing where they may.
std::optional<std::string> why_not_swapped(const Nest& nest, const Statement& outer, const Statement& inner);

/// Why the turns of a loop of the nest, and of loops inside of it, can't run in any order, in one clause; nothing where
/// they can, and what the nest computes stays the same bit for bit. They can where each turn stores in places of its
/// own, which no other reads, and in registers that it alone uses. \param loops  Variables of those whose order it is.
/// \param own  Arrays that each turn is given for itself.
std::optional<std::string> why_in_order(const Nest& nest, const Statement& loop, const std::set<int>& loops,
                                        const std::set<int>& own = {});

}  // namespace fovea
