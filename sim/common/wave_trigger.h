// SPDX-License-Identifier: Apache-2.0
/// \file
/// The event that opens a window of waves.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "transaction.h"

namespace fovea {

/// Watches for one of
///
///     stall=N      the array waits between two passes of a layer, and has done so for N cycles
///     error        a layer ends with an error
///     error=N      ... with cause N (docs/registers.md)
///     write=ADDR   a register at this offset, or device memory at this address, is written; 0x for hexadecimal
///
/// and fires once, the first time it comes in or after the cycle from which on it is armed.
class WaveTrigger {
 public:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  /// \param text  As above.   \param bus_bytes  Of a beat.   \throws BackendError for another text.
  WaveTrigger(const std::string& text, uint32_t bus_bytes);

  /// Fires for no event before `cycle`; kNever: for none at all.
  void arm(uint64_t cycle) { armed_from_ = cycle; }

  void note(const Transaction& event);

  /// The cycle in which it fires, if nothing happens before; kNever where it takes an event.
  uint64_t fires_in() const;

  /// Keeps what it has fired for, whatever comes later. Call once a cycle has been reached.
  void settle(uint64_t cycle);

 private:
  enum class Kind { kStall, kError, kAnyError, kWrite };

  bool matches(const Transaction& event) const;

  Kind kind_;
  uint64_t value_ = 0;
  uint32_t bus_bytes_;
  uint64_t armed_from_ = 0;
  uint64_t idle_from_ = kNever;  ///< The first cycle after a pass, where none has started since.
  uint64_t fired_ = kNever;
};

}  // namespace fovea
