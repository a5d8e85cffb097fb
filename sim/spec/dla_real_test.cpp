// SPDX-License-Identifier: Apache-2.0
/// \file
/// The real functions beside the C library's in double, rounded to float32: one float32 in 997, or with
/// FOVEA_ALL_FLOATS in the environment all of them.
#include "dla_real.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <ostream>

namespace {

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

/// 0 for equal ones, not a number and not a number among them.
int64_t ulps_between(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<int64_t>::max();
  }
  return std::abs(place_of(a) - place_of(b));
}

class RealFunction : public ::testing::TestWithParam<Case> {};

TEST_P(RealFunction, IsAsClose) {
  const Case& each = GetParam();
  const uint64_t step = std::getenv("FOVEA_ALL_FLOATS") != nullptr ? 1 : 997;
  int64_t worst = -1;
  float worst_at = 0;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32U; bits += step) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const int64_t ulps = ulps_between(each.function(x), static_cast<float>(each.expected(x)));
    if (ulps > worst) {
      worst = ulps;
      worst_at = x;
    }
  }
  RecordProperty("ulps", std::to_string(worst));
  EXPECT_LE(worst, each.most_ulps) << each.name << "(" << std::hexfloat << worst_at << ") is "
                                   << each.function(worst_at) << ", not "
                                   << static_cast<float>(each.expected(worst_at));
}

TEST_P(RealFunction, HasTheSameEnds) {
  const Case& each = GetParam();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float x : {0.0F,
                        -0.0F,
                        kInfinity,
                        -kInfinity,
                        std::numeric_limits<float>::quiet_NaN(),
                        std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::lowest(),
                        std::numeric_limits<float>::denorm_min(),
                        -std::numeric_limits<float>::denorm_min(),
                        0.5F,
                        -0.5F,
                        1.0F,
                        -1.0F,
                        1.5F,
                        2.5F,
                        -2.5F,
                        8388607.5F,
                        8388608.0F,
                        88.72284F,
                        -103.97F}) {
    const float expected = static_cast<float>(each.expected(x));
    EXPECT_LE(ulps_between(each.function(x), expected), each.most_ulps) << each.name << "(" << x << ")";
    if (expected == 0) {
      EXPECT_EQ(std::signbit(each.function(x)), std::signbit(expected)) << each.name << "(" << x << ")";
    }
  }
}

double gelu(double x) { return std::isinf(x) && x < 0 ? -0.0 : 0.5 * x * std::erfc(-x * M_SQRT1_2); }

double gelu_tanh(double x) {
  return std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x)));
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

INSTANTIATE_TEST_SUITE_P(
    All, RealFunction,
    ::testing::Values(Case{"absolute", dla_real_absolute, [](double x) { return std::abs(x); }, 0},
                      Case{"ceil", dla_real_ceil, [](double x) { return std::ceil(x); }, 0},
                      Case{"erf", dla_real_erf, [](double x) { return std::erf(x); }, 1},
                      Case{"exp", dla_real_exp, [](double x) { return std::exp(x); }, 1},
                      Case{"expm1", dla_real_expm1, [](double x) { return std::expm1(x); }, 1},
                      Case{"floor", dla_real_floor, [](double x) { return std::floor(x); }, 0},
                      Case{"gelu", dla_real_gelu, gelu, 1}, Case{"gelu_tanh", dla_real_gelu_tanh, gelu_tanh, 1},
                      Case{"log", dla_real_log, [](double x) { return std::log(x); }, 1},
                      Case{"round", dla_real_round, [](double x) { return std::nearbyint(x); }, 0},
                      Case{"sigmoid", dla_real_sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 1},
                      Case{"softplus", dla_real_softplus, [](double x) { return std::isnan(x) ? x : softplus(x); }, 1},
                      Case{"sqrt", dla_real_sqrt, [](double x) { return std::sqrt(x); }, 0},
                      Case{"tanh", dla_real_tanh, [](double x) { return std::tanh(x); }, 1}),
    [](const auto& each) { return each.param.name; });

}  // namespace
