// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long one pass of the array takes, by cause: docs/timing.md, "A pass" and "Starting a pass".
#ifndef FOVEA_COMPILER_MAPPING_PASS_TIMING_H_
#define FOVEA_COMPILER_MAPPING_PASS_TIMING_H_

#include <cstdint>

#include "spec/dla_layer.h"

namespace fovea {

/// Cycles, each with the one cause that the device's counters would give it.
struct CyclesByCause {
  std::uint64_t compute = 0, psum = 0, filter = 0, ifmap = 0, dram = 0, output = 0, control = 0;

  std::uint64_t total() const { return compute + psum + filter + ifmap + dram + output + control; }
};

/// Adds `count` times what `each` takes.
inline void add(CyclesByCause& sum, const CyclesByCause& each, std::uint64_t count = 1) {
  sum.compute += count * each.compute;
  sum.psum += count * each.psum;
  sum.filter += count * each.filter;
  sum.ifmap += count * each.ifmap;
  sum.dram += count * each.dram;
  sum.output += count * each.output;
  sum.control += count * each.control;
}

/// Cycles of `a` that `b` does not hide.
constexpr std::uint64_t excess(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

/// What of a mapping a pass uses: remainders use less.
struct PassExtent {
  std::uint32_t e;     ///< Output rows.
  std::uint32_t rows;  ///< Filter rows.
  std::uint32_t t, p, r, q;
};

/// Cycles of the parts of a pass.
class PassTiming {
 public:
  PassTiming(const dla_machine& machine, const dla_shape& shape, const dla_passes& passes, const dla_mapping& mapping,
             const PassExtent& extent);

  /// Psum words of a slot on each psum network: ceil(e t / lanes).
  std::uint64_t slot_words() const { return slot_words_; }

  /// Array cycles for one output column: the PEs' products, or the psums on their network.
  std::uint64_t column_cycles() const { return extent_.p * slot_cycles_; }

  /// Ifmap words that the pass needs before its first column, or before each column after it.
  std::uint64_t fill_words() const { return fill_words_; }
  std::uint64_t step_words() const { return step_words_; }

  /// The pass when filters, ifmaps and output tiles are always there, and the next pass needs as large a window.
  /// \param adds_psums  It reads psums that an earlier pass left.
  CyclesByCause pass(bool adds_psums) const;

  /// Of it, the last column: when it begins, the pass has done with its ifmap chunk.
  std::uint64_t last_column_cycles(bool adds_psums) const;

  /// From the pass's last product until the store sees its output tile.
  std::uint64_t tile_latency_cycles() const { return 8 + segment_rows_ + slot_words_; }

 private:
  /// Cycles that the next pass waits because this one's psums are not in the GLB yet.
  std::uint64_t psum_wait_cycles() const;

  PassExtent extent_;
  std::uint64_t F_, segment_rows_;
  std::uint64_t product_cycles_, slot_words_, slot_cycles_;
  std::uint64_t step_words_, fill_words_;
};

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_PASS_TIMING_H_
