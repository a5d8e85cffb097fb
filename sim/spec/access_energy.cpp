// SPDX-License-Identifier: Apache-2.0
/// \file
/// A power of the size, and widths in parts of 16 bits.
#include "access_energy.h"

#include <cmath>
#include <iterator>

#include "energy_table.h"

namespace fovea {
namespace {

constexpr double kCostBits = 16, kOperandBits = 8, kPsumBits = 32;

/// \param memory  Energy of an access to a memory of so many bytes, and of so many bits. \param hop, dram  Of a bit.
template <class Memory>
AccessEnergy price(double mac, Memory memory, double hop, double dram, const dla_machine& machine) {
  const double ring_bytes = ifmap_ring_bytes(machine), filter_bytes = filter_spad_bytes(machine);
  AccessEnergy energy;
  energy.mac = mac;
  energy.ifmap_spad = memory(ring_bytes, kOperandBits);
  energy.filter_spad_write = memory(filter_bytes, kOperandBits);
  energy.filter_spad_read = memory(filter_bytes, 8.0 * machine.filter_bytes_per_cycle);
  energy.operand_hop = hop * kOperandBits;
  energy.psum_hop = hop * kPsumBits;
  energy.glb_word = memory(machine.glb_bank_bytes, 8.0 * machine.bus_bytes);
  energy.dram_byte = dram * 8;
  return energy;
}

/// A product of 8 x 8 bits, of one of so many.
double product(double energy, double bits) { return energy * (kOperandBits / bits) * (kOperandBits / bits); }

}  // namespace

double ifmap_ring_bytes(const dla_machine& machine) { return 2.0 * machine.ifmap_spad_bytes; }

double filter_spad_bytes(const dla_machine& machine) { return 2.0 * machine.filter_spad_bytes; }

double memory_access_energy(const EnergyCosts& costs, double bytes, double bits) {
  const double exponent = std::log(costs.glb / costs.spad) / std::log(kGlbCostBytes / kSpadCostBytes);
  return costs.spad * std::pow(bytes / kSpadCostBytes, exponent) * bits / kCostBits;
}

AccessEnergy price_accesses(const EnergyCosts& costs, const dla_machine& machine) {
  const auto memory = [&](double bytes, double bits) { return memory_access_energy(costs, bytes, bits); };
  return price(product(costs.mac, kCostBits), memory, costs.pe / kCostBits, costs.dram / kCostBits, machine);
}

double memory_access_pj(const EnergyTable& table, double bytes, double bits) {
  auto above = table.memories.begin();
  while (above->bytes < bytes) {
    ++above;
  }
  if (above->bytes == bytes) {
    return above->word.per_bit() * bits;
  }
  const MemoryEnergy& below = *std::prev(above);
  const double low = below.word.per_bit(), high = above->word.per_bit();
  const double exponent = std::log(high / low) / std::log(above->bytes / below.bytes);
  return low * std::pow(bytes / below.bytes, exponent) * bits;
}

AccessEnergy price_accesses(const EnergyTable& table, const dla_machine& machine) {
  const auto memory = [&](double bytes, double bits) { return memory_access_pj(table, bytes, bits); };
  return price(product(table.mac.pj, table.mac.bits), memory, table.hop.per_bit(), table.dram.per_bit(), machine);
}

AccessEnergy in_macs(AccessEnergy picojoules) {
  const double mac = mac_16_pj(picojoules);
  for (double AccessEnergy::*energy : {&AccessEnergy::mac, &AccessEnergy::ifmap_spad, &AccessEnergy::filter_spad_write,
                                       &AccessEnergy::filter_spad_read, &AccessEnergy::operand_hop,
                                       &AccessEnergy::psum_hop, &AccessEnergy::glb_word, &AccessEnergy::dram_byte}) {
    picojoules.*energy /= mac;
  }
  return picojoules;
}

double mac_16_pj(const AccessEnergy& picojoules) {
  return picojoules.mac * (kCostBits / kOperandBits) * (kCostBits / kOperandBits);
}

}  // namespace fovea
