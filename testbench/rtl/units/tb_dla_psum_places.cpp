// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the places of each word those that three loops over columns, sets and rows give, slot behind slot?
#include <algorithm>
#include <random>
#include <vector>

#include "Vdla_psum_places.h"
#include "unit_bench.h"

namespace fovea {
namespace {

struct Place {
  uint32_t e, row, col, filter;
};

/// Of a pass on PE sets in `columns` columns of `high`.
struct Pass {
  uint32_t e, p, high, columns, set_cols, segment_rows;

  std::vector<Place> places(uint32_t filter) const {
    std::vector<Place> list;
    for (uint32_t column = 0; column < columns; ++column) {
      for (uint32_t set = 0; set < high; ++set, filter += p) {
        for (uint32_t row = 0; row < e; ++row) {
          list.push_back({row, set * segment_rows, column * set_cols + row, filter});
        }
      }
    }
    return list;
  }
};

class PsumPlaces : public UnitBench<Vdla_psum_places> {
 protected:
  /// Verilator gives a port of one element as that element.
  uint64_t place(uint32_t lane) const {
#if LANES == 1
    return lane == 0 ? unit.place_o[0] : 0;
#else
    return unit.place_o[lane];
#endif
  }

  void expect_slot(const Pass& pass, uint32_t filter) {
    const auto bits = [&](uint32_t lane, int first, int count) {
      return static_cast<uint32_t>(place(lane) >> first & ((1U << count) - 1));
    };
    unit.start_i = 1;
    unit.e_i = static_cast<uint8_t>(pass.e);
    unit.p_i = static_cast<uint8_t>(pass.p);
    unit.filter_i = static_cast<uint16_t>(filter);
    cycle();
    unit.start_i = 0;
    const std::vector<Place> expected = pass.places(filter);
    for (std::size_t first = 0; first < expected.size(); first += LANES) {
      for (uint32_t lane = 0; lane < LANES && first + lane < expected.size(); ++lane) {
        const Place& place = expected[first + lane];
        ASSERT_EQ(bits(lane, 33, 6), place.e) << "psum " << first + lane;
        ASSERT_EQ(bits(lane, 21, 6), place.row) << "psum " << first + lane;
        ASSERT_EQ(bits(lane, 9, 6), place.col) << "psum " << first + lane;
        ASSERT_EQ(bits(lane, 0, 9), place.filter) << "psum " << first + lane;
      }
      unit.step_i = 1;  // As the last word is taken too, while the next slot starts.
      cycle();
    }
  }
};

TEST_F(PsumPlaces, AreThoseOfThreeLoops) {
  std::mt19937 source(1);
  const auto between = [&](uint32_t first, uint32_t last) {
    return first + static_cast<uint32_t>(source()) % (last - first + 1);
  };
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    Pass pass{};
    // An array of 64x64, of which every other pass takes a part; at most 255 filter sets.
    const uint32_t most = i % 2 == 0 ? 16 : 64;
    pass.segment_rows = between(1, most);
    pass.high = between(1, most / pass.segment_rows);
    pass.set_cols = between(1, std::min(most, 63u));
    pass.columns = between(1, std::min(most / pass.set_cols, 255 / pass.high));
    unit.set_cols_i = static_cast<uint8_t>(pass.set_cols);
    unit.segment_rows_i = pass.segment_rows % 64;
    unit.filters_high_i = static_cast<uint8_t>(pass.high);
    // The last rows of a map are fewer, the last pass's filters too.
    for (int slot = 0; slot < 3; ++slot) {
      pass.e = between(1, pass.set_cols);
      pass.p = between(1, 255 / (pass.high * pass.columns) < 32 ? 255 / (pass.high * pass.columns) : 32);
      expect_slot(pass, between(0, pass.p - 1));
    }
  }
}

}  // namespace
}  // namespace fovea
