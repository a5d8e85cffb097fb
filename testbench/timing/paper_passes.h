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
  static constexpr uint32_t kOnChip = UINT32_MAX;  ///< No load: an earlier layer's.
  bool last_k = false;                             ///< Ends in an output tile.
  bool reads_psums = false;                        ///< Continues psums of an earlier pass.
  bool new_set = false;                            ///< Needs the next filter set,
  bool new_ifmap = false;                          ///< ... or the next ifmap chunk.
  uint32_t set = 0;    ///< Number of its filter set, ifmap chunk and tile, in the order of first use.
  uint32_t chunk = 0;  ///< Number of the filter load that brought its set's chunk, or kOnChip.
  uint32_t ifmap = 0, tile = 0;
  uint32_t products = 0;  ///< Of a slot.
  uint32_t p = 0, slot_words = 0, slot = 0, step = 0, words = 0, fill = 0;
  uint32_t set_words = 0;                  ///< Of its filter set, biases and scales included.
  uint32_t filters = 0, tile_rows = 0;     ///< Of its output tile: so many rows of each filter,
  uint32_t tile_filter = 0, tile_row = 0;  ///< from these of the ofmap on.
  uint32_t steps_before = 0;               ///< Of the sequencer, since it last handed out something.
  std::vector<uint32_t> loads_before;      ///< Loads it hands out on the way here: the steps before each.
};

/// Bytes of an output tile that follow each other in memory, or in a column of the GLB, whose byte `addr` is then: so
/// many rows of so many filters.
struct PaperRun {
  uint32_t addr, filters, rows;
};

/// Where the ofmap lies, or the residual.
struct PaperPlanes {
  bool on_chip = false;
  uint32_t addr = 0, rows = 0, first_row = 0, stride = 0;
};

struct PaperLayer {
  bool has_means = false;       ///< Of a filter, one byte is written.
  bool loads_residual = false;  ///< Tile by tile.
  uint32_t F = 0, tail = 1, D = 0, lanes = 0, ofmap_cols = 0, ofmap_rows = 0, glb_columns = 0;
  PaperPlanes ofmap, residual;
  std::vector<PaperPass> passes;

  /// Of a pass that ends in an output tile.
  std::vector<PaperRun> runs_of(const PaperPass& pass) const;

 private:
  bool is_one_run(const PaperPass& pass) const;
};

PaperLayer paper_layer(const dla_machine& machine, const dla_layer& layer);

}  // namespace fovea
