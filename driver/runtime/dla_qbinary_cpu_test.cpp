// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators of two operands on the host: against the formulas by the math library, broadcast in every way, in place,
/// and with arguments that make no sense.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

class Binary : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(0), {100, 101, 103, 99, 255, 0});
    put<uint8_t>(arena(16), {100, 102, 100, 98, 255, 0});
  }
  std::vector<uint8_t> run(uint32_t at = 32) {
    args.ofmap = at;
    EXPECT_EQ(dla_qbinary_cpu(&rt, &args), kDlaOk);
    return get(arena(at), 6);
  }
  struct dla_qbinary_cpu args {
    .name = "sum", .op = kDlaAdd,
    .a = {.data = 0, .is_constant = false, .is_float = false, .shape = {2, 3}, .scale = 0.5F, .zero_point = 100},
    .b = {.data = 16, .is_constant = false, .is_float = false, .shape = {2, 3}, .scale = 0.5F, .zero_point = 100},
    .ofmap = 32, .rank = 2, .shape = {2, 3}, .ofmap_scale = 1, .ofmap_zero_point = 5, .relu = false,
    .rounding = kDlaNearestEven
  };
};

TEST_F(Binary, RoundsASumWithItsZeroPoint) {
  EXPECT_THAT(run(), ElementsAre(5, 6, 6, 4, 160, 0)) << "5, 6.5, 6.5, 3.5, 160, -95";
  args.rounding = kDlaFloor;
  EXPECT_THAT(run(), ElementsAre(5, 6, 6, 3, 160, 0));
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].name, "sum");
  EXPECT_EQ(shown[0].type, "uint8");
  EXPECT_THAT(shown[0].shape, ElementsAre(2, 3));
  EXPECT_THAT(shown[0].bytes, ElementsAre(5, 6, 6, 4, 160, 0));
}

TEST_F(Binary, ReluKeepsTheZeroPoint) {
  args.relu = true;
  EXPECT_THAT(run(), ElementsAre(5, 6, 6, 5, 160, 5));
}

TEST_F(Binary, WritesOverAnOperand) {
  const std::vector<uint8_t> apart = run();
  EXPECT_EQ(run(0), apart);
  SetUp();
  EXPECT_EQ(run(16), apart);
}

TEST_F(Binary, DoublesATensor) {
  args.b.data = 0;
  EXPECT_THAT(run(), ElementsAre(5, 6, 8, 4, 160, 0));
}

TEST_F(Binary, RoundsADifferenceBeforeItsZeroPoint) {
  args.op = kDlaSubtract;
  EXPECT_THAT(run(), ElementsAre(5, 5, 7, 5, 5, 5)) << "0, -0.5, 1.5, 0.5, 0, 0 to even, plus 5";
}

TEST_F(Binary, DividesByZero) {
  args.op = kDlaDivide;
  EXPECT_THAT(run(), ElementsAre(0, 5, 255, 5, 6, 6)) << "0/0, 1/2, 3/0, 1/2, 1, 1";
}

/// An operand as reals and as what it is.
struct Side {
  std::vector<uint32_t> shape;
  std::vector<uint8_t> bytes;
  std::vector<float> reals;
};

constexpr uint32_t kRank = 4;

/// The element of `side` for place `index` of a tensor of shape `shape`: a loop nest's indices, one by one.
size_t place_of(const Side& side, const uint32_t* shape, size_t index) {
  size_t place = 0, step = 1;
  for (uint32_t i = kRank; i-- > 0; index /= shape[i]) {
    place += side.shape[i] == 1 ? 0 : index % shape[i] * step;
    step *= side.shape[i];
  }
  return place;
}

class AnyBinary : public Binary {
 protected:
  uint32_t draw(uint32_t most) { return static_cast<uint32_t>(random_() % (most + 1)); }
  float draw_scale() {
    return std::ldexp(1 + static_cast<float>(draw(1 << 20)) / (1 << 20), static_cast<int>(draw(4)) - 5);
  }

  /// Puts an operand of a shape that fits at `place` of the arena or the weights.
  Side draw_side(dla_operand& operand, uint32_t place) {
    Side side;
    operand = {};
    operand.data = place;
    operand.is_constant = draw(2) == 0;
    operand.is_float = operand.is_constant && draw(1) == 0;
    operand.scale = draw_scale();
    operand.zero_point = static_cast<uint8_t>(draw(255));
    size_t count = 1;
    for (uint32_t i = 0; i < kRank; ++i) {
      operand.shape[i] = draw(2) == 0 ? 1 : args.shape[i];
      side.shape.push_back(operand.shape[i]);
      count *= operand.shape[i];
    }
    for (size_t i = 0; i < count; ++i) {
      side.bytes.push_back(static_cast<uint8_t>(draw(255)));
      const float real = operand.scale * static_cast<float>(side.bytes[i] - operand.zero_point);
      side.reals.push_back(operand.is_float ? real * 1.37F : real);
    }
    uint8_t* at = operand.is_constant ? weights(place) : arena(place);
    operand.is_float ? put(at, side.reals) : put(at, side.bytes);
    return side;
  }

  /// What the operator makes of elements i and j, not yet clamped.
  float expected(const Side& a, size_t i, const Side& b, size_t j) const {
    const float sa = args.a.scale, sb = args.b.scale, sy = args.ofmap_scale;
    const auto za = static_cast<float>(args.a.zero_point), zb = static_cast<float>(args.b.zero_point),
               zy = static_cast<float>(args.ofmap_zero_point);
    const bool is_quantized = !args.a.is_float && !args.b.is_float;
    if (is_quantized && args.op == kDlaAdd) {
      const float ra = sa / sy, rb = sb / sy, fixed = zy - std::fma(ra, za, rb * zb);
      return std::nearbyint(std::fma(float(a.bytes[i]), ra, std::fma(float(b.bytes[j]), rb, fixed)));
    }
    if (is_quantized && args.op == kDlaMultiply) {
      const volatile float scaled = (float(a.bytes[i]) - za) * (float(b.bytes[j]) - zb) * (sa * sb / sy);
      return std::nearbyint(scaled + zy);
    }
    const float x = a.reals[i], y = b.reals[j];
    const float reals[] = {x + y, x - y, x * y, x / y, std::min(x, y), std::max(x, y)};
    return std::isnan(reals[args.op]) ? 0 : std::nearbyint(reals[args.op] / sy) + zy;
  }

 private:
  std::mt19937 random_{5};
};

TEST_F(AnyBinary, IsTheFormulaOfBroadcastElements) {
  args.rank = kRank;
  args.ofmap = 2048;
  for (int round = 0; round < 600; ++round) {
    args.op = static_cast<dla_binary>(round % 6);
    args.relu = draw(3) == 0;
    for (uint32_t& size : args.shape) {
      size = 1 + draw(4);
    }
    const Side a = draw_side(args.a, 0), b = draw_side(args.b, 3072);
    args.ofmap_scale = draw_scale();
    args.ofmap_zero_point = static_cast<uint8_t>(draw(255));
    ASSERT_EQ(dla_qbinary_cpu(&rt, &args), kDlaOk);
    const size_t count = size_t{args.shape[0]} * args.shape[1] * args.shape[2] * args.shape[3];
    for (size_t i = 0; i < count; ++i) {
      const float y = expected(a, place_of(a, args.shape, i), b, place_of(b, args.shape, i));
      const auto lowest = static_cast<float>(args.relu ? args.ofmap_zero_point : 0);
      ASSERT_EQ(*arena(args.ofmap + static_cast<uint32_t>(i)), std::clamp(y, lowest, 255.0F))
          << "round " << round << ", element " << i << ", operator " << args.op;
    }
  }
}

class Addition : public AnyBinary {
 protected:
  static constexpr uint32_t kCount = 1024;

  void SetUp() override {
    AnyBinary::SetUp();
    args.rank = 1;
    args.ofmap = 2 * kCount;
    args.ofmap_scale = 1;
    args.shape[0] = args.a.shape[0] = args.b.shape[0] = kCount;
    args.b.data = kCount;
  }

  /// Adds four bytes of a, from `first` on, to all bytes of b.
  void expect_fused(uint32_t first) {
    Side a, b;
    for (uint32_t i = 0; i < kCount; ++i) {
      a.bytes.push_back(static_cast<uint8_t>(first + i / 256));
      b.bytes.push_back(static_cast<uint8_t>(i));
    }
    put(arena(0), a.bytes);
    put(arena(kCount), b.bytes);
    ASSERT_EQ(dla_qbinary_cpu(&rt, &args), kDlaOk);
    shown.clear();
    for (uint32_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(*arena(args.ofmap + i), std::clamp(expected(a, i, b, i), 0.0F, 255.0F))
          << int{a.bytes[i]} << " * " << args.a.scale << " + " << int{b.bytes[i]} << " * " << args.b.scale;
    }
  }
};

/// All pairs of bytes by scales near and far from each other, and where the constant part all but vanishes: the runtime
/// adds in double where that is exact.
TEST_F(Addition, IsTwoFusedMultiplyAddsWhateverTheScales) {
  const float mantissas[] = {1.0F, 1.0F + 0x1p-23F, 1.5F, 1.0F + 0x1p-12F, 2.0F - 0x1p-23F};
  const auto draw_wild_scale = [&] {
    const float mantissa = draw(1) == 0 ? mantissas[draw(4)] : 1 + static_cast<float>(draw((1 << 23) - 1)) * 0x1p-23F;
    return std::ldexp(mantissa, draw(1) == 0 ? static_cast<int>(draw(8)) - 6 : static_cast<int>(draw(70)) - 60);
  };
  for (int round = 0; round < 120; ++round) {
    args.a.zero_point = static_cast<uint8_t>(draw(1) * draw(255));
    args.b.zero_point = static_cast<uint8_t>(draw(1) * draw(255));
    args.ofmap_zero_point = static_cast<uint8_t>(draw(255));
    args.a.scale = draw_wild_scale();
    args.b.scale = draw_wild_scale();
    if (draw(3) == 0 && args.a.zero_point != 0 && args.ofmap_zero_point != 0) {
      args.b.zero_point = 0;
      args.a.scale = static_cast<float>(args.ofmap_zero_point) / static_cast<float>(args.a.zero_point);
    }
    for (uint32_t first = 0; first < 256 && !HasFailure(); first += kCount / 256) {
      SCOPED_TRACE("round " + std::to_string(round));
      expect_fused(first);
    }
  }
}

/// a * ra lies between two float32, the upper one n + 1/2, and b * rb, too small for double to notice beside it, says
/// on which side.
TEST_F(Addition, KnowsWhichSideOfATieItIs) {
  int ties = 0;
  args.ofmap_zero_point = args.a.zero_point = 0;
  args.b.zero_point = 128;
  for (uint32_t n = 65; n < 128; n += 2) {
    const uint32_t tie = ((2 * n + 1) << 17) - 1;  // By 2^-18.
    for (uint32_t a = 3; a < 256; a += 2) {
      if (tie % a != 0) {
        continue;
      }
      ++ties;
      args.a.scale = std::ldexp(static_cast<float>(tie / a), -18);
      for (int exponent = -70; exponent < -5 && !HasFailure(); ++exponent) {
        args.b.scale = std::ldexp(1.0F, exponent);
        expect_fused(a / 4 * 4);
      }
    }
  }
  EXPECT_GT(ties, 10);
}

TEST_F(Binary, RefusesBadArguments) {
  const auto good = args;
  const auto refuses = [&](auto change) {
    struct dla_qbinary_cpu bad = good;
    change(bad);
    return dla_qbinary_cpu(&rt, &bad) == kDlaBadArg;
  };
  EXPECT_TRUE(refuses([](auto& x) { x.rank = 0; }));
  EXPECT_TRUE(refuses([](auto& x) { x.rank = DLA_MOST_DIMENSIONS + 1; }));
  EXPECT_TRUE(refuses([](auto& x) { x.shape[1] = 0; }));
  EXPECT_TRUE(refuses([](auto& x) { x.a.data = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x) { x.b.data = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x) { x.ofmap = kArenaBytes - 5; }));
  EXPECT_TRUE(refuses([](auto& x) { x.a.shape[0] = 3; })) << "neither the ofmap's nor 1";
  EXPECT_TRUE(refuses([](auto& x) { x.a.shape[0] = 0; }));
  EXPECT_TRUE(refuses([](auto& x) { x.a.scale = 0; }));
  EXPECT_TRUE(refuses([](auto& x) { x.b.scale = -1; }));
  EXPECT_TRUE(refuses([](auto& x) { x.ofmap_scale = std::numeric_limits<float>::quiet_NaN(); }));
  EXPECT_TRUE(refuses([](auto& x) { x.ofmap_scale = 1e-37F; })) << "a sum could overflow";
  EXPECT_TRUE(refuses([](auto& x) { x.op = kDlaMultiply, x.ofmap_scale = 1e-45F; })) << "the scale is infinite";
  EXPECT_TRUE(refuses([](auto& x) { x.op = static_cast<dla_binary>(6); }));
  EXPECT_TRUE(refuses([](auto& x) { x.b.is_constant = x.b.is_float = true, x.b.data = 2; })) << "not aligned";
  EXPECT_TRUE(refuses([](auto& x) { x.b.is_constant = true, x.b.data = kWeightsBytes - 5; }));
  EXPECT_EQ(dla_qbinary_cpu(&rt, nullptr), kDlaBadArg);
  EXPECT_EQ(dla_qbinary_cpu(nullptr, &good), kDlaBadArg);
  EXPECT_TRUE(shown.empty());
  EXPECT_THAT(get(arena(32), 6), ElementsAre(0, 0, 0, 0, 0, 0));
}

}  // namespace
