// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is dla_requant dla_output() of a shift, bit for bit? Both roundings, every shift, sums around every halfway point.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "Vdla_requant.h"
#include "rtl/coverage_count.h"
#include "spec/dla_output.h"

namespace fovea {
namespace {

/// Sums next to the clamps, the ends of int32, and the ties of `shift`; and some at random.
std::vector<int32_t> sums_for(uint32_t shift, std::mt19937& source) {
  std::vector<int32_t> sums = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MIN + 1};
  const int64_t unit = int64_t{1} << shift;
  for (int64_t quotient : {-257, -129, -128, -2, -1, 0, 1, 2, 126, 127, 128, 254, 255, 256}) {
    for (int64_t rest : {int64_t{0}, int64_t{1}, unit / 2 - 1, unit / 2, unit / 2 + 1, unit - 1}) {
      sums.push_back(static_cast<int32_t>(quotient * unit + rest));
    }
  }
  for (int i = 0; i < 200; ++i) {
    sums.push_back(static_cast<int32_t>(source()) >> source() % 32);
  }
  return sums;
}

TEST(Requant, IsTheSpecificationsForEverySetting) {
  Vdla_requant unit;
  const CoverageCount count(*unit.contextp());
  std::mt19937 source(1);
  for (uint32_t setting = 0; setting < 32 * 6; ++setting) {
    const uint32_t shift = setting % 32;
    const auto rounding = static_cast<dla_rounding>(setting / 32 % 2);
    // Unbounded, with a lower bound, with both.
    const auto lowest = static_cast<uint8_t>(setting / 64 == 0 ? 0 : source() % 200);
    const auto headroom = static_cast<uint8_t>(setting / 64 == 2 ? source() % 56 : 0);
    for (const int32_t sum : sums_for(shift, source)) {
      for (const uint32_t zero_point : {0u, 1u, 128u, 255u}) {
        unit.psum_i = static_cast<uint32_t>(sum);
        unit.shift_i = static_cast<uint8_t>(shift);
        unit.rounding_i = rounding;
        unit.lowest_i = lowest;
        unit.highest_i = static_cast<uint8_t>(255 - headroom);
        unit.zero_point_i = static_cast<uint8_t>(zero_point);
        unit.eval();
        dla_quant quant{};
        quant.shift = shift;
        quant.rounding = rounding;
        quant.lowest = lowest;
        quant.headroom = headroom;
        quant.ofmap_zero_point = static_cast<uint8_t>(zero_point);
        ASSERT_EQ(unit.activation_o, dla_output(sum, &quant, false, 0))
            << sum << " >> " << shift << ", rounding " << rounding << ", from " << int{lowest} << ", headroom "
            << int{headroom} << ", zero point " << zero_point;
      }
    }
  }
}

}  // namespace
}  // namespace fovea
