// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a loop is in a nest, and names that are free; for the steps of a schedule.
#pragma once

#include <string>
#include <vector>

#include "index_arithmetic.h"
#include "nest.h"

namespace fovea {

/// Throws UserError "nest <name>: <step>: <problem>" unless the condition holds.
void refuse_unless(bool condition, const Nest& nest, const std::string& step, const std::string& problem);

/// The one loop of that name, and before it the statements around it, outermost first. UserError where there is no such
/// loop, or more than one. Pointers into the nest.
struct LoopPath {
  std::vector<Statement*> statements;

  Statement& front() const { return *statements.front(); }
  Statement& back() const { return *statements.back(); }
};
LoopPath find_loop(Nest& nest, const std::string& loop, const std::string& step);

/// `name`, or with a number behind it, as nothing in the nest is called.
std::string fresh_name(const Nest& nest, const std::string& name);
/// An id that no loop has.
int fresh_variable(const Nest& nest);

/// A statement, and what is in it, with these in place of variables.
Statement with_variables(Statement statement, const Replacements& replacements);

}  // namespace fovea
