// SPDX-License-Identifier: Apache-2.0
/// \file
/// Energy of single accesses on one machine: by the size of the memory that is accessed, and by how wide its word is.
#pragma once

#include <cstdint>
#include <string>

#include "dla_machine.h"

namespace fovea {

/// Energy of a 16-bit access at each level of the Eyeriss papers, where a 16-bit MAC is 1: a register file of 0.5 KB, a
/// hop from PE to PE, a global buffer of 100 KB, DRAM (Chen et al., "Eyeriss", ISCA 2016: 1, 2, 6, 200).
struct EnergyCosts {
  double mac = 1, spad = 1, pe = 2, glb = 6, dram = 200;
  double mac_pj = 0;        ///< What a 16-bit MAC takes, in pJ; 0 where no source says it.
  std::string source = {};  ///< Of mac_pj.
};

/// The sizes that the papers' register file and global buffer have.
constexpr double kSpadCostBytes = 512, kGlbCostBytes = 100 * 1024;

/// Energy of one access to a memory of `bytes` whose word has `bits`, in 16-bit MACs.
///
/// The two sizes that the papers price are met exactly: costs.spad at 0.5 KB, costs.glb at 100 KB. Between them and
/// beyond stands a power of the size, by which 200 times the size costs 6 times the energy: an exponent of 0.34. Energy
/// goes with the width. Both are assumptions. Timeloop's public model (NVlabs/timeloop, pat-public/src/pat/pat.cpp,
/// SRAMEnergy() at commit 91c9e11) takes the same two sizes and goes with the width as well, but draws a line between
/// the sizes, by which all banks and spads of a few KB would cost the same. What larger memories are measured at is no
/// line: 64-bit caches of 8 KB, 32 KB and 1 MB at 10, 20 and 100 pJ (Horowitz, ISSCC 2014, as quoted in
/// gist.github.com/V0XNIHILI/2b6fa61, which takes the root of the size). The way from a bank to the array is not in it.
double memory_access_energy(const EnergyCosts& costs, double bytes, double bits);

/// Energy of each kind of access, in 16-bit MACs.
struct AccessEnergy {
  double mac = 1;                ///< A product of 8 x 8 bits: as in Timeloop's model, a MAC goes with both widths.
  double ifmap_spad = 1;         ///< A pixel written to a PE's ring of two windows, or read from it.
  double filter_spad_write = 1;  ///< A weight written to a PE's two halves.
  double filter_spad_read = 1;   ///< A word of filter_bytes_per_cycle, of which a product takes one weight.
  double operand_hop = 2;        ///< A pixel or a weight that a PE takes from a network.
  double psum_hop = 2;           ///< A psum that a PE hands to the PE below.
  double glb_word = 6;           ///< A word of bus_bytes of a bank, also where a byte of it is meant.
  double dram_byte = 50;
};

AccessEnergy price_accesses(const EnergyCosts& costs, const dla_machine& machine);

/// The same energies, of pJ in 16-bit MACs: four times a product of 8 x 8 bits.
AccessEnergy in_macs(AccessEnergy picojoules);
double mac_16_pj(const AccessEnergy& picojoules);

/// Bytes of a PE's memories.
double ifmap_ring_bytes(const dla_machine& machine);
double filter_spad_bytes(const dla_machine& machine);

}  // namespace fovea
