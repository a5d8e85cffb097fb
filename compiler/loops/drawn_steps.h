// SPDX-License-Identifier: Apache-2.0
/// \file
/// For tests: random steps of schedules.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drawn_calls.h"
#include "schedule.h"
#include "tensor/error.h"

namespace fovea {

inline void add_loops(const std::vector<Statement>& statements, std::vector<const Statement*>& loops) {
  for (const Statement& each : statements) {
    if (each.kind == StatementKind::kLoop) {
      loops.push_back(&each);
    }
    add_loops(each.body, loops);
  }
}

/// Steps drawn at random, how many of each were taken, and why others were not.
class StepDrawing {
 public:
  explicit StepDrawing(unsigned seed) : drawing_(seed) {}

  /// One step at one loop of the nest, or the nest as it is where that is refused.
  Nest draw(const Nest& nest) {
    std::vector<const Statement*> loops;
    add_loops(nest.body, loops);
    if (loops.empty()) {
      return nest;
    }
    const Statement& loop =
        *loops[static_cast<std::size_t>(drawing_.between(0, static_cast<int64_t>(loops.size()) - 1))];
    const int64_t size = drawing_.between(1, 7);
    const std::string inner = loop.body.empty() ? "" : loop.body[0].name;
    const std::pair<const char*, std::function<Nest()>> steps[] = {
        {"tile", [&] { return tile(nest, loop.name, size); }},
        {"reorder", [&] { return reorder(nest, loop.name, inner); }},
        {"unroll", [&] { return unroll(nest, loop.name); }},
        {"vectorize", [&] { return vectorize(nest, loop.name); }}};
    const auto& [name, step] = steps[drawing_.between(0, 3)];
    try {
      const Nest changed = step();
      ++taken[name];
      return changed;
    } catch (const UserError&) {
      ++refused[name];
      return nest;
    }
  }

  CallDrawing& calls() { return drawing_; }
  std::map<std::string, int> taken, refused;

 private:
  CallDrawing drawing_;
};

}  // namespace fovea
