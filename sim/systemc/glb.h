// SPDX-License-Identifier: Apache-2.0
/// \file
/// The global buffer's bytes. When a word moves is said by who moves it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

#include "spec/dla_planes.h"

namespace fovea {

/// Where words are read.
struct GlbRead : virtual sc_core::sc_interface {
  virtual const uint8_t* bytes() const = 0;
};

/// Where words are written.
struct GlbWrite : virtual sc_core::sc_interface {
  virtual uint8_t* bytes() = 0;
};

/// Stays at its place from one restart() to the next.
class Glb final : public sc_core::sc_prim_channel, public GlbRead, public GlbWrite {
 public:
  explicit Glb(const char* name) : sc_prim_channel(name) {}

  /// A new machine's, all zeros.
  void restart(size_t size_bytes) { bytes_.assign(size_bytes, 0); }

  /// Loses what lies in a region that is used without being modelled, so that no tensor on chip outlives it.
  void spoil(const dla_region& region) {
    std::fill_n(bytes_.begin() + region.base_bytes, region.size_bytes, uint8_t{0xc5});
  }

  const uint8_t* bytes() const override { return bytes_.data(); }
  uint8_t* bytes() override { return bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
};

/// Reads as many bytes as `bytes` has from an address on chip on: a column's banks do not follow each other.
inline void read_on_chip(const dla_machine& machine, const uint8_t* glb, uint32_t addr, std::vector<uint8_t>& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const size_t part = std::min<size_t>(bytes.size() - done, machine.glb_bank_bytes - addr % machine.glb_bank_bytes);
    std::copy_n(glb + dla_glb_byte(&machine, addr), part, &bytes[done]);
    addr += static_cast<uint32_t>(part);
    done += part;
  }
}

}  // namespace fovea
