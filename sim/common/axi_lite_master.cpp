// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and writes registers over AXI4-Lite pins.
#include "axi_lite_master.h"

namespace fovea {

namespace {

dla_status_t to_status(uint8_t resp) { return resp == 0 ? kDlaOk : kDlaBusError; }

}  // namespace

dla_status_t AxiLiteMaster::read(uint32_t addr, uint32_t* value) {
  AxiLiteMasterPins pins;
  pins.arvalid = pins.rready = true;
  pins.araddr = addr;
  for (uint32_t waited = 0; waited < kMaxCycles; ++waited) {
    const AxiLiteSlavePins slave = cycle_(pins);
    pins.arvalid = pins.arvalid && !slave.arready;
    if (slave.rvalid) {
      *value = slave.rdata;
      return to_status(slave.rresp);
    }
  }
  return kDlaTimeout;
}

dla_status_t AxiLiteMaster::write(uint32_t addr, uint32_t value, uint32_t strobes) {
  AxiLiteMasterPins pins;
  pins.awvalid = pins.wvalid = pins.bready = true;
  pins.awaddr = addr;
  pins.wdata = value;
  pins.wstrb = strobes;
  for (uint32_t waited = 0; waited < kMaxCycles; ++waited) {
    const AxiLiteSlavePins slave = cycle_(pins);
    pins.awvalid = pins.awvalid && !slave.awready;
    pins.wvalid = pins.wvalid && !slave.wready;
    if (slave.bvalid) {
      return to_status(slave.bresp);
    }
  }
  return kDlaTimeout;
}

}  // namespace fovea
