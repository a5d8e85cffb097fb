// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is dla_add dla_add_u8(), bit for bit, a sum a cycle? Scales and offsets of all exponents that matter to it, for
/// every kind of operands: sums between the bounds and beyond, ties, terms that vanish beside others or cancel.
#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <random>

#include "Vdla_add.h"
#include "spec/dla_requant.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr size_t kStages = 12;

class Add : public UnitBench<Vdla_add> {
 protected:
  uint32_t any() { return static_cast<uint32_t>(source_()); }

  /// Of 2^least to 2^most; every third has few bits, so that ties are met.
  float draw(int least, int most) {
    const uint32_t fraction = any() % 3 == 0 ? any() % 4 * 0x200000u : any() & 0x7fffffu;
    return std::ldexp(std::bit_cast<float>(127u << 23 | fraction),
                      least + static_cast<int>(any() % static_cast<uint32_t>(most - least + 1)));
  }

  void set(const dla_addition& by, uint8_t lowest, uint8_t highest) {
    unit.a_scale_i = std::bit_cast<uint32_t>(by.ra);
    unit.b_scale_i = std::bit_cast<uint32_t>(by.rb);
    unit.offset_i = std::bit_cast<uint32_t>(by.fx);
    unit.rounding_i = by.rounding;
    unit.lowest_i = lowest;
    unit.highest_i = highest;
  }

  /// Of 2,000 pairs of operands in a row.
  void expect_sums(const dla_addition& by, uint8_t lowest, uint8_t highest) {
    set(by, lowest, highest);
    std::deque<uint8_t> expected;
    for (int i = 0; i < 2000; ++i) {
      const auto a = static_cast<uint8_t>(any() % 8 == 0 ? 0 : any()),
                 b = static_cast<uint8_t>(any() % 8 == 0 ? 0 : any());
      unit.a_i = a;
      unit.b_i = b;
      expected.push_back(std::min(dla_add_u8(a, b, &by, lowest), highest));
      cycle();
      if (expected.size() == kStages) {
        ASSERT_EQ(unit.sum_o, expected.front()) << "by " << by.ra << ", " << by.rb << ", " << by.fx;
        expected.pop_front();
      }
    }
  }

  std::mt19937 source_{std::mt19937::default_seed};
};

/// As a compiler derives them from scales and zero points.
TEST_F(Add, OfQuantizedOperands) {
  unit.enable_i = 1;
  for (int i = 0; i < 400; ++i) {
    dla_addition by;
    const auto zero_point = static_cast<uint8_t>(any());
    ASSERT_TRUE(dla_derive_addition(draw(-8, 0), static_cast<uint8_t>(any()), draw(-8, 0), static_cast<uint8_t>(any()),
                                    draw(-8, 0), zero_point, i % 4 == 0 ? kDlaFloor : kDlaNearestEven, &by));
    const uint8_t lowest = i % 2 == 0 ? 0 : zero_point;
    expect_sums(by, lowest, std::max(lowest, static_cast<uint8_t>(i % 3 == 0 ? 255 - any() % 64 : 255)));
  }
}

TEST_F(Add, OfAnyScalesAndOffset) {
  unit.enable_i = 1;
  for (int i = 0; i < 1000; ++i) {
    const int range = i % 2 == 0 ? 6 : 40;
    dla_addition by{draw(-range, range), draw(-range, range), i % 7 == 0 ? 0 : draw(-range, range), kDlaNearestEven};
    by.fx = any() % 2 == 0 ? by.fx : -by.fx;
    // An offset that some multiple of a scale cancels, or nearly.
    by.fx = i % 5 == 0 ? -by.rb * static_cast<float>(any() % 256) : by.fx;
    by.rounding = i % 3 == 0 ? kDlaFloor : kDlaNearestEven;
    expect_sums(by, 0, 255);
  }
}

}  // namespace
}  // namespace fovea
