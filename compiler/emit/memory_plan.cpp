// SPDX-License-Identifier: Apache-2.0
/// \file
/// First fit by decreasing size.
#include "memory_plan.h"

#include <algorithm>
#include <numeric>

namespace fovea {
namespace {

bool alive_together(const Buffer& a, const Buffer& b) { return a.first <= b.last && b.first <= a.last; }

}  // namespace

MemoryPlan plan_memory(const std::vector<Buffer>& buffers, std::uint64_t alignment) {
  const auto aligned = [&](std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<std::size_t> by_size(buffers.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<std::size_t> placed;  // In order of offset.
  for (const std::size_t index : by_size) {
    const Buffer& buffer = buffers[index];
    std::uint64_t offset = 0;
    for (const std::size_t other : placed) {
      const bool gap_fits = offset + buffer.bytes <= plan.offsets[other];
      if (alive_together(buffer, buffers[other]) && !gap_fits) {
        offset = std::max(offset, plan.offsets[other] + aligned(buffers[other].bytes));
      }
    }
    plan.offsets[index] = offset;
    const auto later = [&](std::size_t other) { return plan.offsets[other] > offset; };
    placed.insert(std::find_if(placed.begin(), placed.end(), later), index);
    plan.peak_bytes = std::max(plan.peak_bytes, offset + aligned(buffer.bytes));
    plan.naive_bytes += aligned(buffer.bytes);
  }
  return plan;
}

}  // namespace fovea
