// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_store write each byte of a tile where it belongs, in DRAM and on chip, and add what lies there on chip?
/// Beside dla_row_addr(), of tensors whose planes have more rows than they, and are rings on chip.
///
/// Words of 4 bytes, a lane, 4 columns. Every word of the GLB has a number that follows from its place. Where a
/// residual is added, the tile itself counts nothing, so that what is written is the residual.
#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "Vdla_store.h"
#include "packed_bits.h"
#include "spec/dla_planes.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kColumns = 4, kWordBytes = 4;

/// Of derived_t in dla_pkg.sv.
constexpr uint32_t kOfmapRows = 398, kOfmapCols = 359, kRowWords = 346, kOfmapStride = 321, kResidualStride = 296,
                   kDense = 295;

uint32_t word_of_tile(uint32_t addr) { return (addr + 1) * 0x9e3779b1u; }
uint32_t word_on_chip(uint32_t column, uint32_t word) { return (word * kColumns + column + 1) * 0x85ebca6bu; }

/// A tile: `filters` filters from `filter` on, and `e` rows from `row` on.
struct Tile {
  dla_planes ofmap, residual;
  bool adds;
  uint32_t filter, filters, p, row, e;

  uint32_t row_words() const { return (ofmap.cols + kWordBytes - 1) / kWordBytes; }

  /// The tile's own byte: the rows of a set's filters lie beside each other.
  uint8_t output(uint32_t f, uint32_t r, uint32_t col) const {
    const uint32_t place = (f / p * e + r) * p * row_words() + f % p * row_words() + col / kWordBytes;
    return static_cast<uint8_t>(word_of_tile(place) >> col % kWordBytes * 8);
  }

  uint8_t addend(uint32_t f, uint32_t r, uint32_t col) const {
    const uint32_t addr = dla_row_addr(&residual, filter + f, row + r) + col, byte = addr & 0xffffff;
    return static_cast<uint8_t>(word_on_chip(addr >> kDlaColumnLsb, byte / kWordBytes) >> byte % kWordBytes * 8);
  }

  std::map<uint32_t, uint8_t> written() const {
    std::map<uint32_t, uint8_t> bytes;
    for (uint32_t f = 0; f < filters; ++f) {
      for (uint32_t r = 0; r < e; ++r) {
        for (uint32_t col = 0; col < ofmap.cols; ++col) {
          bytes[dla_row_addr(&ofmap, filter + f, row + r) + col] = adds ? addend(f, r, col) : output(f, r, col);
        }
      }
    }
    return bytes;
  }
};

class Store : public UnitBench<Vdla_store> {
 protected:
  Store() { reset(); }

  uint32_t between(uint32_t first, uint32_t last) {
    return first + static_cast<uint32_t>(source() % (last - first + 1));
  }

  dla_planes any_planes(bool on_chip, uint32_t rows, uint32_t cols, bool is_whole) {
    dla_planes planes{};
    planes.on_chip = on_chip;
    planes.rows = rows;
    planes.cols = cols;
    planes.columns = on_chip ? kColumns : 1;
    planes.plane_rows = between(0, 1) == 0 ? rows : rows + between(1, 9);
    if (is_whole) {
      planes.plane_rows = (planes.plane_rows + kWordBytes - 1) / kWordBytes * kWordBytes;
    }
    const uint32_t bytes = planes.plane_rows * cols;
    planes.stride = on_chip ? (bytes + kWordBytes - 1) / kWordBytes * kWordBytes : bytes;
    planes.addr =
        on_chip ? between(0, kColumns - 1) << kDlaColumnLsb | between(0, 2000) * kWordBytes : between(0, 100000);
    const bool wraps = on_chip && bytes % kWordBytes == 0;
    planes.first_row = on_chip ? between(0, wraps ? planes.plane_rows - 1 : planes.plane_rows - rows) : 0;
    return planes;
  }

  /// \param adds  Something that is on chip, whose words are those of the ofmap's beats then.
  Tile any_tile(bool on_chip, bool adds) {
    Tile tile{};
    const uint32_t rows = between(1, 12), cols = between(1, 20);
    tile.adds = adds;
    tile.ofmap = any_planes(on_chip, rows, cols, adds);
    tile.residual = any_planes(true, rows, cols, true);
    if (adds) {
      const uint32_t ahead = (tile.residual.first_row - tile.ofmap.first_row) * cols;
      tile.ofmap.addr = on_chip ? tile.ofmap.addr : tile.ofmap.addr / kWordBytes * kWordBytes + ahead % kWordBytes;
      if (on_chip) {
        tile.residual.first_row = tile.ofmap.first_row % kWordBytes;
      }
    }
    tile.p = between(1, 3);
    tile.filters = between(1, 9);
    tile.filter = between(0, 50);
    tile.row = between(0, rows - 1);
    tile.e = between(1, std::min(8u, rows - tile.row));
    return tile;
  }

  void set(const Tile& tile) {
    dla_layer layer{};
    layer.shape.residual = tile.adds;
    layer.shape.residual_on_chip = true;
    layer.shape.ofmap_on_chip = tile.ofmap.on_chip;
    layer.quant.conv_scale = 1.0f / (1ull << 40);
    layer.quant.residual_scale = 1.0f;
    set_layer(unit.layer_i, layer);
    set_bits(unit.derived_i, kOfmapRows, 13, tile.ofmap.rows);
    set_bits(unit.derived_i, kOfmapCols, 13, tile.ofmap.cols);
    set_bits(unit.derived_i, kRowWords, 13, tile.row_words());
    set_bits(unit.derived_i, kOfmapStride, 25, tile.ofmap.stride);
    set_bits(unit.derived_i, kResidualStride, 25, tile.residual.stride);
    set_bits(unit.derived_i, kDense, 1, !tile.ofmap.on_chip && tile.ofmap.plane_rows == tile.ofmap.rows && !tile.adds);
    const uint32_t residual = dla_row_addr(&tile.residual, tile.filter, tile.row);
    set_bits(unit.tiles_i, 0, 6, rows_left(tile.residual, tile.row));
    set_bits(unit.tiles_i, 6, 16, (residual & 0xffffff) / kWordBytes);
    set_bits(unit.tiles_i, 22, 5, residual >> kDlaColumnLsb);
    set_bits(unit.tiles_i, 27, 6, rows_left(tile.ofmap, tile.row));
    set_bits(unit.tiles_i, 33, 32, dla_row_addr(&tile.ofmap, tile.filter, tile.row));
    set_bits(unit.tiles_i, 65, 16, tile.p * tile.row_words());
    set_bits(unit.tiles_i, 94, 6, tile.p);
    set_bits(unit.tiles_i, 100, 6, tile.e);
    set_bits(unit.tiles_i, 106, 9, tile.filters);
    set_bits(unit.tiles_i, 115, 1, 1);
  }

  static uint32_t rows_left(const dla_planes& planes, uint32_t row) {
    const uint32_t at = planes.first_row + row;
    return std::min(63u, planes.plane_rows - (at < planes.plane_rows ? at : at - planes.plane_rows));
  }

  /// What is written of a tile, by bursts that are answered some cycles behind their last beat.
  std::map<uint32_t, uint8_t> write(uint32_t pauses) {
    unit.clear_i = 1;
    cycle();
    unit.clear_i = 0;
    unit.tile_valid_i = 1;
    cycle();
    unit.tile_valid_i = 0;
    std::map<uint32_t, uint8_t> bytes;
    struct Burst {
      uint32_t addr, beats, sent;
    };
    std::deque<Burst> open;
    uint32_t answers = 0, tile_word = 0, chip_word = 0;
    counted_bursts = counted_bytes = 0;
    for (int i = 0; i < 5000 && unit.done_o == 0; ++i) {
      unit.awready_i = between(0, pauses) == 0;
      unit.wready_i = between(0, pauses) == 0;
      unit.bvalid_i = answers != 0 && between(0, pauses) == 0;
      unit.glb_data_i[0] = tile_word;
      unit.residual_data_i = chip_word;
      unit.clk_i = 0;
      unit.eval();
      counted_bursts += unit.burst_o;
      counted_bytes += unit.bytes_o;
      answers -= unit.bvalid_i;
      if (unit.wvalid_o != 0 && unit.wready_i != 0) {
        Burst& burst = open.front();
        for (uint32_t k = 0; k < kWordBytes; ++k) {
          if ((unit.wstrb_o >> k & 1) != 0) {
            const bool is_new =
                bytes.emplace(burst.addr + burst.sent * kWordBytes + k, static_cast<uint8_t>(unit.wdata_o >> 8 * k))
                    .second;
            EXPECT_TRUE(is_new);
          }
        }
        ++burst.sent;
        EXPECT_EQ(unit.wlast_o != 0, burst.sent == burst.beats);
        if (burst.sent == burst.beats) {
          open.pop_front();
          ++answers;
        }
      }
      if (unit.awvalid_o != 0 && unit.awready_i != 0) {
        open.push_back({unit.awaddr_o, unit.awlen_o + 1u, 0});
      }
      tile_word = unit.glb_read_o != 0 ? word_of_tile(unit.glb_addr_o) : tile_word;
      EXPECT_EQ(unit.residual_read_o, 0);
      const uint32_t at = unit.chip_word_o;
      chip_word = unit.chip_read_o != 0 ? word_on_chip(at >> 16, at & 0xffff) : chip_word;
      unit.clk_i = 1;
      unit.eval();
    }
    unit.bvalid_i = 0;
    EXPECT_EQ(unit.done_o, 1);
    return bytes;
  }

  void compare(bool on_chip, bool adds) {
    for (int i = 0; i < 2000 && !HasFailure(); ++i) {
      const Tile tile = any_tile(on_chip, adds);
      set(tile);
      const std::map<uint32_t, uint8_t> bytes = write(between(0, 2));
      ASSERT_EQ(bytes, tile.written()) << "tile " << i;
      ASSERT_EQ(counted_bytes, on_chip ? 0 : bytes.size());
      ASSERT_EQ(counted_bursts != 0, !on_chip);
    }
  }

  std::mt19937 source{1};
  size_t counted_bytes = 0, counted_bursts = 0;
};

TEST_F(Store, WritesATileToDram) { compare(false, false); }

TEST_F(Store, WritesATileOnChip) { compare(true, false); }

TEST_F(Store, AddsWhatLiesOnChip) { compare(false, true); }

TEST_F(Store, AddsOnChipWhatLiesThere) { compare(true, true); }

}  // namespace
}  // namespace fovea
