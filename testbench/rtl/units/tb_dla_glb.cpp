// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_glb give each column the words of its own banks, all columns at once, wherever the regions are?
///
/// BANKS banks of 64 words of 4 bytes; regions of COLUMNS_OF columns: 4, 1, 1, 2 and 1, as the 64-bit machines
/// have, or more. Of the first, the ifmap's, half or a quarter may be in use. Banks of no region are in the last
/// column, the chip's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "Vdla_glb.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kBanks = BANKS, kBankWords = 64;
constexpr uint32_t kRegions = 5;
constexpr std::array<uint32_t, kRegions> kColumnsOf = {COLUMNS_OF};
constexpr uint32_t kChip = kColumnsOf[0] + kColumnsOf[1] + kColumnsOf[2] + kColumnsOf[3] + kColumnsOf[4];
constexpr uint32_t kColumns = kChip + 1;
/// A bit a column.
using Columns = std::remove_reference_t<decltype(Vdla_glb::read_i)>;

struct Region {
  uint32_t base, banks;

  bool has(uint32_t bank) const { return bank - base < banks; }
};

class Glb : public UnitBench<Vdla_glb> {
 protected:
  Glb() {
    unit.chip_rstrobe_i = 0xf;
    reset();
  }

  void configure(const std::array<Region, kRegions>& regions, uint32_t halvings = 0) {
    uint32_t column = 0;
    for (uint32_t r = 0; r < kRegions; ++r) {
      unit.regions_i[r] = regions[r].banks << 16 | regions[r].base;
      const uint32_t columns = r == 0 ? kColumnsOf[r] >> halvings : kColumnsOf[r];
      for (uint32_t i = 0; i < kColumnsOf[r]; ++i) {
        words[column++] = i < columns ? regions[r].banks / columns * kBankWords : 0;
      }
    }
    leave_to_the_chip(regions);
    unit.ifmap_halvings_i = static_cast<uint8_t>(halvings);
    unit.configure_i = 1;
    cycle();
    unit.configure_i = 0;
  }

  /// The chip's banks are those of none of these regions.
  template <class Regions>
  void leave_to_the_chip(const Regions& regions) {
    chip_banks.clear();
    for (uint32_t bank = 0; bank < kBanks; ++bank) {
      if (std::none_of(regions.begin(), regions.end(), [&](const Region& region) { return region.has(bank); })) {
        chip_banks.push_back(bank);
      }
    }
    words[kChip] = static_cast<uint32_t>(chip_banks.size()) * kBankWords;
  }

  /// Any word of a column that has some.
  uint32_t any_word(std::mt19937& source, uint32_t column) const {
    const auto number = static_cast<uint32_t>(source() % words[column]);
    return column == kChip ? chip_banks[number / kBankWords] * kBankWords + number % kBankWords : number;
  }

  /// Reads and writes every column at its own pace, beside a map of words, for `cycles` cycles.
  void move_words(std::mt19937& source, int cycles) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> model;
    std::array<const uint32_t*, kColumns> expected{};
    for (int i = 0; i < cycles && !HasFailure(); ++i) {
      uint32_t reads = 0, writes = 0;
      unit.read_i = unit.write_i = 0;
      for (uint32_t c = 0; c < kColumns; ++c) {
        const uint32_t addr = words[c] == 0 ? 0 : any_word(source, c);
        const bool write = words[c] != 0 && source() % 2 == 0;
        unit.write_i = static_cast<Columns>(unit.write_i | uint64_t{write} << c);
        unit.wstrobe_i[c] = 0xf;
        unit.waddr_i[c] = static_cast<uint16_t>(addr);
        unit.wdata_i[c] = source();
        writes += write ? 1 : 0;
        const auto known = words[c] == 0 ? model.end() : model.lower_bound({c, any_word(source, c)});
        const bool read = known != model.end() && known->first.first == c && !(write && known->first.second == addr);
        expected[c] = read ? &known->second : nullptr;
        unit.raddr_i[c] = static_cast<uint16_t>(read ? known->first.second : 0);
        unit.read_i = static_cast<Columns>(unit.read_i | uint64_t{read} << c);
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

  /// Word 0 of a column, alone.
  void write_word(uint32_t column, uint32_t word) {
    unit.write_i = static_cast<Columns>(uint64_t{1} << column);
    unit.wstrobe_i[column] = 0xf;
    unit.waddr_i[column] = 0;
    unit.wdata_i[column] = word;
    cycle();
    unit.write_i = 0;
  }
  uint32_t read_word(uint32_t column) {
    unit.read_i = static_cast<Columns>(uint64_t{1} << column);
    unit.raddr_i[column] = 0;
    cycle();
    unit.read_i = 0;
    return unit.rdata_o[column];
  }

  std::array<uint32_t, kColumns> words{};  ///< Of each column.
  std::vector<uint32_t> chip_banks;
};

TEST_F(Glb, ServesAllColumnsAtOnce) {
  std::mt19937 source(1);
  std::array<Region, kRegions> regions{};
  uint32_t end = 0;
  for (uint32_t r = 0; r < kRegions; ++r) {
    regions[r] = {end, 2 * kColumnsOf[r]};
    end += regions[r].banks;
  }
  configure(regions);
  move_words(source, 5000);
}

TEST_F(Glb, TakesRegionsInAnyOrderAndOfAnySize) {
  std::mt19937 source(2);
  for (int i = 0; i < 100; ++i) {
    std::array<uint32_t, kRegions> order{};
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), source);
    std::array<Region, kRegions> regions{};
    const auto halvings = static_cast<uint32_t>(source() % 3);
    uint32_t end = 0;
    for (const uint32_t r : order) {
      end = std::min(kBanks, end + static_cast<uint32_t>(source() % (kBanks / 8)));
      const uint32_t columns = r == 0 ? kColumnsOf[r] >> halvings : kColumnsOf[r];
      const uint32_t room = (kBanks - end) / columns;
      const auto banks = static_cast<uint32_t>(source() % std::min(room + 1, r == 0 ? 16u : 4u)) * columns;
      regions[r] = {end, banks};
      end += regions[r].banks;
    }
    configure(regions, halvings);
    move_words(source, 300);
  }
}

/// The next layer's filters may come where no output or residual of this one is, on its way or on chip, nor, while its
/// sets are not done, its filters, nor, while its array is not free, its ifmap or its psums; and these stay as they
/// are.
TEST_F(Glb, TakesTheNextFilterRegionOverBeforeTheOthers) {
  std::mt19937 source(3);
  int fitted = 0;
  for (int i = 0; i < 200; ++i) {
    std::array<Region, kRegions> regions{};
    const std::array<uint32_t, kRegions> order = {3, 4, 0, 2, 1};
    uint32_t end = 0;
    for (const uint32_t r : order) {
      regions[r] = {end, (1 + static_cast<uint32_t>(source() % 2)) * kColumnsOf[r]};
      end += regions[r].banks;
    }
    unit.read_i = unit.write_i = 0;
    // Tensors on chip behind the regions, if they are.
    std::array<Region, 2> kept{};
    for (Region& tensor : kept) {
      const auto banks = static_cast<uint32_t>(source() % 3) * kColumnsOf[0];
      tensor = banks == 0 || end + banks > kBanks ? Region{0, 0} : Region{end, banks};
      end += tensor.banks;
    }
    unit.kept_i = uint64_t{kept[1].banks << 16 | kept[1].base} << 32 | (kept[0].banks << 16 | kept[0].base);
    configure(regions);
    unit.kept_i = 0;
    const uint32_t outputs_end = regions[4].base + regions[4].banks;
    const uint32_t banks = (1 + static_cast<uint32_t>(source() % 2)) * kColumnsOf[1];
    const Region next = {static_cast<uint32_t>(source() % (kBanks - banks + 1)), banks};
    const bool is_free = source() % 2 == 0;
    unit.array_free_i = is_free;
    const bool is_moved = is_free || source() % 2 == 0;
    unit.sets_done_i = is_moved;
    for (uint32_t r = 0; r < kRegions; ++r) {
      unit.regions_i[r] = r == 1 ? next.banks << 16 | next.base : 0;
    }
    unit.eval();
    const auto meets = [&](const Region& tensor) {
      return next.base < tensor.base + tensor.banks && tensor.base < next.base + next.banks;
    };
    const bool fits = next.base >= outputs_end && !meets(kept[0]) && !meets(kept[1]) &&
                      (is_moved || !meets(regions[1])) && (is_free || (!meets(regions[0]) && !meets(regions[2])));
    ASSERT_EQ(unit.filter_fits_o != 0, fits) << "filters from bank " << next.base << ", outputs to " << outputs_end;
    if (!fits) {
      continue;
    }
    ++fitted;
    const uint32_t filters = kColumnsOf[0], word = source(), other = ~word;
    unit.reads_next_i = 0;
    write_word(filters, word);
    unit.configure_filter_i = 1;
    cycle();
    unit.configure_filter_i = 0;
    write_word(filters, other);
    if (!is_moved) {
      EXPECT_EQ(read_word(filters), word) << "a set of this layer";
    }
    unit.reads_next_i = 1;
    EXPECT_EQ(read_word(filters), other) << "a set of the next layer";
    // The columns of filters, outputs and residuals are in use; those of the others are nobody's once the array is
    // free.
    uint32_t column = 0;
    for (uint32_t r = 0; r < kRegions; ++r) {
      for (uint32_t c = 0; c < kColumnsOf[r]; ++c, ++column) {
        words[column] = r == 1 ? next.banks / kColumnsOf[1] * kBankWords : r >= 3 || !is_free ? words[column] : 0;
      }
    }
    std::vector<Region> all(regions.begin(), regions.end());
    all.push_back(next);
    leave_to_the_chip(all);
    move_words(source, 300);
  }
  EXPECT_GT(fitted, 20);
}

}  // namespace
}  // namespace fovea
