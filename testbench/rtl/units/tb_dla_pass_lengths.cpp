// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the lengths of dla_pass_lengths those of docs/timing.md, four cycles after the start? Two psum lanes, ifmap
/// words of four bytes.
#include <algorithm>
#include <random>

#include "Vdla_pass_lengths.h"
#include "packed_bits.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kLanes = 2, kIfmapBytes = 4;

/// Of derived_t in dla_pkg.sv: F and segment_rows.
constexpr uint32_t kF = 354, kSegmentRows = 299;

uint32_t up(uint32_t dividend, uint32_t divisor) { return (dividend + divisor - 1) / divisor; }

/// What of the layer and of its mapping a pass uses.
struct Pass {
  uint32_t S, U, V, F, segment_rows, r, q, t, p, rows, e;
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
    set_layer(unit.layer_i, layer);
    set_bits(unit.derived_i, kF, 13, pass.F);
    set_bits(unit.derived_i, kSegmentRows, 5, pass.segment_rows);
    unit.r_i = static_cast<uint8_t>(pass.r);
    unit.q_i = static_cast<uint8_t>(pass.q);
    unit.t_i = static_cast<uint8_t>(pass.t);
    unit.p_i = static_cast<uint8_t>(pass.p);
    unit.rows_i = static_cast<uint8_t>(pass.rows);
    unit.e_i = static_cast<uint8_t>(pass.e);
    unit.qs_i = static_cast<uint8_t>(pass.q * pass.S);
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
    pass.F = between(1, 4095);
    pass.q = between(1, 28 / pass.S);
    pass.p = between(1, 63);
    pass.e = between(1, 31);
    pass.t = between(1, 31);
    pass.rows = between(1, 11);
    pass.r = between(1, 31 / pass.rows);
    pass.segment_rows = pass.r * pass.rows;
    pass.first_k = source() % 2 == 0;
    work_out(pass);
    const uint32_t psums = pass.e * pass.t, words = up(psums, kLanes), slot = std::max(pass.q * pass.S, words);
    const uint32_t ifmap_rows = (pass.e - 1) * std::min(pass.U, pass.rows) + pass.rows;
    const uint32_t column = ifmap_rows * up(pass.q * pass.r, kIfmapBytes);
    const bool wait = !pass.first_k && (pass.F * pass.p - 1) * slot < pass.segment_rows + 3;
    ASSERT_EQ(bits_of(unit.lengths_o, 69, 10), psums) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 59, 10), words) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 49, 10), slot) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 33, 16), pass.p * slot) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 17, 16), column * std::min(pass.S, pass.V)) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 1, 16), column * pass.S) << "pass " << i;
    ASSERT_EQ(bits_of(unit.lengths_o, 0, 1), wait) << "pass " << i;
  }
}

}  // namespace
}  // namespace fovea
