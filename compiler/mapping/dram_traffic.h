// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a mapped layer moves over the DRAM's bus, to the byte, and how long its loads and stores take.
#pragma once

#include <cstdint>

#include "spec/dla_timing.h"

namespace fovea {

/// How many pieces of `step` make up `total`, a smaller last one included.
constexpr std::uint64_t ceil_div(std::uint64_t total, std::uint64_t step) { return (total + step - 1) / step; }

/// DRAM bytes of a layer by tensor, 0 of one on chip. Reads are whole bus words, writes the bytes of the ofmap.
struct DramBytes {
  std::uint64_t ifmap = 0;
  std::uint64_t filter = 0;  ///< With the biases.
  std::uint64_t ofmap = 0;
  std::uint64_t residual = 0;  ///< Of what is added on the way out.

  std::uint64_t read() const { return ifmap + filter + residual; }
  std::uint64_t total() const { return read() + ofmap; }

  DramBytes& operator+=(const DramBytes& other) {
    ifmap += other.ifmap;
    filter += other.filter;
    ofmap += other.ofmap;
    residual += other.residual;
    return *this;
  }
};

/// How many bytes behind a multiple of bus_bytes the rows of a slice (dla_slice.h) begin in DRAM.
struct FirstBytes {
  std::uint32_t ifmap = 0;
  std::uint32_t outputs = 0;  ///< Of the ofmap, and of the residual, where none of them is on chip.
};

/// Bytes of a layer whose tensors begin at multiples of bus_bytes, but for `first` and output_byte(). Exact: the
/// counters of both simulators say the same (testbench/prediction, and of slices testbench/onnxruntime).
DramBytes count_dram_bytes(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                           const dla_passes& passes, const FirstBytes& first = {});

/// The byte of a bus word that ofmap and residual begin with: that of a slice, or where a plane's row on chip begins.
std::uint32_t output_byte(const dla_machine& machine, const dla_shape& shape, const dla_passes& passes,
                          const FirstBytes& first = {});

/// GLB words of tensors on chip, those of the ofmap as they are written, and of the residual as they are read.
struct ChipWords {
  std::uint64_t ofmap = 0, residual = 0;
};

ChipWords count_chip_words(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                           const dla_passes& passes);

/// From a free buffer to the first beat of its load, default DRAM; and from the last beat until a feed begins.
inline constexpr std::uint64_t kDramLatencyCycles = 20;
inline constexpr std::uint64_t kRequestCycles = kDramLatencyCycles + kDlaLoadJobCycles + kDlaLoadRunCycles;
inline constexpr std::uint64_t kTokenCycles = kDlaLoadedCycles + kDlaFeedCycles;

/// Cycles that a run of `beats` occupies the read channel: its beats, or its bursts where they are too short for the
/// requests in flight to hide the DRAM's latency.
std::uint64_t load_run_cycles(std::uint64_t beats);

/// Less than any `runs` runs of `words` beats in all take.
std::uint64_t least_load_cycles(std::uint64_t runs, std::uint64_t words);

/// GLB words of all outputs, a row beginning with one of its own: a cycle each to gather them.
inline std::uint64_t gathered_words(const dla_machine& machine, const dla_shape& shape, const dla_passes& passes) {
  return std::uint64_t{dla_groups(&shape)} * shape.M * passes.ofmap_rows *
         dla_ceil_div(passes.ofmap_cols, machine.bus_bytes);
}

/// Cycles to load the residual of an output tile, of as many runs of as many bytes.
std::uint64_t residual_tile_cycles(const dla_machine& machine, std::uint64_t runs, std::uint64_t rows,
                                   std::uint64_t cols);

/// Cycles to gather and send an output tile of `runs` runs of `rows` x `cols` bytes. \param on_chip  To the GLB.
std::uint64_t store_tile_cycles(const dla_machine& machine, bool on_chip, std::uint64_t runs, std::uint64_t rows,
                                std::uint64_t cols);

/// The same where of `filters` filters only the means are sent, each of `rows` x `cols` bytes.
std::uint64_t mean_tile_cycles(const dla_machine& machine, bool on_chip, std::uint64_t filters, std::uint64_t rows,
                               std::uint64_t cols);

}  // namespace fovea
