// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many ways to fill the array a layer command can say, and which limits rule them out.
#pragma once

#include <cstdint>
#include <map>

#include "spec/dla_layer.h"

namespace fovea {

/// Counts e, p, q, r and t that a layer command holds and the layer makes use of, with each of the fold_choices().
struct ArrayCensus {
  std::uint64_t legal = 0;
  std::map<dla_error, std::uint64_t> illegal;  ///< By the first limit that they break.
};

/// \pre the shape itself is legal.
ArrayCensus count_arrays(const dla_machine& machine, const dla_shape& shape);

}  // namespace fovea
