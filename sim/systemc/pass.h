// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the sequencer hands out: passes, filter sets and loads, with every length that the units behind it count.
#ifndef FOVEA_SIM_SYSTEMC_PASS_H_
#define FOVEA_SIM_SYSTEMC_PASS_H_

#include <cstdint>

namespace fovea {

/// One pass of the PE array: at most q*r channels, p*t filters, fold_rows filter rows, e output rows, all F columns.
struct Pass {
  bool last = false;           ///< Of the layer.
  bool first_k = false;        ///< Starts from the biases.
  bool last_k = false;         ///< Ends in the output.
  bool wait_psum = false;      ///< So short that its psums may still be on their way: drain first.
  bool new_filter = false;     ///< Needs the next filter set.
  bool new_ifmap = false;      ///< Needs the next ifmap chunk.
  bool release_ifmap = false;  ///< Last user of its ifmap chunk.
  // In use, of the mapping's.
  uint32_t r = 0, q = 0, t = 0, p = 0, e = 0;
  uint32_t filters = 0, channels = 0;  ///< That exist: at most p * t and q * r.
  uint32_t fold_row0 = 0, rows = 0;    ///< Filter rows.
  // Lengths, in docs/timing.md's letters.
  uint32_t qs = 0;              ///< q * S: MACs a slot.
  uint32_t slot_psums = 0;      ///< e * t.
  uint32_t slot_words = 0;      ///< ceil(e t / lanes).
  uint32_t slot_cycles = 0;     ///< max(qs, slot_words).
  uint32_t compute_cycles = 0;  ///< p * slot_cycles.
  uint32_t step_words = 0;      ///< Ifmap words for the next output column.
  uint32_t fill_words = 0;      ///< Ifmap words for the first output column.
  // Places.
  uint32_t ifmap_word = 0;     ///< Of its ifmap buffer, in a quarter.
  uint32_t ifmap_channel = 0;  ///< Its first channel in that buffer.
  uint32_t ifmap_align = 0;    ///< Byte of the buffer's channel 0, first pixel, in its word.
  int32_t top = 0;             ///< First ifmap row in the buffer.
  int32_t y = 0;               ///< First ifmap row of the pass, from the top of the unpadded ifmap.
  uint32_t psum_block = 0;     ///< Number of its psum block.
  uint32_t ofmap_addr = 0;     ///< DRAM address of its first output.
  uint32_t ifmap_load = 0;     ///< Number of the row tile's (resident) or the chunk's (streamed) load.
};

/// A filter set to move from the GLB into the PEs.
struct FilterSet {
  uint32_t bias_words = 0;  ///< None where the set starts no filters.
  uint32_t weight_words = 0;

  uint32_t words() const { return bias_words + weight_words; }
};

/// A chunk to move from DRAM to the GLB: `count` runs of `bytes`, an ifmap plane apart.
struct LoadJob {
  bool is_filter = false;
  uint32_t addr = 0;
  uint32_t bytes = 0;
  uint32_t count = 1;     ///< Channels; 1 for filters.
  uint32_t channel = 0;   ///< First channel in its buffer.
  uint32_t glb_word = 0;  ///< Of the buffer (in a quarter, for ifmaps), from the start of its region.
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_PASS_H_
