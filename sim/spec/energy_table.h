// SPDX-License-Identifier: Apache-2.0
/// \file
/// Energies in pJ, as measured or published for a technology, and what single accesses on a machine take by them.
#pragma once

#include <string>
#include <vector>

#include "access_energy.h"

namespace fovea {

/// What an access of so many bits takes.
struct WordEnergy {
  double bits = 0, pj = 0;

  double per_bit() const { return pj / bits; }
};

/// An access to a memory of that size.
struct MemoryEnergy {
  double bytes = 0;
  WordEnergy word;
};

/// The "energy_pj" of a machine file.
struct EnergyTable {
  std::string technology, source;
  WordEnergy mac;                      ///< A product of two operands of so many bits, and its sum.
  WordEnergy hop;                      ///< From PE to PE, or from a network to a PE.
  WordEnergy dram;                     ///< Read or written.
  std::vector<MemoryEnergy> memories;  ///< The smallest first.
};

/// Energy of one access to a memory, in pJ. It goes with the width, as memory_access_energy() has it, and between two
/// sizes of the table with a power of the size. \pre The table has memories at most and at least as large.
double memory_access_pj(const EnergyTable& table, double bytes, double bits);

/// Energy of each kind of access, in pJ. A product goes with the widths of both operands.
AccessEnergy price_accesses(const EnergyTable& table, const dla_machine& machine);

/// energy_tables.json: tables by their names.
const char* energy_tables_text();

}  // namespace fovea
