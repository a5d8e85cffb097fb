// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a verilated module and says which assertions failed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace fovea {

/// Names of the assertions that fail while `run` runs, without their hierarchy, in order. A failure does not stop the
/// run, and its message is swallowed.
std::vector<std::string> failed_assertions(const std::function<void()>& run);

/// The first of them; empty if none fails.
std::string failed_assertion(const std::function<void()>& run);

/// Names of all assertions that a source file makes with the macros of dla_assert.svh.
/// \param path  Relative to the source folder of sim/rtl.
std::set<std::string> assertions_of(const std::string& path);

/// One way to break one rule.
template <class Bench>
struct Sabotage {
  std::string assertion;
  std::function<void(Bench&)> run;
};

/// Names in a table of sabotages.
template <class Bench>
std::set<std::string> names_of(const std::vector<Sabotage<Bench>>& table) {
  std::set<std::string> names;
  for (const Sabotage<Bench>& row : table) {
    names.insert(row.assertion);
  }
  return names;
}

}  // namespace fovea
