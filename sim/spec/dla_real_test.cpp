// SPDX-License-Identifier: Apache-2.0
/// \file
/// The real functions beside glibc's in double, rounded to float32: one float32 in 997, or with FOVEA_ALL_FLOATS in the
/// environment all of them; and all next to where a function changes its way. Powers also of drawn pairs. Of an odd or
/// even function, what is expected of x is expected of -x too. All cores take part, each with blocks of its own.
#include "dla_real.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kLeastNormal = std::numeric_limits<float>::min();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();

/// Numbers that are computed one after another, by vectors where the compiler finds some.
using Block = std::array<float, 4096>;

/// What a function gives for -x, where that is what it gives for x, or the negative.
enum class Symmetry { kNone, kEven, kOdd };

struct Case {
  const char* name;
  float (*function)(float);
  void (*compute)(const Block& x, Block& y);
  double (*expected)(double);
  int64_t most_ulps;
  Symmetry symmetry;
};

// One build for every x86-64, and one for those with AVX2.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOVEA_VECTOR __attribute__((target_clones("default", "avx2")))
#else
#define FOVEA_VECTOR
#endif

template <float (*kFunction)(float)>
FOVEA_VECTOR void compute(const Block& x, Block& y) {
  std::transform(x.begin(), x.end(), y.begin(), [](float number) { return kFunction(number); });
}

template <float (*kFunction)(float)>
Case case_of(const char* name, double (*expected)(double), int64_t most_ulps, Symmetry symmetry = Symmetry::kNone) {
  return {name, kFunction, compute<kFunction>, expected, most_ulps, symmetry};
}

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

  void compare(float x, float y, float expected) {
    ++compared;
    const bool is_same = std::bit_cast<uint32_t>(y) == std::bit_cast<uint32_t>(expected);
    const int64_t ulps_here = is_same ? 0 : ulps_between(y, expected);
    different += ulps_here != 0 && std::isnormal(expected) ? 1 : 0;
    if (ulps_here > ulps) {
      ulps = ulps_here;
      at = x;
    }
  }

  void compare(const Case& each, float x) { compare(x, each.function(x), static_cast<float>(each.expected(x))); }

  void compare(const Case& each, const Block& x, const Block& expected) {
    Block y;
    each.compute(x, y);
    if (std::memcmp(y.data(), expected.data(), sizeof y) == 0) {
      ulps = std::max<int64_t>(ulps, 0);
      compared += x.size();
      return;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      compare(x[i], y[i], expected[i]);
    }
  }

  void add(const Worst& other) {
    at = other.ulps > ulps ? other.at : at;
    ulps = std::max(ulps, other.ulps);
    compared += other.compared;
    different += other.different;
  }

  void check(const Case& each) const {
    ::testing::Test::RecordProperty("ulps", std::to_string(ulps));
    EXPECT_LE(ulps, each.most_ulps) << each.name << "(" << std::hexfloat << at << ") is " << each.function(at)
                                    << ", not " << static_cast<float>(each.expected(at));
  }
};

class RealFunction : public ::testing::TestWithParam<Case> {};

/// The block of that number, of every so many floats; and of a symmetric function the same below 0.
void compare_block(const Case& each, uint64_t number, uint64_t step, Worst& worst) {
  Block x, expected;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::bit_cast<float>(static_cast<uint32_t>((number * x.size() + i) * step));
    expected[i] = static_cast<float>(each.expected(x[i]));
  }
  worst.compare(each, x, expected);
  if (each.symmetry != Symmetry::kNone) {
    const float sign = each.symmetry == Symmetry::kOdd ? -1.0F : 1.0F;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = -x[i];
      expected[i] *= sign;
    }
    worst.compare(each, x, expected);
  }
}

TEST_P(RealFunction, IsAsClose) {
  const Case& each = GetParam();
  const uint64_t step = std::getenv("FOVEA_ALL_FLOATS") != nullptr ? 1 : 997;
  const uint64_t floats = uint64_t{1} << (each.symmetry == Symmetry::kNone ? 32U : 31U);
  const uint64_t blocks = floats / (Block().size() * step);
  std::atomic<uint64_t> next = 0;
  std::vector<Worst> worsts(std::max(1U, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> threads;
    for (Worst& worst : worsts) {
      threads.emplace_back([&] {
        Worst own;
        for (uint64_t number = next++; number < blocks; number = next++) {
          compare_block(each, number, step, own);
        }
        worst = own;
      });
    }
  }
  Worst worst;
  for (const Worst& other : worsts) {
    worst.add(other);
  }
  worst.check(each);
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

float pow_2(float x) { return dla_real_pow(x, 2); }
float pow_3(float x) { return dla_real_pow(x, 3); }
float pow_minus_half(float x) { return dla_real_pow(x, -0.5F); }
float pow_of_10(float x) { return dla_real_pow(10, x); }

const Case kCases[] = {
    case_of<dla_real_absolute>(
        "absolute", [](double x) { return std::abs(x); }, 0, Symmetry::kEven),
    case_of<dla_real_acos>(
        "acos", [](double x) { return std::acos(x); }, 1),
    case_of<dla_real_acosh>(
        "acosh", [](double x) { return std::acosh(x); }, 1),
    case_of<dla_real_asin>(
        "asin", [](double x) { return std::asin(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_asinh>(
        "asinh", [](double x) { return std::asinh(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_atan>(
        "atan", [](double x) { return std::atan(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_atanh>(
        "atanh", [](double x) { return std::atanh(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_ceil>(
        "ceil", [](double x) { return std::ceil(x); }, 0),
    case_of<dla_real_cos>(
        "cos", [](double x) { return std::cos(x); }, 1, Symmetry::kEven),
    case_of<dla_real_erf>(
        "erf", [](double x) { return std::erf(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_exp>(
        "exp", [](double x) { return std::exp(x); }, 1),
    case_of<dla_real_expm1>(
        "expm1", [](double x) { return std::expm1(x); }, 1),
    case_of<dla_real_floor>(
        "floor", [](double x) { return std::floor(x); }, 0),
    case_of<dla_real_gelu>("gelu", gelu, 1),
    case_of<dla_real_gelu_tanh>("gelu_tanh", gelu_tanh, 1),
    case_of<dla_real_log>(
        "log", [](double x) { return std::log(x); }, 1),
    case_of<dla_real_log1p>(
        "log1p", [](double x) { return std::log1p(x); }, 1),
    case_of<dla_real_mish>("mish", mish, 1),
    case_of<pow_2>(
        "pow_2", [](double x) { return std::pow(x, 2); }, 1, Symmetry::kEven),
    case_of<pow_3>(
        "pow_3", [](double x) { return std::pow(x, 3); }, 1, Symmetry::kOdd),
    case_of<pow_minus_half>(
        "pow_minus_half", [](double x) { return std::pow(x, -0.5); }, 1),
    case_of<pow_of_10>(
        "pow_of_10", [](double x) { return std::pow(10, x); }, 1),
    case_of<dla_real_round>(
        "round", [](double x) { return std::nearbyint(x); }, 0, Symmetry::kOdd),
    case_of<dla_real_sigmoid>(
        "sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, 1),
    case_of<dla_real_sin>(
        "sin", [](double x) { return std::sin(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_sinh>(
        "sinh", [](double x) { return std::sinh(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_softplus>("softplus", softplus, 1),
    case_of<dla_real_sqrt>(
        "sqrt", [](double x) { return std::sqrt(x); }, 0),
    case_of<dla_real_tan>(
        "tan", [](double x) { return std::tan(x); }, 1, Symmetry::kOdd),
    case_of<dla_real_tanh>(
        "tanh", [](double x) { return std::tanh(x); }, 1, Symmetry::kOdd),
};

INSTANTIATE_TEST_SUITE_P(All, RealFunction, ::testing::ValuesIn(kCases),
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
