// SPDX-License-Identifier: Apache-2.0
/// \file
/// A machine's geometry: the array, its scratchpads, the GLB and the bus.
#pragma once

#include <stdint.h>

/// The widest bus that the RTL and both simulators take.
enum { kDlaMaxBusBytes = 32 };

/// The most words of a GLB, as addresses in it are of 16 bits.
enum { kDlaMaxGlbWords = 1 << 16 };

/// Geometry of one machine, as read from sim/spec/machines/*.json.
/// The RTL gets the same numbers as parameters, and its GEOMETRY registers report them.
struct dla_machine {
  uint32_t rows;                    ///< PEs high, 2 to 64.
  uint32_t cols;                    ///< PEs wide, 2 to 64.
  uint32_t ifmap_spad_bytes;        ///< Ifmap window a PE holds (built twice: the next columns load while it computes).
  uint32_t filter_spad_bytes;       ///< Weights a PE holds for one pass (built twice: the next pass loads meanwhile).
  uint32_t max_pe_filters;          ///< Upper limit of p.
  uint32_t glb_bytes;               ///< Whole banks, up to kDlaMaxGlbWords words.
  uint32_t glb_bank_bytes;          ///< One read and one write port a bank, bus_bytes wide; a power of two.
  uint32_t bus_bytes;               ///< AXI data and GLB words: 4, 8, 16 or 32.
  uint32_t psum_lanes;              ///< Psums a cycle on each psum network, output bytes a cycle: 1, 2, 4, 8, 16 or 32.
  uint32_t ifmap_bytes_per_cycle;   ///< Channels of a pixel that the ifmap network moves at once: 1, 2, 4, 8, 16 or 32.
  uint32_t filter_bytes_per_cycle;  ///< Word of the filter network and of a filter spad: 1, 2, 4, 8, 16 or 32.
  uint32_t max_pass_filters;        ///< Upper limit of p * t: biases that the psum unit holds for a pass (built twice).
};

/// GLB words that hold `bytes`, at least one.
static inline uint32_t dla_glb_words(const struct dla_machine *machine, uint32_t bytes) {
  return bytes < machine->bus_bytes ? 1 : bytes / machine->bus_bytes;
}

/// Columns of the GLB's regions (docs/machine.md): banks that a region has side by side, a word of each in a cycle.
static inline uint32_t dla_ifmap_columns(const struct dla_machine *machine) { return machine->ifmap_bytes_per_cycle; }
static inline uint32_t dla_filter_columns(const struct dla_machine *machine) {
  return dla_glb_words(machine, machine->filter_bytes_per_cycle);
}
static inline uint32_t dla_psum_columns(const struct dla_machine *machine) {
  return dla_glb_words(machine, 4 * machine->psum_lanes);
}
static inline uint32_t dla_out_columns(const struct dla_machine *machine) { return machine->psum_lanes; }

/// Words of the pooling row, half a word of the psum network each, a byte a psum, at least one: a byte of each window
/// of a pass's filters, where a pair of rows ends one at most, and no last word of a slot is whole.
static inline uint32_t dla_pool_words(const struct dla_machine *machine) {
  const uint32_t pairs = machine->max_pass_filters * ((machine->cols + 1) / 2);
  return machine->psum_lanes <= 2 ? pairs : pairs / (machine->psum_lanes / 2) + 63;
}

/// What biases and the weights of a PE are padded to in the filter stream: a word of the GLB's filter columns.
static inline uint32_t dla_filter_word_bytes(const struct dla_machine *machine) {
  return dla_filter_columns(machine) * machine->bus_bytes;
}
