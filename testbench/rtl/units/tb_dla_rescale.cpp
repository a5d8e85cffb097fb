// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is dla_rescale dla_apply_scale(), bit for bit, a psum a cycle? Scales of all exponents, psums of all sizes, ties of
/// each of the three roundings, overflow.
#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <random>

#include "Vdla_rescale.h"
#include "spec/dla_output.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr size_t kStages = 6, kScaleAfter = 2;

class Rescale : public UnitBench<Vdla_rescale> {
 protected:
  struct Case {
    int32_t psum;
    uint32_t scale_bits;
  };

  uint32_t any() { return static_cast<uint32_t>(source_()); }

  /// Of any size.
  int32_t draw_psum() { return static_cast<int32_t>(any()) >> any() % 32; }

  /// Positive and finite, subnormal ones among them; every other one such that outputs of the psum may lie in uint8.
  float draw_scale(int32_t psum) {
    const uint32_t fraction = any() % 3 == 0 ? any() % 2 * 0x400000u : any() & 0x7fffffu;
    if (any() % 2 == 0) {
      const uint32_t bits = any() % 255 << 23 | fraction;
      return std::bit_cast<float>(bits == 0 ? 1u : bits);
    }
    const int size = psum == 0 ? 0 : std::ilogb(static_cast<double>(psum));
    return std::ldexp(std::bit_cast<float>(127u << 23 | fraction), static_cast<int>(any() % 12) - 2 - size);
  }

  /// One of the psums whose product with the scale is next to a half, if there are any.
  int32_t draw_near_tie(float scale) {
    const double psum = (static_cast<int>(any() % 512) - 256 + 0.5) / scale;
    return std::abs(psum) < 2.1e9 ? static_cast<int32_t>(std::nearbyint(psum)) + static_cast<int32_t>(any() % 3) - 1
                                  : draw_psum();
  }

  /// One whose last bits are a tie of 24 bits, or next to it.
  int32_t draw_wide() {
    const int dropped = 1 + static_cast<int>(any() % 7);
    const int64_t half = int64_t{1} << (dropped - 1);
    const int64_t kept = (int64_t{1} << 23) + (any() & 0x7fffffu);
    const int64_t psum = (kept << dropped) + half + static_cast<int64_t>(any() % 3) - 1;
    return static_cast<int32_t>(any() % 2 == 0 ? psum : -psum);
  }

  Case draw() {
    int32_t psum = any() % 4 == 0 ? draw_wide() : draw_psum();
    const float scale = draw_scale(psum);
    psum = any() % 3 == 0 ? draw_near_tie(scale) : psum;
    return {psum, std::bit_cast<uint32_t>(scale)};
  }

  void set(dla_rounding rounding) {
    unit.rounding_i = rounding;
    unit.zero_point_i = static_cast<uint8_t>(any() % 3 == 0 ? 0 : any());
    const auto one = static_cast<uint8_t>(any()), other = static_cast<uint8_t>(any());
    const bool is_free = any() % 2 == 0;
    unit.lowest_i = is_free ? 0 : std::min(one, other);
    unit.highest_i = is_free ? 255 : std::max(one, other);
  }

  uint8_t expected(const Case& of) const {
    const uint8_t free = dla_apply_scale(of.psum, dla_stream_scale(of.scale_bits),
                                         static_cast<dla_rounding>(unit.rounding_i), false, unit.zero_point_i);
    return std::clamp<uint8_t>(free, unit.lowest_i, unit.highest_i);
  }

  /// Gives the next psum, with the scale of the one that needs it now, and checks the activation that comes out.
  void push(const Case& next) {
    flying_.push_back(next);
    unit.enable_i = 1;
    unit.psum_i = static_cast<uint32_t>(next.psum);
    if (flying_.size() > kScaleAfter) {
      unit.scale_i = flying_[flying_.size() - 1 - kScaleAfter].scale_bits & 0x7fffffffu;
    }
    cycle();
    if (flying_.size() == kStages) {
      const Case of = flying_.front();
      ASSERT_EQ(unit.activation_o, expected(of))
          << of.psum << " * " << std::bit_cast<float>(of.scale_bits) << ", rounding " << int{unit.rounding_i}
          << ", zero point " << int{unit.zero_point_i};
      flying_.pop_front();
    }
  }

  std::mt19937 source_{1};
  std::deque<Case> flying_;
};

TEST_F(Rescale, IsTheSpecificationsForScalesAndPsumsOfAllSizes) {
  for (int layer = 0; layer < 2000 && !HasFailure(); ++layer) {
    set(layer % 2 == 0 ? kDlaNearestEven : kDlaFloor);
    flying_.clear();
    for (int i = 0; i < 1000 && !HasFailure(); ++i) {
      push(draw());
    }
  }
}

TEST_F(Rescale, TakesEachEndOfItsNumbers) {
  for (const dla_rounding rounding : {kDlaNearestEven, kDlaFloor}) {
    set(rounding);
    flying_.clear();
    for (const int32_t psum :
         {0, 1, -1, 2, (1 << 24) - 2, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, INT32_MAX, INT32_MIN, INT32_MIN + 1}) {
      for (uint32_t exponent = 0; exponent < 255 && !HasFailure(); ++exponent) {
        // 2^24 - 2 times 1 + 2^-23 is rounded up to a power of two.
        for (const uint32_t fraction : {0u, 1u, 0x3fffffu, 0x400000u, 0x7fffffu}) {
          push({psum, exponent == 0 && fraction == 0 ? 1u : exponent << 23 | fraction});
        }
      }
    }
  }
}

/// What no layer register holds, but a filter stream may.
TEST_F(Rescale, TakesAnyBitsForAScale) {
  for (const dla_rounding rounding : {kDlaNearestEven, kDlaFloor}) {
    set(rounding);
    flying_.clear();
    for (int i = 0; i < 10000 && !HasFailure(); ++i) {
      const uint32_t bits[] = {any(), 0, 0x80000000u, 0x7f800000u, 0x7f800000u | any()};
      push({draw_psum(), bits[any() % 5]});
    }
  }
}

TEST_F(Rescale, DrawsEnoughTies) {
  int psum_ties = 0, product_ties = 0, output_ties = 0;
  for (int i = 0; i < 200000; ++i) {
    const Case of = draw();
    const auto psum = static_cast<double>(of.psum);
    const double rounded = static_cast<float>(of.psum), scale = std::bit_cast<float>(of.scale_bits);
    const double product = rounded * scale, output = static_cast<float>(product);
    const auto is_tie = [](double exact, double to) {
      const double other = exact + (exact - to);
      return exact != to && static_cast<double>(static_cast<float>(other)) == other;
    };
    psum_ties += is_tie(psum, rounded) ? 1 : 0;
    product_ties += is_tie(product, output) ? 1 : 0;
    output_ties += std::abs(output) < 256 && output - std::floor(output) == 0.5 ? 1 : 0;
  }
  EXPECT_GT(psum_ties, 1000);
  EXPECT_GT(product_ties, 1000);
  EXPECT_GT(output_ties, 1000);
}

}  // namespace
}  // namespace fovea
