// SPDX-License-Identifier: Apache-2.0
/// \file
/// The passes of a layer as docs/machine.md nests them, with the lengths of docs/timing.md: written from these pages
/// alone.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/dla_layer.h"
#include "spec/dla_machine.h"

namespace fovea {

/// A pass. Cycles and words in the letters of docs/timing.md, those with a prime.
struct PaperPass {
  bool last_k = false;       ///< Ends in an output tile.
  bool reads_psums = false;  ///< Continues psums of an earlier pass.
  bool new_set = false;      ///< Needs the next filter set,
  bool new_ifmap = false;    ///< ... or the next ifmap chunk.
  uint32_t set = 0;          ///< Number of its filter set, ifmap chunk and tile, in the order of first use.
  uint32_t chunk = 0;        ///< Number of the filter load that brought its set's chunk.
  uint32_t ifmap = 0, tile = 0;
  uint32_t products = 0;  ///< Of a slot.
  uint32_t p = 0, slot_words = 0, slot = 0, step = 0, words = 0, fill = 0;
  uint32_t set_words = 0;               ///< Of its filter set, biases and scales included.
  uint32_t filters = 0, tile_rows = 0;  ///< Of its output tile: a run of so many rows for each filter,
  uint32_t tile_addr = 0;               ///< and where it begins.
  uint32_t steps_before = 0;            ///< Of the sequencer, since it last handed out something.
  std::vector<uint32_t> loads_before;   ///< Loads it hands out on the way here: the steps before each.
};

struct PaperLayer {
  bool has_means = false;  ///< Of a filter, one byte is written.
  uint32_t F = 0, tail = 1, D = 0, lanes = 0, ofmap_cols = 0, ofmap_rows = 0;
  std::vector<PaperPass> passes;
};

PaperLayer paper_layer(const dla_machine& machine, const dla_layer& layer);

}  // namespace fovea
