// SPDX-License-Identifier: Apache-2.0
/// \file
/// A machine's geometry: the array, its scratchpads, the GLB and the bus.
#ifndef FOVEA_SIM_SPEC_DLA_MACHINE_H_
#define FOVEA_SIM_SPEC_DLA_MACHINE_H_

#include <stdint.h>

/// Geometry of one machine, as read from sim/spec/machines/*.json.
/// The RTL gets the same numbers as parameters, and its GEOMETRY registers report them.
struct dla_machine {
  uint32_t rows;               ///< PEs high, 2 to 31.
  uint32_t cols;               ///< PEs wide, 2 to 31.
  uint32_t ifmap_spad_bytes;   ///< Ifmap window a PE holds (built twice: the next columns load while it computes).
  uint32_t filter_spad_bytes;  ///< Weights a PE holds for one pass (built twice: the next pass loads meanwhile).
  uint32_t psum_spad_words;    ///< Upper limit of p.
  uint32_t glb_bytes;          ///< Whole banks.
  uint32_t glb_bank_bytes;     ///< One read and one write port a bank, bus_bytes wide; a power of two.
  uint32_t bus_bytes;  ///< AXI data, GLB words, filter network and psum networks (bus_bytes / 4 psums a cycle): 4 or 8.
  uint32_t max_pass_filters;  ///< Upper limit of p * t: biases that the psum unit holds for a pass (built twice).
};

/// Psums that each psum network moves a cycle.
static inline uint32_t dla_psum_net_words(const struct dla_machine *machine) { return machine->bus_bytes / 4; }

#endif  // FOVEA_SIM_SPEC_DLA_MACHINE_H_
