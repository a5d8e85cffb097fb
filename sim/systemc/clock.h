// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cycles of the device clock as simulated time.
#pragma once

#include <cstdint>
#include <systemc>

namespace fovea {

/// A cycle of the device, counted from reset. "In cycle c" is what the RTL does at the clock edge that ends cycle c.
using Cycle = uint64_t;

constexpr Cycle kNever = UINT64_MAX;

/// Cycle c is the simulated time origin + c * period. What happens in a cycle is seen by others in the next cycle, so
/// the order of the processes within a cycle does not matter.
class Clock {
 public:
  /// Restarts the count: the kernel's time goes on, the device's begins anew. \param mhz  At least 1.
  void restart(uint32_t mhz) {
    period_ = 1'000'000 / mhz;
    origin_ = sc_core::sc_time_stamp().value();
  }

  Cycle now() const { return (sc_core::sc_time_stamp().value() - origin_) / period_; }

  /// From the kernel's time to the start of `cycle`.
  sc_core::sc_time until(Cycle cycle) const {
    return sc_core::sc_time::from_value(origin_ + cycle * period_ - sc_core::sc_time_stamp().value());
  }

  /// From the kernel's time to the middle of its cycle; none where that is past.
  sc_core::sc_time until_middle() const {
    const uint64_t past = (sc_core::sc_time_stamp().value() - origin_) % period_;
    return sc_core::sc_time::from_value(past < period_ / 2 ? period_ / 2 - past : 0);
  }

  sc_core::sc_time half_period() const { return sc_core::sc_time::from_value(period_ / 2); }

  sc_core::sc_time duration(Cycle cycles) const { return sc_core::sc_time::from_value(cycles * period_); }

 private:
  uint64_t period_ = 5000;  ///< In the kernel's resolution of 1 ps.
  uint64_t origin_ = 0;
};

/// Suspends the calling thread up to `cycle`; returns at once where that has come.
inline void wait_until(const Clock& clock, Cycle cycle) {
  const Cycle now = clock.now();
  if (cycle > now) {
    sc_core::wait(clock.duration(cycle - now));
  }
}

}  // namespace fovea
