// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_tiles keep the record of each tile until its turn comes again? Beside two records.
#include <algorithm>
#include <array>
#include <random>

#include "Vdla_tiles.h"
#include "packed_bits.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kTileBits = 116;  ///< tile_t of dla_pkg.sv.

/// A record, in words of 32 bits; the last has what is left.
using Record = std::array<uint32_t, 4>;

class Tiles : public UnitBench<Vdla_tiles> {
 protected:
  Tiles() { reset(); }

  void take(const Record& record) {
    for (uint32_t i = 0; i < record.size(); ++i) {
      unit.tile_i[i] = record[i];
    }
    unit.take_i = 1;
    cycle();
    unit.take_i = 0;
  }

  Record kept(uint32_t number) const {
    Record record{};
    for (uint32_t lsb = 0; lsb < kTileBits; lsb += 32) {
      record[lsb / 32] = bits_of(unit.tiles_o, number * kTileBits + lsb, std::min(32u, kTileBits - lsb));
    }
    return record;
  }
};

TEST_F(Tiles, KeepEachRecordUntilItsTurn) {
  std::mt19937 source(1);
  std::array<Record, 2> model{};
  uint32_t next = 0, taken = 0;
  for (int i = 0; i < 5000; ++i) {
    const Record record = {static_cast<uint32_t>(source()), static_cast<uint32_t>(source()),
                           static_cast<uint32_t>(source()), static_cast<uint32_t>(source()) & 0xfffff};
    if (source() % 3 == 0) {
      take(record);
      model[next] = record;
      next = 1 - next;
      ++taken;
    } else if (source() % 20 == 0) {
      unit.clear_i = 1;
      cycle();
      unit.clear_i = 0;
      next = 0;
    } else {
      cycle();
    }
    for (uint32_t number = 0; number < std::min(taken, 2u); ++number) {
      ASSERT_EQ(kept(number), model[number]) << "cycle " << i;
    }
  }
}

}  // namespace
}  // namespace fovea
