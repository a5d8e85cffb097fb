// SPDX-License-Identifier: Apache-2.0
/// \file
/// What stays the same while a layer runs: the command, its passes, and lengths in GLB words.
#pragma once

#include <array>
#include <cstdint>

#include "spec/dla_fields.h"
#include "spec/dla_layer.h"
#include "spec/dla_machine.h"
#include "spec/dla_planes.h"
#include "spec/dla_timing.h"

namespace fovea {

/// Layer registers, IFMAP_ADDR first, as software wrote them.
using LayerWords = std::array<uint32_t, DLA_LAYER_WORDS>;

/// A layer that has passed its checks. A GLB word is bus_bytes wide.
struct LayerPlan {
  LayerPlan() = default;
  LayerPlan(const dla_machine& of_machine, const dla_layer& of_layer);

  /// GLB word in which a channel of a loaded ifmap buffer begins. \param buffer_word  Of the buffer, in each column.
  uint32_t ifmap_word(uint32_t buffer_word, uint32_t channel) const {
    const uint32_t columns = dla_ifmap_columns(&machine);
    return ifmap_base_word + channel % columns * ifmap_column_words + buffer_word +
           channel / columns * passes.ifmap_plane_words;
  }

  dla_machine machine{};
  dla_layer layer{};
  dla_passes passes{};
  dla_planes ifmap{}, ofmap{}, residual{};
  uint32_t ifmap_base_word = 0;  ///< Of the GLB region.
  uint32_t ifmap_column_words = 0;
  uint32_t filter_base_word = 0;
  uint32_t residual_base_word = 0;
};

}  // namespace fovea
