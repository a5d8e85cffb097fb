// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_glb give each column the words of its own banks, all columns at once, wherever the regions are?
///
/// 16 banks of 64 words of 4 bytes; regions of 4, 1, 1 and 2 columns, as the 64-bit machines have.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>

#include "Vdla_glb.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kBanks = 16, kBankWords = 64;
constexpr std::array<uint32_t, 4> kColumnsOf = {4, 1, 1, 2};
constexpr uint32_t kColumns = 8;

struct Region {
  uint32_t base, banks;
};

class Glb : public UnitBench<Vdla_glb> {
 protected:
  Glb() { reset(); }

  void configure(const std::array<Region, 4>& regions) {
    uint32_t column = 0;
    for (uint32_t r = 0; r < 4; ++r) {
      unit.regions_i[r] = regions[r].banks << 16 | regions[r].base;
      for (uint32_t i = 0; i < kColumnsOf[r]; ++i) {
        words[column++] = regions[r].banks / kColumnsOf[r] * kBankWords;
      }
    }
    unit.configure_i = 1;
    cycle();
    unit.configure_i = 0;
  }

  /// Reads and writes every column at its own pace, beside a map of words, for `cycles` cycles.
  void move_words(std::mt19937& source, int cycles) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> model;
    std::array<const uint32_t*, kColumns> expected{};
    for (int i = 0; i < cycles && !HasFailure(); ++i) {
      uint32_t reads = 0, writes = 0;
      unit.read_i = unit.write_i = 0;
      for (uint32_t c = 0; c < kColumns; ++c) {
        const uint32_t addr = words[c] == 0 ? 0 : source() % words[c];
        const bool write = words[c] != 0 && source() % 2 == 0;
        unit.write_i = static_cast<uint8_t>(unit.write_i | (write ? 1u << c : 0));
        unit.wstrobe_i[c] = 0xf;
        unit.waddr_i[c] = static_cast<uint16_t>(addr);
        unit.wdata_i[c] = source();
        writes += write ? 1 : 0;
        const auto known = words[c] == 0 ? model.end() : model.lower_bound({c, source() % words[c]});
        const bool read = known != model.end() && known->first.first == c && !(write && known->first.second == addr);
        expected[c] = read ? &known->second : nullptr;
        unit.raddr_i[c] = static_cast<uint16_t>(read ? known->first.second : 0);
        unit.read_i = static_cast<uint8_t>(unit.read_i | (read ? 1u << c : 0));
        reads += read ? 1 : 0;
      }
      unit.clk_i = 0;
      unit.eval();
      EXPECT_EQ(unit.reads_o, reads);
      EXPECT_EQ(unit.writes_o, writes);
      unit.clk_i = 1;
      unit.eval();
      for (uint32_t c = 0; c < kColumns; ++c) {
        if (expected[c] != nullptr) {
          EXPECT_EQ(unit.rdata_o[c], *expected[c]) << "column " << c << " word " << unit.raddr_i[c];
        }
      }
      for (uint32_t c = 0; c < kColumns; ++c) {
        if ((unit.write_i >> c & 1) != 0) {
          model[{c, unit.waddr_i[c]}] = unit.wdata_i[c];
        }
      }
    }
  }

  std::array<uint32_t, kColumns> words{};  ///< Of each column.
};

TEST_F(Glb, ServesAllColumnsAtOnce) {
  std::mt19937 source(1);
  configure({{{0, 8}, {8, 2}, {10, 2}, {12, 4}}});
  move_words(source, 5000);
}

TEST_F(Glb, TakesRegionsInAnyOrderAndOfAnySize) {
  std::mt19937 source(2);
  for (int i = 0; i < 40; ++i) {
    std::array<uint32_t, 4> order{};
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), source);
    std::array<Region, 4> regions{};
    uint32_t end = 0;
    for (const uint32_t r : order) {
      const uint32_t room = (kBanks - end) / kColumnsOf[r];
      const auto banks = static_cast<uint32_t>(source() % std::min(room + 1, 4u)) * kColumnsOf[r];
      regions[r] = {end, banks};
      end += regions[r].banks;
    }
    configure(regions);
    move_words(source, 300);
  }
}

}  // namespace
}  // namespace fovea
