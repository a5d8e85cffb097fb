// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_chip_extent say where a tensor on chip lies, and whether the GLB has all of it? Beside dla_banks_of().
///
/// A GLB of GLB_BYTES in banks of BANK_BYTES, of words of BUS_BYTES, whose ifmap region has COLUMNS columns.
#include <algorithm>
#include <random>

#include "Vdla_chip_extent.h"
#include "packed_bits.h"
#include "spec/dla_planes.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kColumnBytes = GLB_BYTES / BANK_BYTES / COLUMNS * BANK_BYTES;

dla_machine machine() {
  dla_machine machine{};
  machine.glb_bytes = GLB_BYTES;
  machine.glb_bank_bytes = BANK_BYTES;
  machine.bus_bytes = BUS_BYTES;
  machine.ifmap_bytes_per_cycle = COLUMNS;
  return machine;
}

class ChipExtent : public UnitBench<Vdla_chip_extent> {
 protected:
  ChipExtent() { reset(); }

  void look_at(uint32_t addr, uint32_t bytes) {
    unit.addr_i = addr;
    unit.bytes_i = bytes;
    unit.enable_i = 1;
    cycle();
  }

  // Of extent_t in dla_pkg.sv.
  bool in_glb() const { return bits_of(unit.extent_o, 80, 1) != 0; }
  uint32_t first_byte() const { return bits_of(unit.extent_o, 56, 24); }
  uint32_t end_byte() const { return bits_of(unit.extent_o, 32, 24); }
  uint32_t banks() const { return bits_of(unit.extent_o, 16, 16); }
  uint32_t base_bank() const { return bits_of(unit.extent_o, 0, 16); }
};

TEST_F(ChipExtent, IsWhereTheTensorLies) {
  const dla_machine of = machine();
  std::mt19937 source(1);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(source() % end); };
  uint32_t inside = 0, outside = 0;
  for (int i = 0; i < 20000; ++i) {
    dla_planes planes{};
    planes.on_chip = true;
    planes.columns = COLUMNS;
    planes.stride = (1 + below(source() % 2 == 0 ? 8 : kColumnBytes / BUS_BYTES)) * BUS_BYTES;
    planes.channels = 1 + below(source() % 2 == 0 ? 4 : 4 * COLUMNS);
    const uint32_t column = below(COLUMNS), in_column = (column + planes.channels + COLUMNS - 1) / COLUMNS;
    const uint32_t bytes = in_column * planes.stride;
    // At its end, or anywhere.
    const uint32_t last = kColumnBytes - std::min(bytes, kColumnBytes);
    const uint32_t byte = source() % 4 == 0 ? last : below(kColumnBytes / BUS_BYTES) * BUS_BYTES;
    planes.addr = column << kDlaColumnLsb | byte;
    look_at(planes.addr, bytes);
    const bool fits = byte + bytes <= kColumnBytes;
    ASSERT_EQ(in_glb(), fits) << bytes << " bytes at " << byte << " of column " << column;
    (fits ? inside : outside) += 1;
    if (fits) {
      const dla_region banks_of = dla_banks_of(&of, &planes);
      ASSERT_EQ(base_bank() * BANK_BYTES, banks_of.base_bytes);
      ASSERT_EQ(banks() * BANK_BYTES, banks_of.size_bytes);
      ASSERT_EQ(first_byte(), byte);
      ASSERT_EQ(end_byte(), byte + bytes);
    }
  }
  EXPECT_GT(inside, 1000u);
  EXPECT_GT(outside, 1000u);
}

TEST_F(ChipExtent, IsNotInTheGlbWhereItIsTooLargeOrNotAWordOfAColumn) {
  look_at(0, kColumnBytes);
  EXPECT_TRUE(in_glb());
  look_at(0, kColumnBytes + BUS_BYTES);
  EXPECT_FALSE(in_glb());
  look_at(0, UINT32_MAX);
  EXPECT_FALSE(in_glb());
  look_at(0xffffff & ~(BUS_BYTES - 1u), UINT32_MAX);
  EXPECT_FALSE(in_glb());
  look_at(1, BUS_BYTES);
  EXPECT_FALSE(in_glb());
  look_at((COLUMNS - 1u) << kDlaColumnLsb, BUS_BYTES);
  EXPECT_TRUE(in_glb());
  look_at(uint32_t{COLUMNS} << kDlaColumnLsb, BUS_BYTES);
  EXPECT_FALSE(in_glb());
  look_at(0xff000000, BUS_BYTES);
  EXPECT_FALSE(in_glb());
}

TEST_F(ChipExtent, StaysWhereNothingIsSetUp) {
  look_at(0, BUS_BYTES);
  unit.enable_i = 0;
  unit.addr_i = 0xff000000;
  cycle();
  EXPECT_TRUE(in_glb());
}

}  // namespace
}  // namespace fovea
