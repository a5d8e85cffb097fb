// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_tile_places say where output tiles and residuals begin, in time? Beside dla_row_addr(), with the starts as
/// close as the sequencer's. Words of BUS_BYTES, COLUMNS columns.
#include <algorithm>
#include <random>

#include "Vdla_tile_places.h"
#include "packed_bits.h"
#include "spec/dla_planes.h"
#include "unit_bench.h"

namespace fovea {
namespace {

/// Of derived_t in dla_pkg.sv.
constexpr uint32_t kOfmapRows = 398, kOfmapCols = 359, kOfmapStride = 321, kResidualStride = 296;

class TilePlaces : public UnitBench<Vdla_tile_places> {
 protected:
  TilePlaces() { reset(); }

  uint32_t between(uint32_t first, uint32_t last) {
    return first + static_cast<uint32_t>(source() % (last - first + 1));
  }

  /// Planes of a tensor of so many rows and columns.
  dla_planes any_planes(uint32_t channels, uint32_t rows, uint32_t cols) {
    dla_planes planes{};
    planes.on_chip = source() % 2 == 0;
    planes.channels = channels;
    planes.rows = rows;
    planes.cols = cols;
    planes.plane_rows = source() % 3 == 0 ? rows : between(rows, std::max(rows, 4095u));
    const uint32_t all = COLUMNS;
    planes.columns = planes.on_chip ? all : 1;
    const uint32_t bytes = planes.plane_rows * cols;
    planes.stride = planes.on_chip ? (bytes + BUS_BYTES - 1) / BUS_BYTES * BUS_BYTES : bytes;
    planes.addr = static_cast<uint32_t>(source());
    if (planes.on_chip) {
      planes.first_row = source() % 2 == 0 ? 0 : between(0, std::min(planes.plane_rows, 4096u) - 1);
      planes.addr = between(0, COLUMNS - 1) << kDlaColumnLsb | between(0, 0xfff) * BUS_BYTES;
    }
    return planes;
  }

  /// Whether there could be such: its bytes are in the address space, or fewer words of a column than a GLB has.
  static bool is_somewhere(const dla_planes& planes) {
    const uint64_t in_column = (planes.channels - 1) / planes.columns + 2;
    return planes.on_chip ? planes.channels < 60000 && in_column * planes.stride < 32768 * BUS_BYTES
                          : uint64_t{planes.channels} * planes.stride < uint64_t{1} << 32;
  }

  void set(const dla_planes& ofmap, const dla_planes& residual, uint32_t pool_stride) {
    dla_layer layer{};
    layer.shape.pool = pool_stride != 1;
    layer.shape.pool_stride = pool_stride;
    layer.shape.ofmap_on_chip = ofmap.on_chip;
    layer.shape.residual_on_chip = residual.on_chip;
    layer.ofmap_addr = ofmap.addr;
    layer.residual_addr = residual.addr;
    layer.shape.ofmap_plane_rows = ofmap.plane_rows == ofmap.rows ? 0 : ofmap.plane_rows;
    layer.shape.ofmap_first_row = ofmap.first_row;
    layer.shape.residual_plane_rows = residual.plane_rows == residual.rows ? 0 : residual.plane_rows;
    layer.shape.residual_first_row = residual.first_row;
    set_layer(unit.layer_i, layer);
    set_bits(unit.derived_i, kOfmapRows, 13, ofmap.rows);
    set_bits(unit.derived_i, kOfmapCols, 13, ofmap.cols);
    set_bits(unit.derived_i, kOfmapStride, 25, ofmap.stride);
    set_bits(unit.derived_i, kResidualStride, 25, residual.stride);
  }

  void start_filter(uint32_t filter) {
    unit.filter_start_i = 1;
    unit.filter_i = filter;
    cycle();
    unit.filter_start_i = 0;
    unit.filter_i = static_cast<uint32_t>(source());
    for (int i = 1; i < 5; ++i) {
      cycle();
    }
  }

  void start_row(uint32_t row) {
    unit.row_start_i = 1;
    unit.row_i = static_cast<uint16_t>(row);
    cycle();
    unit.row_start_i = 0;
    for (int i = 1; i < 6; ++i) {
      cycle();
    }
  }

  static uint32_t rows_left(const dla_planes& planes, uint32_t row) {
    const uint32_t at = planes.first_row + row;
    return std::min(63u, planes.plane_rows - (at < planes.plane_rows ? at : at - planes.plane_rows));
  }

  std::mt19937 source{1};
};

TEST_F(TilePlaces, AreThoseOfTheRowInItsPlane) {
  int on_chip = 0, wide = 0;
  for (int i = 0; i < 100000 && !HasFailure(); ++i) {
    const uint32_t pool_stride = between(1, 3);
    const uint32_t rows = between(1, source() % 2 == 0 ? 20 : 1300), cols = between(1, source() % 2 == 0 ? 40 : 4115);
    const uint32_t channels = between(1, source() % 8 == 0 ? 1 << 22 : source() % 2 == 0 ? 4096 : 40);
    const dla_planes ofmap = any_planes(channels, rows, cols), residual = any_planes(channels, rows, cols);
    if (!is_somewhere(ofmap) || !is_somewhere(residual)) {
      continue;
    }
    on_chip += ofmap.on_chip && residual.on_chip ? 1 : 0;
    wide += channels > 65536 ? 1 : 0;
    set(ofmap, residual, pool_stride);
    const uint32_t filter = between(0, channels - 1);
    start_filter(filter);
    for (int strip = 0; strip < 2; ++strip) {
      const uint32_t row = between(0, rows - 1);
      start_row(row * pool_stride);
      ASSERT_EQ(unit.ofmap_addr_o, dla_row_addr(&ofmap, filter, row));
      ASSERT_EQ(unit.ofmap_rows_o, rows_left(ofmap, row));
      ASSERT_EQ(unit.residual_rows_o, rows_left(residual, row));
      const uint32_t addr = dla_row_addr(&residual, filter, row);
      if (residual.on_chip) {
        ASSERT_EQ(unit.residual_o >> 16, addr >> kDlaColumnLsb);
        ASSERT_EQ(unit.residual_o & 0xffff, (addr & 0xffffff) / BUS_BYTES);
      } else {
        ASSERT_EQ(unit.residual_addr_o, addr);
      }
    }
  }
  EXPECT_GT(on_chip, 500);
  EXPECT_GT(wide, 50);
}

}  // namespace
}  // namespace fovea
