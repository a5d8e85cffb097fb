// SPDX-License-Identifier: Apache-2.0
/// \file
/// What goes wrong once on the bus of a DRAM, for tests.
#pragma once

#include <cstdint>

namespace fovea {

/// One burst that is late or in error. Bursts are counted from 0, in their direction, since the device was opened.
struct DramFault {
  enum class Kind {
    kNone,
    kLateData,      ///< The burst's data channel is not used for it for so many cycles more.
    kLateResponse,  ///< The same for a write's response.
    kError,         ///< A read's beat, or a write's response, says SLVERR.
  };
  /// More cycles than any test runs.
  static constexpr uint64_t kForever = uint64_t{1} << 40;

  Kind kind = Kind::kNone;
  bool is_write = false;
  uint64_t burst = 0;
  uint32_t beat = 0;    ///< Of a read with kError.
  uint64_t cycles = 0;  ///< Of what is late.

  bool hits(Kind what, bool write, uint64_t number) const {
    return kind == what && is_write == write && burst == number;
  }

  /// Cycles to add to what is due.
  uint64_t lateness(Kind what, bool write, uint64_t number) const { return hits(what, write, number) ? cycles : 0; }
};

}  // namespace fovea
