// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a mapped layer moves at each level of the memory hierarchy, by tensor, and the energy that takes.
#pragma once

#include "dram_traffic.h"
#include "spec/machine_json.h"

namespace fovea {

/// An amount for each tensor of a layer; biases count with the filters.
struct TensorCounts {
  std::uint64_t ifmap = 0, filter = 0, psum = 0, ofmap = 0, residual = 0;

  std::uint64_t total() const { return ifmap + filter + psum + ofmap + residual; }

  TensorCounts& operator+=(const TensorCounts& other) {
    ifmap += other.ifmap;
    filter += other.filter;
    psum += other.psum;
    ofmap += other.ofmap;
    residual += other.residual;
    return *this;
  }
};

/// Accesses of a layer.
struct AccessCounts {
  DramBytes dram_bytes;
  /// Words that bank ports move, as the counters GLB_READ_WORDS and GLB_WRITE_WORDS have them: filters and psums fill a
  /// word of bus_bytes, an ifmap read takes a pixel of one channel, outputs are written and read a byte at a time. An
  /// ofmap on chip is written once more, in words of bus_bytes.
  TensorCounts glb_reads, glb_writes;
  TensorCounts pe;    ///< Pixels and weights that PEs take from a network, psums that they hand to the PE below.
  TensorCounts spad;  ///< A write of each pixel and weight that arrives, a read of each operand of a multiplication.
  std::uint64_t macs = 0;  ///< Multiplications that PEs do: of padding and of idle lanes too.

  AccessCounts& operator+=(const AccessCounts& other) {
    dram_bytes += other.dram_bytes;
    glb_reads += other.glb_reads;
    glb_writes += other.glb_writes;
    pe += other.pe;
    spad += other.spad;
    macs += other.macs;
    return *this;
  }
};

/// \pre dla_check_mapping() found no error.
AccessCounts count_accesses(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping);

/// The same where the DRAM bytes are known.
AccessCounts count_accesses(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping,
                            const DramBytes& dram_bytes);

/// What a bound on access counts leaves open.
enum class Open {
  kFilterTiles,  ///< m.
  kTiles,        ///< m, e_glb, and whether the ifmap is resident.
};

/// Accesses inside the array and of the GLB's psums and ifmap reads that no choice of what is open goes below; DRAM
/// bytes, and the GLB accesses that follow from them, are 0.
AccessCounts bound_accesses(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping, Open open);

/// Energy of each level, in 16-bit MACs.
struct EnergyByLevel {
  double mac = 0, spad = 0, pe = 0, glb = 0, dram = 0;

  double total() const { return mac + spad + pe + glb + dram; }
};

/// Accesses times the energy of one.
EnergyByLevel price_energy(const AccessEnergy& energy, const AccessCounts& counts);

}  // namespace fovea
