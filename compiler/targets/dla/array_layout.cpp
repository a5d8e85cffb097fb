// SPDX-License-Identifier: Apache-2.0
/// \file
/// Places PE sets: channel sets above each other, filter sets down and then across.
#include "array_layout.h"

namespace fovea {

std::vector<PeSet> place_sets(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  const dla_passes passes = dla_derive_passes(&machine, &shape, &mapping);
  std::vector<PeSet> sets;
  for (std::uint32_t filter_set = 0; filter_set < mapping.t; ++filter_set) {
    const std::uint32_t high = filter_set % passes.filters_high, wide = filter_set / passes.filters_high;
    for (std::uint32_t channel_set = 0; channel_set < mapping.r; ++channel_set) {
      const std::uint32_t row = (high * mapping.r + channel_set) * passes.fold_rows;
      sets.push_back({row, wide * mapping.e, filter_set, channel_set});
    }
  }
  return sets;
}

}  // namespace fovea
