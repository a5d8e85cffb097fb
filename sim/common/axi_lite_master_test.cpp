// SPDX-License-Identifier: Apache-2.0
/// \file
/// The register master keeps to the handshake, whatever the slave's pace, and never waits for ever.
#include "axi_lite_master.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fovea {
namespace {

/// A slave that accepts and answers after given numbers of cycles, and remembers what it was given.
struct Slave {
  uint32_t accept_after = 0, answer_after = 0, w_after = 0;
  uint8_t resp = 0;
  uint32_t cycles = 0, accepted_at = 0, w_accepted_at = 0;
  uint32_t addresses = 0, datas = 0;
  AxiLiteMasterPins seen{};

  AxiLiteSlavePins cycle(const AxiLiteMasterPins& master) {
    AxiLiteSlavePins slave;
    slave.arready = slave.awready = cycles >= accept_after;
    slave.wready = cycles >= w_after;
    slave.rdata = 0xabcd;
    slave.rresp = slave.bresp = resp;
    slave.rvalid = addresses == 1 && cycles > accepted_at + answer_after;
    slave.bvalid = addresses == 1 && datas == 1 && cycles > std::max(accepted_at, w_accepted_at) + answer_after;
    if ((master.arvalid && slave.arready) || (master.awvalid && slave.awready)) {
      ++addresses;
      accepted_at = cycles;
      seen.araddr = master.araddr;
      seen.awaddr = master.awaddr;
    }
    if (master.wvalid && slave.wready) {
      ++datas;
      w_accepted_at = cycles;
      seen.wdata = master.wdata;
      seen.wstrb = master.wstrb;
    }
    ++cycles;
    return slave;
  }
};

AxiLiteMaster master_of(Slave& slave) {
  return AxiLiteMaster([&slave](const AxiLiteMasterPins& pins) { return slave.cycle(pins); });
}

TEST(AxiLiteMaster, ReadsOnceAtAnyPace) {
  for (uint32_t accept : {0u, 1u, 7u}) {
    for (uint32_t answer : {0u, 1u, 7u}) {
      Slave slave{accept, answer};
      uint32_t value = 0;
      EXPECT_EQ(master_of(slave).read(0x10, &value), kDlaOk);
      EXPECT_EQ(value, 0xabcdu);
      EXPECT_EQ(slave.seen.araddr, 0x10u);
      EXPECT_EQ(slave.addresses, 1u);
    }
  }
}

TEST(AxiLiteMaster, WritesOnceInEitherOrderOfAddressAndData) {
  for (uint32_t aw : {0u, 5u}) {
    for (uint32_t w : {0u, 5u}) {
      Slave slave{aw, 1, w};
      EXPECT_EQ(master_of(slave).write(0x20, 0x1234, 0xf), kDlaOk);
      EXPECT_EQ(slave.seen.awaddr, 0x20u);
      EXPECT_EQ(slave.seen.wdata, 0x1234u);
      EXPECT_EQ(slave.seen.wstrb, 0xfu);
      EXPECT_EQ(slave.addresses, 1u);
      EXPECT_EQ(slave.datas, 1u);
    }
  }
}

TEST(AxiLiteMaster, ReportsAnErrorResponse) {
  Slave reads, writes;
  reads.resp = writes.resp = 2;
  uint32_t value = 0;
  EXPECT_EQ(master_of(reads).read(0, &value), kDlaBusError);
  EXPECT_EQ(master_of(writes).write(0, 0, 0xf), kDlaBusError);
}

TEST(AxiLiteMaster, GivesUpOnASlaveThatIsSilent) {
  Slave slave;
  slave.accept_after = 1u << 30;
  uint32_t value = 0;
  EXPECT_EQ(master_of(slave).read(0, &value), kDlaTimeout);
  EXPECT_EQ(slave.cycles, AxiLiteMaster::kMaxCycles);
  EXPECT_EQ(master_of(slave).write(0, 0, 0xf), kDlaTimeout);
}

}  // namespace
}  // namespace fovea
