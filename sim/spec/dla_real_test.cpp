// SPDX-License-Identifier: Apache-2.0
/// \file
/// The real functions beside glibc's in double, rounded to float32: one float32 in 997, or with FOVEA_ALL_FLOATS in the
/// environment all of them; and all next to where a function changes its way. Powers also of drawn pairs.
#include "dla_real.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <random>
#include <string>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kLeastNormal = std::numeric_limits<float>::min();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();

struct Case {
  const char* name;
  float (*function)(float);
  double (*expected)(double);
  int64_t most_ulps;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

/// Floats in order as integers, so that neighbours differ by 1; both zeros are 0.
int64_t place_of(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const auto magnitude = static_cast<int64_t>(bits & 0x7fffffffU);
  return (bits >> 31U) != 0 ? -magnitude : magnitude;
}

/// 0 for equal ones, not a number and not a number among them; a zero of the other sign is as far as can be.
int64_t ulps_between(float a, float b) {
  const bool is_alike = std::isnan(a) == std::isnan(b) && (a != 0 || b != 0 || std::signbit(a) == std::signbit(b));
  if (!is_alike) {
    return std::numeric_limits<int64_t>::max();
  }
  return std::isnan(a) ? 0 : std::abs(place_of(a) - place_of(b));
}

/// Where a function was farthest from what is expected.
struct Worst {
  int64_t ulps = -1;
  float at = 0;
  /// Of all, and of these whose results differ. Not counted in the subnormal range: there, half of an x is a tie.
  uint64_t compared = 0, different = 0;

  void compare(const Case& each, float x) {
    const float expected = static_cast<float>(each.expected(x));
    const int64_t ulps_here = ulps_between(each.function(x), expected);
    ++compared;
    different += ulps_here != 0 && std::isnormal(expected) ? 1 : 0;
    if (ulps_here > ulps) {
      ulps = ulps_here;
      at = x;
    }
  }

  void check(const Case& each) const {
    ::testing::Test::RecordProperty("ulps", std::to_string(ulps));
    EXPECT_LE(ulps, each.most_ulps) << each.name << "(" << std::hexfloat << at << ") is " << each.function(at)
                                    << ", not " << static_cast<float>(each.expected(at));
  }
};

class RealFunction : public ::testing::TestWithParam<Case> {};

TEST_P(RealFunction, IsAsClose) {
  const uint64_t step = std::getenv("FOVEA_ALL_FLOATS") != nullptr ? 1 : 997;
  Worst worst;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32U; bits += step) {
    worst.compare(GetParam(), std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  worst.check(GetParam());
  RecordProperty("different", std::to_string(worst.different));
  EXPECT_LE(worst.different, worst.compared / 20000) << "an error of 1e-10 moves few results";
}

/// Special values, where float32 results begin and end, where k or the exponent steps, and where branches part.
TEST_P(RealFunction, IsAsCloseNextToThresholds) {
  Worst worst;
  for (const float threshold :
       {0.0F,        kLeastNormal, kLargest, kInfinity,  0.25F,       0.34657359F, 0.41421356F, 0.5F,
        0.70710678F, 0.78539816F,  1.0F,     1.0397208F, 1.41421356F, 1.5F,        1.5707963F,  2.0F,
        2.3561945F,  2.4142136F,   2.5F,     3.1415927F, 8.0F,        9.0F,        10.0F,       14.0F,
        14.142136F,  15.0F,        20.0F,    55.0F,      87.336545F,  88.722839F,  89.415987F,  103.278929F,
        103.972077F, 108.0F,       110.0F,   4194304.0F, 8388608.0F,  16777216.0F}) {
    const auto middle = std::bit_cast<uint32_t>(threshold);
    for (uint32_t i = 0; i < 2000; ++i) {
      const float x = std::bit_cast<float>((middle + i - 1000) & 0x7fffffffU);
      worst.compare(GetParam(), x);
      worst.compare(GetParam(), -x);
    }
  }
  worst.check(GetParam());
}

/// Of the compositions in double: the limit where -infinity times 0 is not a number.
double or_limit(double x, double value) { return std::isinf(x) && x < 0 ? -0.0 : value; }

double gelu(double x) { return or_limit(x, 0.5 * x * std::erfc(-x * M_SQRT1_2)); }

double gelu_tanh(double x) {
  return or_limit(x, x / (1 + std::exp(-std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x))));
}

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

double mish(double x) { return or_limit(x, x * std::tanh(softplus(x))); }

INSTANTIATE_TEST_SUITE_P(
    All, RealFunction,
    ::testing::Values(
        Case{"absolute", dla_real_absolute, [](double x) { return std::abs(x); }, 0},
        Case{"acos", dla_real_acos, [](double x) { return std::acos(x); }, 1},
        Case{"acosh", dla_real_acosh, [](double x) { return std::acosh(x); }, 1},
        Case{"asin", dla_real_asin, [](double x) { return std::asin(x); }, 1},
        Case{"asinh", dla_real_asinh, [](double x) { return std::asinh(x); }, 1},
        Case{"atan", dla_real_atan, [](double x) { return std::atan(x); }, 1},
        Case{"atanh", dla_real_atanh, [](double x) { return std::atanh(x); }, 1},
        Case{"ceil", dla_real_ceil, [](double x) { return std::ceil(x); }, 0},
        Case{"cos", dla_real_cos, [](double x) { return std::cos(x); }, 1},
        Case{"erf", dla_real_erf, [](double x) { return std::erf(x); }, 1},
        Case{"exp", dla_real_exp, [](double x) { return std::exp(x); }, 1},
        Case{"expm1", dla_real_expm1, [](double x) { return std::expm1(x); }, 1},
        Case{"floor", dla_real_floor, [](double x) { return std::floor(x); }, 0}, Case{"gelu", dla_real_gelu, gelu, 1},
        Case{"gelu_tanh", dla_real_gelu_tanh, gelu_tanh, 1},
        Case{"log", dla_real_log, [](double x) { return std::log(x); }, 1},
        Case{"log1p", dla_real_log1p, [](double x) { return std::log1p(x); }, 1}, Case{"mish", dla_real_mish, mish, 1},
        Case{"pow_2", [](float x) { return dla_real_pow(x, 2); }, [](double x) { return std::pow(x, 2); }, 1},
        Case{"pow_3", [](float x) { return dla_real_pow(x, 3); }, [](double x) { return std::pow(x, 3); }, 1},
        Case{"pow_minus_half", [](float x) { return dla_real_pow(x, -0.5F); },
             [](double x) { return std::pow(x, -0.5); }, 1},
        Case{"pow_of_10", [](float x) { return dla_real_pow(10, x); }, [](double x) { return std::pow(10, x); }, 1},
        Case{"round", dla_real_round, [](double x) { return std::nearbyint(x); }, 0},
        Case{"sigmoid", dla_real_sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 1},
        Case{"sin", dla_real_sin, [](double x) { return std::sin(x); }, 1},
        Case{"sinh", dla_real_sinh, [](double x) { return std::sinh(x); }, 1},
        Case{"softplus", dla_real_softplus, softplus, 1},
        Case{"sqrt", dla_real_sqrt, [](double x) { return std::sqrt(x); }, 0},
        Case{"tan", dla_real_tan, [](double x) { return std::tan(x); }, 1},
        Case{"tanh", dla_real_tanh, [](double x) { return std::tanh(x); }, 1}),
    [](const auto& each) { return each.param.name; });

/// \return How far dla_real_pow(x, y) is, having failed where that is more than 1 ulp.
int64_t check_pow(float x, float y) {
  const float expected = static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  const int64_t ulps = ulps_between(dla_real_pow(x, y), expected);
  EXPECT_LE(ulps, 1) << std::hexfloat << x << " to the power of " << y << " is " << dla_real_pow(x, y) << ", not "
                     << expected;
  return ulps;
}

TEST(Pow, HasEverySpecialValue) {
  constexpr float kValues[] = {0.0F,          kLeast,     kLeastNormal, 1e-20F,      0.3F,        0.5F,
                               0.99999994F,   1.0F,       1.0000001F,   1.5F,        2.0F,        2.5F,
                               3.0F,          4.0F,       5.0F,         127.0F,      128.0F,      149.0F,
                               151.0F,        8388607.5F, 8388609.0F,   16777213.0F, 16777215.0F, 16777216.0F,
                               2147483648.0F, 1e20F,      kLargest,     kInfinity,   kNotANumber};
  for (const float x : kValues) {
    for (const float y : kValues) {
      for (const float signed_x : {x, -x}) {
        for (const float signed_y : {y, -y}) {
          const int64_t ulps = check_pow(signed_x, signed_y);
          const float size = std::abs(dla_real_pow(signed_x, signed_y));
          const bool is_special = size == 0 || size == 1 || size == kLargest || !std::isfinite(size);
          EXPECT_LE(ulps, is_special ? 0 : 1) << signed_x << " to the power of " << signed_y;
        }
      }
    }
  }
}

/// Pairs whose power float32 has, of any two floats, and of a negative number with an integer.
TEST(Pow, IsAsCloseForDrawnPairs) {
  std::mt19937 source(7);
  const auto anywhere = [&] { return std::bit_cast<float>(static_cast<uint32_t>(source())); };
  const auto within = [&](double end) { return (static_cast<double>(source()) / 4294967296.0 * 2 - 1) * end; };
  const int pairs = std::getenv("FOVEA_ALL_FLOATS") != nullptr ? 100'000'000 : 400'000;
  int64_t worst = 0;
  int between = 0;
  for (int i = 0; i < pairs && !HasFailure(); ++i) {
    const auto x = static_cast<float>(std::exp2(within(i % 2 == 0 ? 128 : 1e-4)));
    const auto y = static_cast<float>(within(150) / std::log2(static_cast<double>(x)));
    const auto integer = static_cast<float>(std::nearbyint(within(40)));
    worst = std::max({worst, check_pow(x, y), check_pow(anywhere(), anywhere()),
                      check_pow(static_cast<float>(within(20)), integer)});
    between += dla_real_pow(x, y) > 0 && dla_real_pow(x, y) < kInfinity ? 1 : 0;
  }
  RecordProperty("ulps", std::to_string(worst));
  EXPECT_GT(between, pairs / 2) << "too few powers were numbers to say that they are right";
}

}  // namespace
