// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_chip_write put each beat where it belongs on chip, and answer each burst? Beside dla_glb_byte().
///
/// Banks of BANK_BYTES of words of BUS_BYTES, and an ifmap region of COLUMNS columns. Bursts come at any pace, also
/// with their next one right behind them.
#include <deque>
#include <random>

#include "Vdla_chip_write.h"
#include "spec/dla_planes.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kBankWords = BANK_BYTES / BUS_BYTES;
constexpr uint32_t kRows = 16;  ///< Of banks, one of each column.

struct Burst {
  uint32_t addr, beats;
};

class ChipWrite : public UnitBench<Vdla_chip_write> {
 protected:
  ChipWrite() {
    machine.glb_bytes = kRows * COLUMNS * BANK_BYTES;
    machine.glb_bank_bytes = BANK_BYTES;
    machine.bus_bytes = BUS_BYTES;
    machine.ifmap_bytes_per_cycle = COLUMNS;
    reset();
  }

  uint32_t below(uint32_t end) { return static_cast<uint32_t>(source() % end); }

  /// Banks that the ifmap is read from, in rows of them; none: it is not on chip.
  void read_ifmap_from(uint32_t first_row, uint32_t rows) {
    base_bank = first_row * COLUMNS;
    banks = rows * COLUMNS;
    unit.ifmap_i = banks << 16 | base_bank;
  }

  Burst any_burst() {
    const uint32_t beats = 1 + below(16), words = kRows * kBankWords;
    const uint32_t word = below(words - beats + 1);
    return {below(COLUMNS) << kDlaColumnLsb | word * BUS_BYTES, beats};
  }

  /// The word of the GLB that is written now; its bank says which column it has to go through.
  uint32_t written_word() const {
    if (unit.chip_write_o != 0) {
      EXPECT_EQ(unit.ifmap_write_o, 0u);
      EXPECT_FALSE(is_ifmaps(unit.chip_addr_o / kBankWords)) << "a bank of the ifmap's";
      return unit.chip_addr_o;
    }
    uint32_t column = 0;
    while (unit.ifmap_write_o >> column != 1) {
      ++column;
    }
    const uint32_t bank = base_bank + unit.ifmap_addr_o / kBankWords * COLUMNS + column;
    EXPECT_TRUE(is_ifmaps(bank)) << "bank " << bank;
    return bank * kBankWords + unit.ifmap_addr_o % kBankWords;
  }

  bool is_ifmaps(uint32_t bank) const { return bank - base_bank < banks; }

  void write(uint32_t bursts, uint32_t pauses) {
    struct Beat {
      uint32_t addr;
      uint64_t data;
      uint8_t strobe;
      bool last;
    };
    std::deque<Burst> open;     // not answered yet
    std::deque<Beat> expected;  // to be written in the next cycle
    uint32_t begun = 0, sent = 0;
    Burst burst{};
    while (begun < bursts || sent != 0 || !open.empty()) {
      if (sent == burst.beats) {
        sent = burst.beats = 0;
        if (begun < bursts) {
          burst = any_burst();
          open.push_back(burst);
          ++begun;
        }
      }
      const bool sends = burst.beats != 0 && (pauses == 0 || below(pauses) == 0);
      unit.beat_i = sends;
      unit.last_i = sends && sent + 1 == burst.beats;
      unit.data_i = uint64_t{source()} << 32 | source();
      unit.strobe_i = static_cast<uint8_t>(source());
      unit.first_i = (open.front().addr >> kDlaColumnLsb) << 16 | (open.front().addr & 0xffffff) / BUS_BYTES;
      unit.clk_i = 0;
      unit.eval();
      ASSERT_EQ(unit.chip_write_o != 0 || unit.ifmap_write_o != 0, !expected.empty());
      ASSERT_EQ(unit.answer_o != 0, !expected.empty() && expected.front().last);
      if (!expected.empty()) {
        const Beat& beat = expected.front();
        ASSERT_EQ(written_word() * BUS_BYTES, dla_glb_byte(&machine, beat.addr));
        ASSERT_EQ(unit.data_o, beat.data);
        ASSERT_EQ(unit.strobe_o, beat.strobe);
        if (beat.last) {
          open.pop_front();
        }
        expected.pop_front();
      }
      if (sends) {
        expected.push_back({burst.addr + sent * BUS_BYTES, unit.data_i, unit.strobe_i, unit.last_i != 0});
        ++sent;
      }
      unit.clk_i = 1;
      unit.eval();
    }
  }

  std::mt19937 source{1};
  dla_machine machine{};
  uint32_t base_bank = 0, banks = 0;
};

TEST_F(ChipWrite, PutsEachBeatWhereItBelongs) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const uint32_t rows = below(kRows + 1);
    read_ifmap_from(below(kRows - rows + 1), rows);
    write(20, below(4));
  }
}

TEST_F(ChipWrite, TakesAllBanksForItsOwnWhereNoIfmapIsOnChip) {
  read_ifmap_from(0, 0);
  write(200, 0);
}

}  // namespace
}  // namespace fovea
