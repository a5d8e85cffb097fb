// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and writes registers over AXI4-Lite pins.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "hal/dla_hal.h"

namespace fovea {

/// What the master drives during a cycle.
struct AxiLiteMasterPins {
  bool awvalid = false, wvalid = false, bready = false;
  bool arvalid = false, rready = false;
  uint32_t awaddr = 0, wdata = 0, wstrb = 0, araddr = 0;
};

/// What the slave drives during a cycle.
struct AxiLiteSlavePins {
  bool awready = false, wready = false, bvalid = false;
  bool arready = false, rvalid = false;
  uint32_t rdata = 0;
  uint8_t bresp = 0, rresp = 0;
};

/// One access at a time. kDlaBusError where the slave's response is no OKAY, kDlaTimeout where it does not come.
class AxiLiteMaster {
 public:
  /// Cycles an access may take.
  static constexpr uint32_t kMaxCycles = 1000;

  /// \param cycle  Runs the device for one cycle with the master's pins; returns what the slave drove at its end.
  using Cycle = std::function<AxiLiteSlavePins(const AxiLiteMasterPins&)>;
  explicit AxiLiteMaster(Cycle cycle) : cycle_(std::move(cycle)) {}

  dla_status_t read(uint32_t addr, uint32_t* value);
  dla_status_t write(uint32_t addr, uint32_t value, uint32_t strobes);

 private:
  Cycle cycle_;
};

}  // namespace fovea
