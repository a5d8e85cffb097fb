// SPDX-License-Identifier: Apache-2.0
/// \file
/// The formulas for scales of any kind against the math library and against wider types rounded once, bit for bit.
#include "dla_requant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr dla_rounding kRoundings[] = {kDlaNearestEven, kDlaFloor};

/// A float32 operation: the result of a wider type, rounded. For a product that type holds it exactly; for a quotient
/// 64 bits are more than twice 24 and two, so that rounding twice is rounding once.
float product(float x, float y) { return static_cast<float>(static_cast<long double>(x) * y); }
float quotient(float x, float y) { return static_cast<float>(static_cast<long double>(x) / y); }

/// clamp(round(x) + zero_point, lowest, 255), the rounding by the math library.
int round_u8(float x, dla_rounding rounding, int zero_point, int lowest) {
  const double rounded = rounding == kDlaFloor ? std::floor(double{x}) : std::nearbyint(double{x});
  return static_cast<int>(std::clamp(rounded + zero_point, static_cast<double>(lowest), 255.0));
}

/// Draws scales and zero points; every third scale is a small multiple of a power of two, which makes ties.
class Draws {
 public:
  float scale() {
    const int exponent = static_cast<int>(random_() % 12) - 10;
    const float significand = random_() % 3 == 0 ? static_cast<float>(1 + random_() % 7) / 4
                                                 : 1 + static_cast<float>(random_() % 8388608) / 8388608;
    return std::ldexp(significand, exponent);
  }
  uint8_t zero_point() { return static_cast<uint8_t>(random_() % 4 == 0 ? 0 : random_()); }
  int32_t accumulator() { return static_cast<int32_t>(random_()) >> (random_() % 31); }

 private:
  std::mt19937 random_{1};
};

TEST(RoundF32, IsTheRoundingOfTheMathLibrary) {
  for (int i = -70000; i <= 70000; ++i) {
    const float x = static_cast<float>(i) / 64;
    ASSERT_EQ(dla_round_f32(x, -4000, 4000, kDlaNearestEven), std::nearbyint(x)) << x;
    ASSERT_EQ(dla_round_f32(x, -4000, 4000, kDlaFloor), std::floor(x)) << x;
  }
}

TEST(RoundF32, RoundsWhatIsNextToATie) {
  for (int i = -300; i < 300; ++i) {
    const float tie = static_cast<float>(i) + 0.5F;
    for (const float x : {std::nextafter(tie, -1e9F), tie, std::nextafter(tie, 1e9F)}) {
      ASSERT_EQ(dla_round_f32(x, -4000, 4000, kDlaNearestEven), std::nearbyint(x)) << i;
    }
    ASSERT_EQ(dla_round_f32(std::nextafter(static_cast<float>(i), -1e9F), -400, 400, kDlaFloor), i - 1);
  }
}

TEST(RoundF32, Saturates) {
  for (const dla_rounding rounding : kRoundings) {
    EXPECT_EQ(dla_round_f32(kInfinity, -5, 250, rounding), 250);
    EXPECT_EQ(dla_round_f32(-1e30F, -5, 250, rounding), -5);
  }
}

TEST(Fma, RoundsOnce) {
  std::mt19937 source(24);
  const auto number = [&](int least, int most) {
    const float fraction = 1 + static_cast<float>(source() >> 9) / 8388608;
    return std::ldexp(fraction, least + static_cast<int>(source()) % (most - least + 1)) * (source() % 2 == 0 ? 1 : -1);
  };
  for (int i = 0; i < 1'000'000; ++i) {
    const float x = static_cast<float>(source() % 256), y = std::fabs(number(-20, 20)), z = number(-40, 40);
    ASSERT_EQ(dla_fma_f32(x, y, z), std::fma(x, y, z)) << x << " * " << y << " + " << z;
  }
}

/// 130 * 16519105 is 2 more than 2^31: with a z from 2^55 on, half of its last place and so little more that a double
/// does not hold it.
TEST(Fma, RoundsOnceNextToATie) {
  int lost_in_double = 0;
  for (int i = 0; i < 100; ++i) {
    const float x = 130, y = 16519105, z = std::ldexp(8388608.0F + static_cast<float>(i), 32);
    for (const float sign : {1.0F, -1.0F}) {
      EXPECT_EQ(dla_fma_f32(x, y, sign * z), std::fma(x, y, sign * z));
      const auto twice = static_cast<float>(static_cast<double>(x) * y + static_cast<double>(sign * z));
      lost_in_double += twice != std::fma(x, y, sign * z) ? 1 : 0;
    }
  }
  EXPECT_GT(lost_in_double, 0);
}

TEST(DeriveRequantization, RoundsProductAndQuotientToFloat32) {
  Draws draw;
  for (int i = 0; i < 100000; ++i) {
    const float sx = draw.scale(), sw = draw.scale(), sy = draw.scale();
    dla_requantization by;
    ASSERT_TRUE(dla_derive_requantization(sx, sw, sy, kDlaNearestEven, &by));
    ASSERT_EQ(by.scale, quotient(product(sx, sw), sy)) << sx << " " << sw << " " << sy;
  }
}

TEST(DeriveRequantization, FindsTheShift) {
  dla_requantization by;
  for (int shift = -31; shift <= 31; ++shift) {
    ASSERT_TRUE(dla_derive_requantization(std::ldexp(1.0F, 3 - shift), 0.5F, 4.0F, kDlaFloor, &by));
    EXPECT_TRUE(by.is_shift) << shift;
    EXPECT_EQ(by.shift, shift);
    EXPECT_EQ(by.rounding, kDlaFloor);
  }
  for (const float scale : {std::ldexp(1.0F, 32), std::ldexp(1.0F, -32), 0.75F, std::nextafter(0.25F, 1.0F)}) {
    ASSERT_TRUE(dla_derive_requantization(scale, 1, 1, kDlaNearestEven, &by));
    EXPECT_FALSE(by.is_shift) << scale;
    EXPECT_EQ(by.scale, scale);
  }
}

TEST(DeriveRequantization, RefusesWhatIsNoScale) {
  dla_requantization by{.scale = 7, .is_shift = true, .shift = 7, .rounding = kDlaFloor};
  for (const float bad : {0.0F, -0.0F, -1.0F, kInfinity, -kInfinity, kNotANumber}) {
    EXPECT_FALSE(dla_derive_requantization(bad, 1, 1, kDlaNearestEven, &by)) << bad;
    EXPECT_FALSE(dla_derive_requantization(1, bad, 1, kDlaNearestEven, &by)) << bad;
    EXPECT_FALSE(dla_derive_requantization(1, 1, bad, kDlaNearestEven, &by)) << bad;
  }
  EXPECT_FALSE(dla_derive_requantization(1e30F, 1e30F, 1e30F, kDlaNearestEven, &by)) << "the product is infinite";
  EXPECT_FALSE(dla_derive_requantization(1e30F, 1, 1e-30F, kDlaNearestEven, &by)) << "the quotient is infinite";
  EXPECT_EQ(by.scale, 7) << "nothing is written";
}

TEST(DeriveRequantization, AScaleThatVanishesGivesTheZeroPoint) {
  dla_requantization by;
  ASSERT_TRUE(dla_derive_requantization(1e-30F, 1e-30F, 1, kDlaNearestEven, &by));
  EXPECT_EQ(by.scale, 0.0F);
  for (const int32_t acc : {INT32_MIN, -1, 0, 1, INT32_MAX}) {
    EXPECT_EQ(dla_apply_requantization(acc, &by, false, 77), 77);
  }
}

TEST(ApplyRequantization, IsTheFormula) {
  Draws draw;
  int ties = 0;
  for (int i = 0; i < 2000; ++i) {
    dla_requantization by;
    ASSERT_TRUE(dla_derive_requantization(draw.scale(), draw.scale(), draw.scale(), kRoundings[i % 2], &by));
    if (by.is_shift) {
      continue;
    }
    for (int j = 0; j < 300; ++j) {
      const double tie = (j - 150.5) / by.scale;
      const bool is_placed = j % 2 == 0 && std::abs(tie) < 2e9;
      const int32_t acc = is_placed ? static_cast<int32_t>(std::nearbyint(tie)) : draw.accumulator();
      const uint8_t zero_point = draw.zero_point();
      const float x = product(static_cast<float>(static_cast<long double>(acc)), by.scale);
      ties += std::abs(x) < 255 && x - std::floor(x) == 0.5F ? 1 : 0;
      ASSERT_EQ(dla_apply_requantization(acc, &by, false, zero_point), round_u8(x, by.rounding, zero_point, 0)) << acc;
      ASSERT_EQ(dla_apply_requantization(acc, &by, true, zero_point),
                acc < 0 ? zero_point : round_u8(x, by.rounding, zero_point, 0))
          << acc;
    }
  }
  EXPECT_GT(ties, 1000) << "too few ties were drawn to say that they are right";
}

TEST(ApplyRequantization, AShiftIsTheHardwaresArithmetic) {
  Draws draw;
  for (int shift = 0; shift <= 31; ++shift) {
    for (const dla_rounding rounding : kRoundings) {
      dla_requantization by;
      ASSERT_TRUE(dla_derive_requantization(std::ldexp(1.0F, -shift), 1, 1, rounding, &by));
      for (int i = 0; i < 1000; ++i) {
        const int32_t acc = draw.accumulator();
        ASSERT_EQ(dla_apply_requantization(acc, &by, i % 2 == 0, 128),
                  dla_requantize(acc, static_cast<uint32_t>(shift), rounding, i % 2 == 0, 128));
      }
    }
  }
}

TEST(ApplyRequantization, AShiftIsTheFormulaUpTo2To24) {
  Draws draw;
  for (int shift = -31; shift <= 31; ++shift) {
    for (const dla_rounding rounding : kRoundings) {
      dla_requantization by;
      ASSERT_TRUE(dla_derive_requantization(std::ldexp(1.0F, -shift), 1, 1, rounding, &by));
      dla_requantization formula = by;
      formula.is_shift = false;
      for (int i = 0; i < 1000; ++i) {
        const int32_t acc = std::clamp(draw.accumulator(), -(1 << 24), 1 << 24);
        const uint8_t zero_point = draw.zero_point();
        ASSERT_EQ(dla_apply_requantization(acc, &by, i % 2 == 0, zero_point),
                  dla_apply_requantization(acc, &formula, i % 2 == 0, zero_point))
            << acc << " >> " << shift;
      }
    }
  }
  // Above, the accumulator's own rounding comes first: 2^24 + 1 becomes 2^24, and more than a half becomes a tie.
  dla_requantization by;
  ASSERT_TRUE(dla_derive_requantization(std::ldexp(1.0F, -25), 1, 1, kDlaNearestEven, &by));
  EXPECT_EQ(dla_apply_requantization((1 << 24) + 1, &by, false, 0), 1);
  by.is_shift = false;
  EXPECT_EQ(dla_apply_requantization((1 << 24) + 1, &by, false, 0), 0);
}

/// All 65,536 pairs of some parameters: the formula with the math library's fma, which rounds once.
TEST(Add, IsTheFormulaForEveryPair) {
  Draws draw;
  for (int i = 0; i < 200; ++i) {
    const float sa = draw.scale(), sb = i % 5 == 0 ? sa : draw.scale(), sy = i % 7 == 0 ? sa : draw.scale();
    const uint8_t za = draw.zero_point(), zb = draw.zero_point(), zy = draw.zero_point();
    dla_addition by;
    ASSERT_TRUE(dla_derive_addition(sa, za, sb, zb, sy, zy, kRoundings[i % 2], &by));
    const float ra = quotient(sa, sy), rb = quotient(sb, sy);
    const float fx =
        static_cast<float>(static_cast<long double>(zy) - std::fma(ra, static_cast<float>(za), product(rb, zb)));
    ASSERT_EQ(by.fx, fx);
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; ++b) {
        const float sum = std::fma(static_cast<float>(a), ra, std::fma(static_cast<float>(b), rb, fx));
        const auto x = static_cast<uint8_t>(a), y = static_cast<uint8_t>(b);
        ASSERT_EQ(dla_add_u8(x, y, &by, 0), round_u8(sum, by.rounding, 0, 0)) << sa << " " << sb << " " << sy;
        ASSERT_EQ(dla_add_u8(x, y, &by, zy), round_u8(sum, by.rounding, 0, zy)) << sa << " " << sb << " " << sy;
      }
    }
  }
}

/// (1 + 2) / 2 + 5: the zero point is added before the rounding, which moves ties.
TEST(Add, RoundsWithTheZeroPointInside) {
  dla_addition by;
  ASSERT_TRUE(dla_derive_addition(0.5F, 100, 0.5F, 100, 1, 5, kDlaNearestEven, &by));
  EXPECT_EQ(dla_add_u8(101, 102, &by, 0), 6) << "1.5 + 5 = 6.5 to even; outside, 1.5 would be 2 and the sum 7";
  by.rounding = kDlaFloor;
  EXPECT_EQ(dla_add_u8(101, 102, &by, 0), 6);
  EXPECT_EQ(dla_add_u8(99, 98, &by, 0), 3) << "-1.5 + 5 = 3.5";
  EXPECT_EQ(dla_add_u8(99, 98, &by, 5), 5) << "ReLU";
}

TEST(Add, RefusesWhatIsNoScale) {
  dla_addition by;
  for (const float bad : {0.0F, -1.0F, kInfinity, kNotANumber}) {
    EXPECT_FALSE(dla_derive_addition(bad, 0, 1, 0, 1, 0, kDlaNearestEven, &by)) << bad;
    EXPECT_FALSE(dla_derive_addition(1, 0, bad, 0, 1, 0, kDlaNearestEven, &by)) << bad;
    EXPECT_FALSE(dla_derive_addition(1, 0, 1, 0, bad, 0, kDlaNearestEven, &by)) << bad;
  }
  EXPECT_FALSE(dla_derive_addition(1e30F, 0, 1, 0, 1e-8F, 0, kDlaNearestEven, &by)) << "sums could overflow";
  EXPECT_FALSE(dla_derive_addition(1, 0, 1e30F, 0, 1e-8F, 0, kDlaNearestEven, &by)) << "sums could overflow";
  ASSERT_TRUE(dla_derive_addition(1e28F, 255, 1e28F, 255, 1e-7F, 0, kDlaNearestEven, &by));
  EXPECT_EQ(dla_add_u8(255, 254, &by, 0), 0) << "the largest ratios still give numbers";
  EXPECT_EQ(dla_add_u8(0, 0, &by, 0), 0);
}

float sum(float x, float y) { return static_cast<float>(static_cast<long double>(x) + y); }

TEST(Multiply, IsTheFormula) {
  Draws draw;
  for (int i = 0; i < 2000; ++i) {
    const float scale = draw.scale();
    const uint8_t zy = draw.zero_point();
    for (int j = 0; j < 200; ++j) {
      const int32_t xy = draw.accumulator() % 65026;
      const float inside = sum(product(static_cast<float>(xy), scale), zy);
      for (const dla_rounding rounding : kRoundings) {
        ASSERT_EQ(dla_multiply_u8(xy, scale, zy, rounding, 0), round_u8(inside, rounding, 0, 0)) << xy << " " << scale;
        ASSERT_EQ(dla_multiply_u8(xy, scale, zy, rounding, zy), round_u8(inside, rounding, 0, zy))
            << xy << " " << scale;
      }
    }
  }
}

/// 3 * 0.5 + 1: the zero point is added before the rounding, which moves ties.
TEST(Multiply, RoundsWithTheZeroPointInside) {
  EXPECT_EQ(dla_multiply_u8(3, 0.5F, 1, kDlaNearestEven, 0), 2) << "2.5 to even; outside, 1.5 would be 2 and the sum 3";
}

TEST(Combine, IsOneOperation) {
  const dla_binary ops[] = {kDlaAdd, kDlaSubtract, kDlaMultiply, kDlaDivide, kDlaMinimum, kDlaMaximum};
  const float results[] = {0.1F + 0.3F, 0.1F - 0.3F, product(0.1F, 0.3F), quotient(0.1F, 0.3F), 0.1F, 0.3F};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(dla_combine_f32(ops[i], 0.1F, 0.3F), results[i]) << i;
  }
}

TEST(Average, IsTheFormula) {
  Draws draw;
  for (int i = 0; i < 200000; ++i) {
    const float total = product(static_cast<float>(draw.accumulator() % 100000), draw.scale()), sy = draw.scale();
    const auto count = static_cast<float>(1 + i % 50);
    const uint8_t zy = draw.zero_point();
    const float inside = sum(quotient(quotient(total, count), sy), zy);
    for (const dla_rounding rounding : kRoundings) {
      ASSERT_EQ(dla_average_u8(total, count, sy, zy, rounding), round_u8(inside, rounding, 0, 0)) << total;
    }
  }
}

TEST(ChangeScale, IsTheFormulaForEveryValue) {
  Draws draw;
  for (int i = 0; i < 2000; ++i) {
    const float sx = draw.scale(), sy = draw.scale();
    const uint8_t zx = draw.zero_point(), zy = draw.zero_point();
    for (int x = 0; x < 256; ++x) {
      const float value = quotient(product(sx, static_cast<float>(x - zx)), sy);
      for (const dla_rounding rounding : kRoundings) {
        ASSERT_EQ(dla_change_scale(static_cast<uint8_t>(x), sx, zx, sy, zy, rounding), round_u8(value, rounding, zy, 0))
            << x << " " << sx << " " << sy;
      }
    }
  }
}

/// A power of two is what the requantization of a value by a shift is.
TEST(ChangeScale, ByAPowerOfTwoIsAShift) {
  for (int shift = -4; shift <= 8; ++shift) {
    for (int x = 0; x < 256; ++x) {
      for (const dla_rounding rounding : kRoundings) {
        EXPECT_EQ(dla_change_scale(static_cast<uint8_t>(x), 0.125F, 100, std::ldexp(0.125F, shift), 50, rounding),
                  dla_apply_shift(x - 100, shift, rounding, false, 50));
      }
    }
  }
}

}  // namespace
