// SPDX-License-Identifier: Apache-2.0
/// \file
/// A DMA burst as a TLM-2.0 transaction, with what the DRAM says about its timing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "clock.h"

namespace fovea {

/// When a burst's beats move. Filled in by the DRAM before BEGIN_RESP, which it sends as soon as it knows; beats may
/// move in later cycles.
struct BurstTiming : tlm::tlm_extension<BurstTiming> {
  std::vector<Cycle> beats;  ///< Their cycles, in order.
  Cycle response = 0;        ///< A write's.
  Cycle failed_in = kNever;  ///< The cycle of the first beat, or of the write response, that says error,
  uint32_t failed_addr = 0;  ///< and of which address it says so.

  /// \pre there is one.
  Cycle last_beat() const { return beats.back(); }

  /// Beats that have moved before `cycle`.
  uint32_t beats_before(Cycle cycle) const {
    return static_cast<uint32_t>(std::lower_bound(beats.begin(), beats.end(), cycle) - beats.begin());
  }

  /// The cycle of the last beat up to `cycle`; 0 where none has moved.
  Cycle last_beat_by(Cycle cycle) const {
    const uint32_t moved = beats_before(cycle + 1);
    return moved == 0 ? 0 : beats[moved - 1];
  }

  tlm_extension_base* clone() const override { return new BurstTiming(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const BurstTiming&>(other); }
};

/// Transactions for use again: the approximately-timed protocol counts who still holds one.
class BurstPool : public tlm::tlm_mm_interface {
 public:
  BurstPool() = default;
  BurstPool(const BurstPool&) = delete;
  BurstPool& operator=(const BurstPool&) = delete;

  /// A transaction that the caller holds, with a BurstTiming.
  tlm::tlm_generic_payload& allocate() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      all_.back()->set_extension(new BurstTiming);
      free_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload* burst = free_.back();
    free_.pop_back();
    burst->acquire();
    BurstTiming& timing = *burst->get_extension<BurstTiming>();
    timing.response = 0;
    timing.failed_in = kNever;
    burst->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return *burst;
  }

  void free(tlm::tlm_generic_payload* burst) override { free_.push_back(burst); }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace fovea
