// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_sram give a word the cycle after its address, hold it, and write bytes one by one? 16 words of 4 bytes.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "Vdla_sram.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kWords = 16, kWordBytes = 4;

class Sram : public UnitBench<Vdla_sram> {
 protected:
  Sram() {
    unit.rst_ni = 1;
    for (uint32_t addr = 0; addr < kWords; ++addr) {
      cycle(false, 0, 0xf, addr, 0);
    }
  }

  void cycle(bool read, uint32_t raddr, uint32_t wstrobe, uint32_t waddr, uint32_t wdata) {
    unit.read_i = read;
    unit.raddr_i = static_cast<uint8_t>(raddr);
    unit.write_i = wstrobe != 0;
    unit.wstrobe_i = static_cast<uint8_t>(wstrobe);
    unit.waddr_i = static_cast<uint8_t>(waddr);
    unit.wdata_i = wdata;
    UnitBench::cycle();
  }
};

TEST_F(Sram, HoldsAWordUntilTheNextIsRead) {
  cycle(false, 0, 0xf, 3, 0x12345678);
  cycle(true, 3, 0, 0, 0);
  EXPECT_EQ(unit.rdata_o, 0x12345678u);
  cycle(false, 5, 0xf, 3, 0);
  EXPECT_EQ(unit.rdata_o, 0x12345678u);
  cycle(true, 3, 0, 0, 0);
  EXPECT_EQ(unit.rdata_o, 0u);
}

TEST_F(Sram, WritesTheBytesThatAreStrobed) {
  cycle(false, 0, 0xf, 7, 0x11223344);
  cycle(false, 0, 0x5, 7, 0xaabbccdd);
  cycle(true, 7, 0, 0, 0);
  EXPECT_EQ(unit.rdata_o, 0x11bb33ddu);
}

TEST_F(Sram, ReadsAndWritesInTheSameCycle) {
  std::mt19937 source(1);
  std::array<uint32_t, kWords> model{};
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const uint32_t raddr = source() % kWords, waddr = source() % kWords, wdata = source(), strobe = source() % 16;
    const bool read = raddr != waddr;
    cycle(read, raddr, strobe, waddr, wdata);
    if (read) {
      EXPECT_EQ(unit.rdata_o, model[raddr]);
    }
    for (uint32_t b = 0; b < kWordBytes; ++b) {
      const uint32_t mask = (strobe >> b & 1) != 0 ? 0xffu << 8 * b : 0;
      model[waddr] = (model[waddr] & ~mask) | (wdata & mask);
    }
  }
}

}  // namespace
}  // namespace fovea
