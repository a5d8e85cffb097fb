// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the ifmap rows of dla_tile_rows those that the output rows of a tile touch, three cycles after the start?
#include <algorithm>
#include <random>

#include "Vdla_tile_rows.h"
#include "packed_bits.h"
#include "unit_bench.h"

namespace fovea {
namespace {

class TileRows : public UnitBench<Vdla_tile_rows> {
 protected:
  TileRows() { reset(); }

  void work_out(const dla_shape& shape, uint32_t row0, uint32_t rows) {
    dla_layer layer{};
    layer.shape = shape;
    set_layer(unit.layer_i, layer);
    unit.row0_i = static_cast<uint16_t>(row0);
    unit.rows_i = static_cast<uint16_t>(rows);
    unit.start_i = 1;
    cycle();
    unit.start_i = 0;
    cycle();
    cycle();
  }
};

TEST_F(TileRows, AreTheRowsThatTheOutputsTouch) {
  std::mt19937 source(1);
  const auto between = [&](uint32_t first, uint32_t last) {
    return first + static_cast<uint32_t>(source()) % ((last - first + 1) >> source() % 8 | 1);
  };
  for (int i = 0; i < 3000; ++i) {
    dla_shape s{};
    s.pad_top = between(0, 10);
    s.pad_bottom = between(0, 10);
    s.R = between(1, 11);
    const uint32_t pads = s.pad_top + s.pad_bottom;
    s.H = between(std::max(s.R, pads + 1) - pads, 4095);
    s.W = between(1, 4095);
    s.U = between(1, 4);
    const uint32_t E = (pads + s.H - s.R) / s.U + 1;
    const uint32_t row0 = between(0, E - 1), rows = between(1, E - row0);
    work_out(s, row0, rows);
    int top = INT32_MAX, bottom = 0;
    for (uint32_t row = row0; row < row0 + rows; ++row) {
      for (uint32_t r = 0; r < s.R; ++r) {
        const int y =
            std::clamp(static_cast<int>(row * s.U + r) - static_cast<int>(s.pad_top), 0, static_cast<int>(s.H) - 1);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
    }
    ASSERT_EQ(unit.top_o, static_cast<uint32_t>(top)) << "layer " << i;
    ASSERT_EQ(unit.top_offset_o, static_cast<uint32_t>(top) * s.W) << "layer " << i;
    ASSERT_EQ(unit.bytes_o, static_cast<uint32_t>(bottom - top + 1) * s.W) << "layer " << i;
  }
}

}  // namespace
}  // namespace fovea
