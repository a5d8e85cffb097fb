// SPDX-License-Identifier: Apache-2.0
/// \file
/// A short sorted list.
#include "best_mappings.h"

#include <algorithm>
#include <tuple>

#include "mapping_space.h"

namespace fovea {

BestMappings::BestMappings(const dla_shape& shape, std::size_t count, const Rank& below)
    : count_(count), below_(below), rows_(output_rows(shape)), filters_(shape.M) {}

bool BestMappings::is_same_kind(const dla_mapping& a, const dla_mapping& b) const {
  const auto tiles = [](std::uint32_t total, std::uint32_t size) { return (total + size - 1) / size; };
  const auto kind = [&](const dla_mapping& m) {
    return std::tuple(m.e, m.p, m.q, m.r, m.t, m.fold_rows, m.g, m.ifmap_resident, tiles(rows_, m.e_glb),
                      tiles(filters_, m.m));
  };
  return kind(a) == kind(b);
}

void BestMappings::add(const Rank& rank, const dla_mapping& mapping) {
  const auto same = std::find_if(best_.begin(), best_.end(),
                                 [&](const Ranked& other) { return is_same_kind(other.mapping, mapping); });
  if (same != best_.end()) {
    if (!(rank < same->rank)) {
      return;
    }
    best_.erase(same);
  }
  const auto place = std::find_if(best_.begin(), best_.end(), [&](const Ranked& other) { return rank < other.rank; });
  best_.insert(place, {rank, mapping});
  best_.resize(std::min(best_.size(), count_));
}

}  // namespace fovea
