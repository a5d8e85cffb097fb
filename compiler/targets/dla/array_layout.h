// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the PE sets of a mapping stand on the array.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/dla_layer.h"

namespace fovea {

/// A PE set: fold_rows PEs high, e wide. PE (i, j) of it has filter row i of a fold and output row j of a strip.
struct PeSet {
  std::uint32_t row, col;     ///< Of its first PE, from the top left.
  std::uint32_t filter_set;   ///< 0 to t - 1: filters p * filter_set and the p - 1 after it, of the pass.
  std::uint32_t channel_set;  ///< 0 to r - 1: channels q * channel_set and the q - 1 after it, of the pass.
};

/// The r * t sets of a full pass, filter set by filter set. Filter sets fill a segment column from the top, then the
/// next e columns, as in sim/rtl/src/dla_filter_feed.sv. \pre dla_check_mapping() found no error.
std::vector<PeSet> place_sets(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping);

}  // namespace fovea
