// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_sram give a word the cycle after its address, hold it, and write bytes one by one? 16 words
/// of WORD_BYTES bytes, 4 or 8.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <type_traits>

#include "Vdla_sram.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kWords = 16, kWordBytes = WORD_BYTES, kAllBytes = (1u << kWordBytes) - 1;
/// Of a bus that Verilator makes of kWordBytes bytes.
using Word = std::remove_reference_t<decltype(Vdla_sram::wdata_i)>;

class Sram : public UnitBench<Vdla_sram> {
 protected:
  Sram() {
    unit.rst_ni = 1;
    for (uint32_t addr = 0; addr < kWords; ++addr) {
      cycle(false, 0, kAllBytes, addr, 0);
    }
  }

  void cycle(bool read, uint32_t raddr, uint32_t wstrobe, uint32_t waddr, Word wdata, uint32_t rstrobe = kAllBytes) {
    unit.read_i = read;
    unit.raddr_i = static_cast<uint8_t>(raddr);
    unit.rstrobe_i = static_cast<uint8_t>(rstrobe);
    unit.write_i = wstrobe != 0;
    unit.wstrobe_i = static_cast<uint8_t>(wstrobe);
    unit.waddr_i = static_cast<uint8_t>(waddr);
    unit.wdata_i = wdata;
    UnitBench::cycle();
  }
};

TEST_F(Sram, HoldsAWordUntilTheNextIsRead) {
  cycle(false, 0, kAllBytes, 3, static_cast<Word>(0x1122334455667788));
  cycle(true, 3, 0, 0, 0);
  EXPECT_EQ(unit.rdata_o, static_cast<Word>(0x1122334455667788));
  cycle(false, 5, kAllBytes, 3, 0);
  EXPECT_EQ(unit.rdata_o, static_cast<Word>(0x1122334455667788));
  cycle(true, 3, 0, 0, 0);
  EXPECT_EQ(unit.rdata_o, 0u);
}

TEST_F(Sram, WritesTheBytesThatAreStrobed) {
  cycle(false, 0, kAllBytes, 7, static_cast<Word>(0x1122334455667788));
  cycle(false, 0, 0x5, 7, static_cast<Word>(0x99aabbccddeeff00));
  cycle(true, 7, 0, 0, 0);
  EXPECT_EQ(unit.rdata_o, static_cast<Word>(0x1122334455ee7700));
}

TEST_F(Sram, ReadsBytesBesideThoseThatAreWritten) {
  cycle(false, 0, kAllBytes, 7, static_cast<Word>(0x1122334455667788));
  cycle(true, 7, 0x5, 7, 0, kAllBytes & ~0x5u);
  EXPECT_EQ(unit.rdata_o, static_cast<Word>(0x1122334455667788));
}

TEST_F(Sram, ReadsAndWritesInTheSameCycle) {
  std::mt19937_64 source(1);
  std::array<Word, kWords> model{};
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const uint32_t raddr = source() % kWords, waddr = source() % kWords, strobe = source() & kAllBytes;
    const Word wdata = static_cast<Word>(source());
    const bool read = raddr != waddr;
    cycle(read, raddr, strobe, waddr, wdata);
    if (read) {
      EXPECT_EQ(unit.rdata_o, model[raddr]);
    }
    for (uint32_t b = 0; b < kWordBytes; ++b) {
      const Word mask = (strobe >> b & 1) != 0 ? Word{0xff} << 8 * b : 0;
      model[waddr] = (model[waddr] & ~mask) | (wdata & mask);
    }
  }
}

}  // namespace
}  // namespace fovea
