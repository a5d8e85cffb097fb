// SPDX-License-Identifier: Apache-2.0
/// \file
/// A power of the size, and widths in parts of 16 bits.
#include "access_energy.h"

#include <cmath>

namespace fovea {
namespace {

constexpr double kCostBits = 16, kOperandBits = 8, kPsumBits = 32;

}  // namespace

double memory_access_energy(const EnergyCosts& costs, double bytes, double bits) {
  const double exponent = std::log(costs.glb / costs.spad) / std::log(kGlbCostBytes / kSpadCostBytes);
  return costs.spad * std::pow(bytes / kSpadCostBytes, exponent) * bits / kCostBits;
}

AccessEnergy price_accesses(const EnergyCosts& costs, const dla_machine& machine) {
  const double ring_bytes = 2.0 * machine.ifmap_spad_bytes, filter_bytes = 2.0 * machine.filter_spad_bytes;
  AccessEnergy energy;
  energy.mac = costs.mac * (kOperandBits / kCostBits) * (kOperandBits / kCostBits);
  energy.ifmap_spad = memory_access_energy(costs, ring_bytes, kOperandBits);
  energy.filter_spad_write = memory_access_energy(costs, filter_bytes, kOperandBits);
  energy.filter_spad_read = memory_access_energy(costs, filter_bytes, 8.0 * machine.filter_bytes_per_cycle);
  energy.operand_hop = costs.pe * kOperandBits / kCostBits;
  energy.psum_hop = costs.pe * kPsumBits / kCostBits;
  energy.glb_word = memory_access_energy(costs, machine.glb_bank_bytes, 8.0 * machine.bus_bytes);
  energy.dram_byte = costs.dram * 8 / kCostBits;
  return energy;
}

}  // namespace fovea
