// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the lengths of dla_pass_lengths those of docs/timing.md, four cycles after the start? Of a 64x64 array with two
/// psum lanes.
#include <algorithm>
#include <random>

#include "Vdla_pass_lengths.h"
#include "packed_bits.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kLanes = 2;

/// Of derived_t in dla_pkg.sv: F and segment_rows.
constexpr uint32_t kF = 372, kSegmentRows = 273;

uint32_t up(uint32_t dividend, uint32_t divisor) { return (dividend + divisor - 1) / divisor; }

/// What of the layer and of its mapping a pass uses.
struct Pass {
  uint32_t S, U, V, pad_left, F, segment_rows, products, pixel_words, t, p, rows, e;
  bool first_k;
};

class PassLengths : public UnitBench<Vdla_pass_lengths> {
 protected:
  PassLengths() { reset(); }

  void work_out(const Pass& pass) {
    dla_layer layer{};
    layer.shape.S = pass.S;
    layer.shape.U = pass.U;
    layer.shape.V = pass.V;
    layer.shape.pad_left = pass.pad_left;
    set_layer(unit.layer_i, layer);
    set_bits(unit.derived_i, kF, 13, pass.F);
    set_bits(unit.derived_i, kSegmentRows, 7, pass.segment_rows);
    unit.t_i = static_cast<uint8_t>(pass.t);
    unit.p_i = static_cast<uint8_t>(pass.p);
    unit.rows_i = static_cast<uint8_t>(pass.rows);
    unit.e_i = static_cast<uint8_t>(pass.e);
    unit.products_i = static_cast<uint8_t>(pass.products);
    unit.pixel_words_i = static_cast<uint16_t>(pass.pixel_words);
    unit.first_k_i = pass.first_k;
    cycle();
    unit.start_i = 1;
    cycle();
    unit.start_i = 0;
    for (int i = 1; i < 4; ++i) {
      cycle();
    }
  }
};

TEST_F(PassLengths, AreThoseOfTheTimingPage) {
  std::mt19937 source(1);
  const auto between = [&](uint32_t first, uint32_t last) {
    return first + static_cast<uint32_t>(source()) % ((last - first + 1) >> source() % 4 | 1);
  };
  for (int i = 0; i < 5000; ++i) {
    Pass pass{};
    pass.S = between(1, 11);
    pass.U = between(1, 4);
    pass.V = between(1, 4);
    pass.pad_left = source() % 2 == 0 ? 0 : between(1, 10);
    pass.F = source() % 2 == 0 ? between(1, 4)
                               : between(1, 4095);  // Few columns are what psums may have to be waited for in.
    pass.products = between(1, 28);
    pass.p = between(1, 63);
    pass.e = between(1, 63);
    pass.t = between(1, 63);
    pass.rows = between(1, 11);
    pass.segment_rows = std::min(between(1, 64 / pass.rows), 64 / pass.rows) * pass.rows;
    pass.pixel_words = between(1, 40);
    pass.first_k = source() % 2 == 0;
    work_out(pass);
    const uint32_t psums = pass.e * pass.t, words = up(psums, kLanes), slot = std::max(pass.products, words);
    const uint32_t ifmap_rows = (pass.e - 1) * std::min(pass.U, pass.rows) + pass.rows;
    const uint32_t column = ifmap_rows * pass.pixel_words;
    const bool wait = !pass.first_k && (pass.F * pass.p - 1) * slot < pass.segment_rows + 3;
    ASSERT_EQ(bits_of(unit.lengths_o, 77, 13), psums) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 64, 13), words) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 51, 13), slot) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 35, 16), (pass.p * slot) & 0xffff) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 18, 17), column * std::min(pass.S, pass.V)) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 1, 17), column * (pass.S - std::min(pass.pad_left, pass.S - 1))) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 0, 1), wait) << "pass " << i;
  }
}

}  // namespace
}  // namespace fovea
