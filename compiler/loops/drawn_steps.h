// SPDX-License-Identifier: Apache-2.0
/// \file
/// For tests: random steps of schedules.
#pragma once

#include <functional>
#include <iterator>
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
    const Statement& loop = *any(loops);
    const int64_t size = drawing_.between(1, 7);
    const Statement& other = *any(loops);
    const std::string inner = loop.body.empty() ? "" : loop.body[0].name;
    const std::string buffer = any(nest.buffers).name;
    const std::pair<const char*, std::function<Nest()>> steps[] = {
        {"tile", [&] { return tile(nest, loop.name, size); }},
        {"split", [&] { return split(nest, loop.name, size); }},
        {"split_parts", [&] { return split_parts(nest, loop.name, size); }},
        {"fuse", [&] { return fuse(nest, loop.name, inner); }},
        {"reorder",
         [&] {
           return reorder(nest, {drawing_.between(0, 1) == 0 ? inner : other.name, loop.name});
         }},
        {"unroll", [&] { return unroll(nest, loop.name); }},
        {"vectorize", [&] { return vectorize(nest, loop.name); }},
        {"parallel", [&] { return parallel(nest, loop.name); }},
        {"decompose_reduction", [&] { return decompose_reduction(nest, loop.name, other.name); }},
        {"cache_read", [&] { return cache_read(nest, buffer, loop.name); }},
        {"cache_converted", [&] { return cache_converted(nest, buffer, loop.name); }},
        {"cache_write", [&] { return cache_write(nest, buffer, loop.name); }},
        {"compute_at", [&] { return compute_at(nest, nest.buffers.back().name, loop.name); }},
        {"reverse_compute_at", [&] { return reverse_compute_at(nest, loop.name, other.name); }}};
    const auto& [name, step] = steps[drawing_.between(0, static_cast<int64_t>(std::size(steps)) - 1)];
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
  template <typename T>
  const T& any(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(drawing_.between(0, static_cast<int64_t>(all.size()) - 1))];
  }

  CallDrawing drawing_;
};

}  // namespace fovea
