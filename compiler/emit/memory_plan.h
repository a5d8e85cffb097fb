// SPDX-License-Identifier: Apache-2.0
/// \file
/// Places buffers with known lifetimes in one arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea {

/// A tensor's memory: written by layer `first`, last read by layer `last`.
struct Buffer {
  std::uint64_t bytes = 0;
  std::size_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::uint64_t> offsets;  ///< Of each buffer, in bytes.
  std::uint64_t peak_bytes = 0;        ///< Size of the arena.
  std::uint64_t naive_bytes = 0;       ///< Size without reuse: the sum of all buffers.
};

/// Gives each buffer, largest first, the lowest place that is free while it lives. Buffers that live at the same time,
/// the ends included, never share a byte. \param alignment  Buffers start at multiples of it.
MemoryPlan plan_memory(const std::vector<Buffer>& buffers, std::uint64_t alignment = 16);

}  // namespace fovea
