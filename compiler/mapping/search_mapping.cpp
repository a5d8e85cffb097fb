// SPDX-License-Identifier: Apache-2.0
/// \file
/// Best-first search over array mappings, then over the GLB for each.
#include "search_mapping.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "candidates.h"

namespace fovea {
namespace {

/// Mappings within this part of the fewest cycles count as equally fast; DRAM bytes decide between them.
constexpr double kSameCycles = 1.01;

/// Filter chunks beyond this many hide no more latency: the bus has a few requests in flight.
constexpr std::uint32_t kMostFilterBuffers = 16;

struct BoundedArray {
  std::uint64_t bound_cycles;
  dla_mapping mapping;
};

struct PricedMapping {
  LayerCost cost;
  std::uint64_t passes;
  dla_mapping mapping;
};

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Items of one letter that the PEs go through for `total`: sets of `in_pe`, `sets` of them side by side.
std::uint64_t serial_items(std::uint64_t total, std::uint64_t in_pe, std::uint64_t sets) {
  return total / (in_pe * sets) * in_pe + std::min(total % (in_pe * sets), in_pe);
}

/// Cycles in which a PE multiplies, remainders included: no use of the GLB makes it faster.
std::uint64_t multiply_cycles(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  return serial_items(shape.M, mapping.p, mapping.t) * serial_items(shape.C, mapping.q, mapping.r) * passes.folds *
         ceil_div(passes.E, mapping.e) * passes.F * shape.S;
}

std::vector<BoundedArray> bound_arrays(const dla_machine& machine, const dla_shape& shape) {
  std::vector<BoundedArray> bounded;
  for (const dla_mapping& mapping : array_mappings(machine, shape)) {
    bounded.push_back({multiply_cycles(machine, shape, mapping), mapping});
  }
  std::stable_sort(bounded.begin(), bounded.end(),
                   [](const BoundedArray& a, const BoundedArray& b) { return a.bound_cycles < b.bound_cycles; });
  return bounded;
}

std::uint64_t count_passes(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  return ceil_div(passes.E, mapping.e) * ceil_div(shape.M, mapping.p * mapping.t) * passes.c_chunks * passes.folds;
}

/// All legal mappings that may be among the fastest.
std::vector<PricedMapping> price_fast_mappings(const dla_machine& machine, const dla_shape& shape) {
  std::vector<PricedMapping> priced;
  double limit = 0;
  for (const BoundedArray& array : bound_arrays(machine, shape)) {
    const auto too_slow = [&](std::uint64_t cycles) { return !priced.empty() && static_cast<double>(cycles) > limit; };
    if (too_slow(array.bound_cycles)) {
      break;
    }
    for (const dla_mapping& mapping : glb_mappings(machine, shape, array.mapping)) {
      const LayerCost cost = price_mapping(machine, shape, mapping);
      const double slowest = static_cast<double>(cost.cycles) * kSameCycles;
      limit = priced.empty() ? slowest : std::min(limit, slowest);
      priced.push_back({cost, count_passes(machine, shape, mapping), mapping});
    }
  }
  return priced;
}

/// Least DRAM traffic among the fastest; then fewest passes, as each has some overhead; then fewest cycles.
const PricedMapping* pick(const std::vector<PricedMapping>& priced) {
  std::uint64_t fewest = UINT64_MAX;
  for (const PricedMapping& candidate : priced) {
    fewest = std::min(fewest, candidate.cost.cycles);
  }
  const auto rank = [](const PricedMapping& c) {
    return std::tuple(c.cost.dram_bytes.read(), c.passes, c.cost.cycles);
  };
  const PricedMapping* best = nullptr;
  for (const PricedMapping& candidate : priced) {
    const bool fast = static_cast<double>(candidate.cost.cycles) <= static_cast<double>(fewest) * kSameCycles;
    if (fast && (best == nullptr || rank(candidate) < rank(*best))) {
      best = &candidate;
    }
  }
  return best;
}

/// Plans the GLB with as many filter chunks in flight as there is room for.
void plan_glb(const dla_machine& machine, const dla_shape& shape, PlannedMapping& planned) {
  const std::uint32_t least = planned.mapping.filter_buffers;
  for (std::uint32_t buffers = kMostFilterBuffers; buffers >= least; --buffers) {
    planned.mapping.filter_buffers = buffers;
    if (dla_plan_glb(&machine, &shape, &planned.mapping, &planned.glb) == kDlaErrorNone) {
      return;
    }
  }
}

}  // namespace

std::optional<PlannedMapping> search_mapping(const dla_machine& machine, const dla_shape& shape) {
  const std::vector<PricedMapping> priced = price_fast_mappings(machine, shape);
  const PricedMapping* best = pick(priced);
  if (best == nullptr) {
    return std::nullopt;
  }
  PlannedMapping planned{best->mapping, {}, best->cost};
  plan_glb(machine, shape, planned);
  planned.cost = price_mapping(machine, shape, planned.mapping);
  return planned;
}

}  // namespace fovea
