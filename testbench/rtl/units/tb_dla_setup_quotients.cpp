// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the six quotients of dla_setup_quotients those of the layer, 60 cycles after the start?
#include <algorithm>
#include <random>

#include "Vdla_setup_quotients.h"
#include "spec/dla_fields.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr int kCycles = 60;

/// quotients_t of dla_pkg.sv.
struct Quotients {
  uint32_t rows, columns, filters_high, strips, chunks, groups;
};

class SetupQuotients : public UnitBench<Vdla_setup_quotients> {
 protected:
  SetupQuotients() {
    machine.glb_bank_bytes = 1024;
    reset();
  }

  void start(const dla_layer& layer, uint32_t sets_high, uint32_t chunk_channels, uint32_t pass_filters) {
    uint32_t words[DLA_LAYER_WORDS];
    ASSERT_TRUE(dla_pack_layer(&machine, &layer, words));
    for (uint32_t i = 0; i < DLA_LAYER_WORDS; ++i) {
      unit.layer_i[i] = words[i];
    }
    unit.sets_high_i = static_cast<uint8_t>(sets_high);
    unit.chunk_channels_i = static_cast<uint16_t>(chunk_channels);
    unit.pass_filters_i = static_cast<uint16_t>(pass_filters);
    unit.start_i = 1;
    cycle();
    unit.start_i = 0;
  }

  /// Fields of the packed struct, the last in the lowest bits.
  Quotients quotients() const {
    uint32_t lsb = 0;
    const auto next = [&](uint32_t width) {
      uint32_t value = 0;
      for (uint32_t i = 0; i < width; ++i, ++lsb) {
        value |= (unit.quotients_o[lsb / 32] >> lsb % 32 & 1) << i;
      }
      return value;
    };
    Quotients q{};
    q.groups = next(16);
    q.chunks = next(16);
    q.strips = next(13);
    q.filters_high = next(7);
    q.columns = next(13);
    q.rows = next(13);
    return q;
  }

  dla_machine machine{};
};

uint32_t up(uint32_t dividend, uint32_t divisor) { return (dividend + divisor - 1) / divisor; }

TEST_F(SetupQuotients, AreThoseOfTheLayerInTheirCycles) {
  std::mt19937 source(1);
  const auto between = [&](uint32_t first, uint32_t last) {
    return first + static_cast<uint32_t>(source()) % ((last - first + 1) >> source() % 4 | 1);
  };
  for (int i = 0; i < 2000; ++i) {
    dla_layer layer{};
    dla_shape& s = layer.shape;
    s.pad_top = between(0, 10);
    s.pad_left = between(0, 10);
    s.pad_bottom = between(0, 10);
    s.pad_right = between(0, 10);
    s.R = between(1, 12);
    s.S = between(1, 12);
    s.U = between(1, 4);
    s.V = between(1, 4);
    s.H = between(s.R, 4000);
    s.W = between(s.S, 4000);
    s.C = between(1, 60'000);
    s.M = between(1, 60'000);
    dla_mapping& mapping = layer.mapping;
    mapping.m = between(1, 60'000);
    mapping.e = between(1, 31);
    mapping.e_glb = between(mapping.e, 4000);
    mapping.r = between(1, 15);
    mapping.g = source() % 4 == 0 ? between(1, 31) : 0;
    const uint32_t sets_high = between(mapping.r, 31), chunk = between(1, 8191), filters = between(1, 511);
    start(layer, sets_high, chunk, filters);
    for (int c = 0; c < kCycles; ++c) {
      ASSERT_EQ(unit.done_o, 0) << "cycle " << c;
      cycle();
    }
    ASSERT_EQ(unit.done_o, 1);
    const Quotients q = quotients();
    ASSERT_EQ(q.rows, (s.pad_top + s.H + s.pad_bottom - s.R) / s.U + 1);
    ASSERT_EQ(q.columns, (s.pad_left + s.W + s.pad_right - s.S) / s.V + 1);
    ASSERT_EQ(q.filters_high, sets_high / mapping.r);
    ASSERT_EQ(q.strips, up(mapping.e_glb, mapping.e));
    ASSERT_EQ(q.chunks, up(s.C, chunk));
    ASSERT_EQ(q.groups, up(mapping.g != 0 ? mapping.m : std::min(mapping.m, s.M), filters));
  }
}

TEST_F(SetupQuotients, ForgetALayerThatIsCleared) {
  start(dla_layer{}, 1, 1, 1);
  cycle();
  EXPECT_EQ(unit.done_o, 0);
  unit.clear_i = 1;
  cycle();
  unit.clear_i = 0;
  EXPECT_EQ(unit.done_o, 1);
}

}  // namespace
}  // namespace fovea
