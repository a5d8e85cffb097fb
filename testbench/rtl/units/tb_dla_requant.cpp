// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is dla_requant dla_requantize(), bit for bit? Both roundings, every shift, sums around every halfway point.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "Vdla_requant.h"
#include "rtl/coverage_count.h"
#include "spec/dla_arith.h"

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
  for (uint32_t setting = 0; setting < 32 * 4; ++setting) {
    const uint32_t shift = setting % 32;
    const auto rounding = static_cast<dla_rounding>(setting / 32 % 2);
    const bool relu = setting / 64 != 0;
    for (const int32_t sum : sums_for(shift, source)) {
      for (const uint32_t zero_point : {0u, 1u, 128u, 255u}) {
        unit.psum_i = static_cast<uint32_t>(sum);
        unit.shift_i = static_cast<uint8_t>(shift);
        unit.rounding_i = rounding;
        unit.relu_i = relu;
        unit.zero_point_i = static_cast<uint8_t>(zero_point);
        unit.eval();
        ASSERT_EQ(unit.activation_o, dla_requantize(sum, shift, rounding, relu, static_cast<uint8_t>(zero_point)))
            << sum << " >> " << shift << ", rounding " << rounding << ", relu " << relu << ", zero point "
            << zero_point;
      }
    }
  }
}

}  // namespace
}  // namespace fovea
