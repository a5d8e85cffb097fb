// SPDX-License-Identifier: Apache-2.0
/// \file
/// The global buffer's bytes. When a word moves is said by who moves it.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

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

  const uint8_t* bytes() const override { return bytes_.data(); }
  uint8_t* bytes() override { return bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace fovea
