// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of real numbers in float32, without a C library: what a network's operators are made of on a CPU.
///
/// Each is computed in double and rounded once. "Ulps" are units in the last place of float32 between it and glibc's
/// double function (for a composition, the same one of those) rounded to float32: the most over all float32, measured
/// by dla_real_test.cpp. Zeros and infinities are as C has them, signs included, and what is not a number stays so.
/// Polynomials without a source are Taylor's, cut where what is left out is less than 1e-10 of the value.
///
/// Only + - * / and bits of IEEE types, rounding to nearest: every machine gives the same bits, unless its compiler
/// fuses products into sums. GCC does so for C++ and -std=gnu11 where the machine has the instruction, not with
/// -std=c11 or -ffp-contract=off; fused, last bits may differ, and the test still passes.
#pragma once

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

union dla_double_bits {
  double value;
  uint64_t bits;
};

union dla_float_bits {
  float value;
  uint32_t bits;
};

static inline float dla_float_of(uint32_t bits) {
  union dla_float_bits it;
  it.bits = bits;
  return it.value;
}

static inline uint32_t dla_bits_of(float value) {
  union dla_float_bits it;
  it.value = value;
  return it.bits;
}

#define DLA_INFINITY dla_float_of(0x7f800000U)
#define DLA_NOT_A_NUMBER dla_float_of(0x7fc00000U)

/// dla_min_<name>() and dla_max_<name>(), the smaller and the larger of two: the first where they are equal, or one is
/// not a number.
#define DLA_EXTREMES(name, type)                                              \
  static inline type dla_min_##name(type a, type b) { return b < a ? b : a; } \
  static inline type dla_max_##name(type a, type b) { return a < b ? b : a; }
DLA_EXTREMES(f32, float)
DLA_EXTREMES(f64, double)
DLA_EXTREMES(u8, uint8_t)
DLA_EXTREMES(i8, int8_t)
DLA_EXTREMES(i32, int32_t)
DLA_EXTREMES(i64, int64_t)
#undef DLA_EXTREMES

/// The magnitude of the first with the sign of the second.
static inline float dla_with_sign_of(float magnitude, float sign) {
  return dla_float_of((dla_bits_of(magnitude) & 0x7fffffffU) | (dla_bits_of(sign) & 0x80000000U));
}

static inline float dla_real_absolute(float x) { return dla_float_of(dla_bits_of(x) & 0x7fffffffU); }

/// To the nearest integer, ties to even: C's nearbyint. 0 ulps.
static inline float dla_real_round(float x) {
  const float no_fraction = 8388608.0f;  // 2^23: from there on, all are integers.
  const float magnitude = dla_real_absolute(x);
  const float rounded = (magnitude + no_fraction) - no_fraction;
  return magnitude < no_fraction ? dla_with_sign_of(rounded, x) : x;
}

/// The greatest integer up to x. 0 ulps.
static inline float dla_real_floor(float x) {
  const float nearest = dla_real_round(x);
  return nearest > x ? dla_with_sign_of(nearest - 1.0f, x) : nearest;
}

/// The least integer from x on; -0 between -1 and 0. 0 ulps.
static inline float dla_real_ceil(float x) {
  const float nearest = dla_real_round(x);
  return nearest < x ? dla_with_sign_of(nearest + 1.0f, x) : nearest;
}

/// 2^k * (1 + less_one) == e^x, where k is an integer: `power` is 2^k.
struct dla_exponential {
  double power, less_one;
};

/// x, or the nearer of -end and end. One comparison: loops over it become vectors.
static inline double dla_within(double x, double end) {
  union dla_double_bits it;
  it.value = x;
  const uint64_t sign = it.bits & 0x8000000000000000ULL;
  it.bits ^= sign;
  it.value = it.value > end ? end : it.value;
  it.bits |= sign;
  return it.value;
}

/// For x from -110 to 110, and as at these ends beyond: there float32 has long ended.
/// k is x / ln(2) rounded, so that |r| <= ln(2) / 2 is left of x.
static inline struct dla_exponential dla_exponential_of(double x) {
  const double bounded = dla_within(x, 110.0);
  const double no_fraction = 6755399441055744.0;  // 1.5 * 2^52: a sum with it has no bit left for a fraction.
  union dla_double_bits steps, power;
  steps.value = bounded * 1.4426950408889634 + no_fraction;
  const double k = steps.value - no_fraction;
  power.bits = (steps.bits + 1023U) << 52U;
  const double r = (bounded - k * 0.69314718055994529) - k * 2.3190468138462996e-17;  // ln(2) in two parts
  const double r2 = r * r;
  const double even = 1.0 / 2 + r2 * (1.0 / 24 + r2 * (1.0 / 720 + r2 * (1.0 / 40320)));
  const double odd = 1.0 / 6 + r2 * (1.0 / 120 + r2 * (1.0 / 5040 + r2 * (1.0 / 362880)));
  struct dla_exponential e;
  e.power = power.value;
  e.less_one = r + r2 * (even + r * odd);
  return e;
}

static inline double dla_exp_f64(double x) {
  const struct dla_exponential e = dla_exponential_of(x);
  return e.power + e.power * e.less_one;
}

static inline double dla_expm1_f64(double x) {
  const struct dla_exponential e = dla_exponential_of(x);
  return (e.power - 1.0) + e.power * e.less_one;
}

/// ln(x) for x > 0 that double has with all its bits: with f from sqrt(1/2) to sqrt(2), x = 2^exponent * f and
/// ln(f) = 2 artanh((f - 1) / (f + 1)). Up to 1e-13 of the value wrong, also near 1.
static inline double dla_log_f64(double x) {
  union dla_double_bits bits;
  bits.value = x;
  const uint64_t half_root = 0x3fe6a09e667f3bcdULL;  // Of sqrt(1/2): the mantissa goes from there to sqrt(2).
  const int64_t exponent = (int64_t)(bits.bits - half_root) >> 52;
  bits.bits -= (uint64_t)exponent << 52U;
  const double f = bits.value - 1.0, s = f / (2.0 + f), s2 = s * s;
  const double series =
      1.0 / 3 + s2 * (1.0 / 5 + s2 * (1.0 / 7 + s2 * (1.0 / 9 + s2 * (1.0 / 11 + s2 * (1.0 / 13 + s2 * (1.0 / 15))))));
  return (double)exponent * 0.69314718055994531 + 2.0 * (s + s * s2 * series);
}

/// ln(1 + x) for x > -1: ln of the rounded sum, and what the sum lost.
static inline double dla_log1p_f64(double x) {
  const double sum = 1.0 + x;
  return dla_log_f64(sum) + (x - (sum - 1.0)) / sum;
}

/// e^(z^2) * erfc(z) for z from 0 to 11. Its quotient with t = 1 / (1 + 0.3 z) interpolated in t at 13 Chebyshev
/// points: up to 4e-11 of the value wrong.
static inline double dla_scaled_erfc_f64(double z) {
  const double t = 1.0 / (1.0 + 0.3 * z);
  double p = -0.025049239574112286;
  p = p * t + 0.19140307919137692;
  p = p * t - 0.6031475428017561;
  p = p * t + 1.0170941242987455;
  p = p * t - 1.0875685397861228;
  p = p * t + 0.8927353344940394;
  p = p * t - 0.39771605783287983;
  p = p * t + 0.2855830053002139;
  p = p * t + 0.07050311446602184;
  p = p * t + 0.15737509842779732;
  p = p * t + 0.16015864161745186;
  p = p * t + 0.16937646417574248;
  p = p * t + 0.1692525180230517;
  return p * t;
}

/// The square root of an x >= 0 that is 0 or far within double's range: up to 4e-16 of the value wrong.
static inline double dla_sqrt_f64(double x) {
  union dla_double_bits guess;
  guess.value = x;
  // Read as integers, bits of a double are 2^52 * (1023 - 0.045 + its log2), about: within 4 % of 1 / sqrt(x).
  guess.bits = 0x5fe6eb851eb851ecULL - (guess.bits >> 1U);  // 2^52 * 1.5 * (1023 - 0.045)
  double r = guess.value;
  for (int i = 0; i < 4; ++i) {  // Newton: each step doubles the digits.
    r = r * (1.5 - 0.5 * x * r * r);
  }
  return x * r;
}

/// x = quarters * pi / 2 + rest, where |rest| <= pi / 4; of the quarters the last two bits.
struct dla_angle {
  uint32_t quarters;
  double rest;
};

/// Of a number. Up to pi / 4 it is the rest itself. Beyond, x is m * 2^e of integers, m of 24 bits: multiplied by the
/// 96 bits of 2 / pi that follow those which give multiples of four quarters. What these leave out is 2^-62 of a
/// quarter. Source: Payne and Hanek, "Radian Reduction for Trigonometric Functions", ACM SIGNUM Newsletter 18, 1983.
static inline struct dla_angle dla_angle_of(float x) {
  static const uint32_t two_over_pi[] = {0U,          0xa2f9836eU, 0x4e441529U, 0xfc2757d1U,
                                         0xf534ddc0U, 0xdb629599U, 0x3c439041U, 0xfe5163abU};
  struct dla_angle angle = {0, (double)x};
  const uint32_t bits = dla_bits_of(x) & 0x7fffffffU;
  if (bits <= 0x3f490fdaU) {  // pi / 4
    return angle;
  }
  const uint32_t m = (bits & 0x7fffffU) | 0x800000U;
  const uint32_t first = (bits >> 23U) - 120U;  // Of the bits: e + 30, as the table begins 32 bits before the point.
  uint32_t window[3];
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t word = first / 32U + i;
    const uint64_t both = (uint64_t)two_over_pi[word] << 32U | two_over_pi[word + 1U];
    window[i] = (uint32_t)(both >> (32U - first % 32U));
  }
  // In units of 2^-62 quarters; what overflows are whole turns.
  const uint64_t product =
      ((uint64_t)(m * window[0]) << 32U) + (uint64_t)m * window[1] + ((uint64_t)m * window[2] >> 32U);
  const uint64_t quarters = (product + (1ULL << 61U)) >> 62U;
  const double rest = (double)(int64_t)(product - (quarters << 62U)) * 3.4061215800865545e-19;  // pi / 2 * 2^-62
  const bool is_negative = x < 0;
  angle.quarters = (uint32_t)(is_negative ? 4U - quarters : quarters) & 3U;
  angle.rest = is_negative ? -rest : rest;
  return angle;
}

/// sin(r) and cos(r) for r from -pi / 4 to pi / 4.
static inline double dla_sin_of_rest(double r) {
  const double r2 = r * r;
  const double small = 1.0 / 362880 + r2 * (-1.0 / 39916800);
  return r + r * r2 * (-1.0 / 6 + r2 * (1.0 / 120 + r2 * (-1.0 / 5040 + r2 * small)));
}

static inline double dla_cos_of_rest(double r) {
  const double r2 = r * r;
  const double small = 1.0 / 40320 + r2 * (-1.0 / 3628800 + r2 * (1.0 / 479001600));
  return 1.0 + r2 * (-1.0 / 2 + r2 * (1.0 / 24 + r2 * (-1.0 / 720 + r2 * small)));
}

/// Of the right-angled triangle with these sides, neither below 0 nor both 0, the angle that lies across from the
/// first: from 0 to pi / 2. With t the lesser side by the greater, atan(t) = pi / 4 + atan((t - 1) / (t + 1)) from
/// tan(pi / 8) on.
static inline double dla_angle_across(double side, double other) {
  const bool is_steep = side > other;
  const double less = is_steep ? other : side, more = is_steep ? side : other;
  const bool is_near_half = less > 0.41421356237309503 * more;
  const double t = is_near_half ? (less - more) / (less + more) : less / more, t2 = t * t;
  double series = 1.0 / 25;
  for (int n = 23; n > 1; n -= 2) {
    series = 1.0 / n - t2 * series;
  }
  const double angle = (is_near_half ? 0.78539816339744831 : 0.0) + (t - t * t2 * series);
  return is_steep ? 1.5707963267948966 - angle : angle;
}

/// e^x. At most 1 ulp.
static inline float dla_real_exp(float x) { return (float)dla_exp_f64(x); }

/// e^x - 1, with all its bits near 0. At most 1 ulp.
static inline float dla_real_expm1(float x) { return x == 0 ? x : (float)dla_expm1_f64(x); }

/// The natural logarithm: -infinity of both zeros, not a number for x < 0. At most 1 ulp.
static inline float dla_real_log(float x) {
  if (!(x > 0 && x <= FLT_MAX)) {
    return x == 0 ? -DLA_INFINITY : x > 0 ? x : DLA_NOT_A_NUMBER;
  }
  return (float)dla_log_f64(x);
}

/// ln(1 + x), with all its bits near 0: -infinity of -1, not a number for x < -1. At most 1 ulp.
static inline float dla_real_log1p(float x) {
  if (!(x > -1 && x <= FLT_MAX)) {
    return x == -1 ? -DLA_INFINITY : x > 0 ? x : DLA_NOT_A_NUMBER;
  }
  return x == 0 ? x : (float)dla_log1p_f64((double)x);
}

/// (1 - e^-2x) / (1 + e^-2x) for x >= 0, and odd. At most 1 ulp.
static inline float dla_real_tanh(float x) {
  const double less_one = dla_expm1_f64(-2.0 * (double)dla_real_absolute(x));
  return dla_with_sign_of((float)(-less_one / (2.0 + less_one)), x);
}

/// 1 / (1 + e^-x). At most 1 ulp of one float32 in 997.
static inline float dla_real_sigmoid(float x) { return (float)(1.0 / (1.0 + dla_exp_f64(-(double)x))); }

/// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|): right also where e^x ends. At most 1 ulp of one float32 in 997.
static inline float dla_real_softplus(float x) {
  const double above = x > 0 ? (double)x : x <= 0 ? 0.0 : (double)x;
  return (float)(above + dla_log1p_f64(dla_exp_f64(-(double)dla_real_absolute(x))));
}

/// x * tanh(ln(1 + e^x)), which is x * n / (n + 2) with n = e^x * (e^x + 2); its limit -0 for -infinity. At most 1 ulp.
/// Source: Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", BMVC 2020.
static inline float dla_real_mish(float x) {
  const double bounded = x < -110.0f ? -110.0 : (double)x;
  const double e = dla_exp_f64(bounded), n = e * (e + 2.0);
  return (float)(bounded * (n / (n + 2.0)));
}

/// The error function, 2 / sqrt(pi) times the integral of e^-t^2 from 0 to x. At most 1 ulp.
static inline float dla_real_erf(float x) {
  const double z = dla_real_absolute(x), z2 = z * z;
  if (z < 0.5) {  // Maclaurin's series.
    const double series =
        1.0 + z2 * (-1.0 / 3 +
                    z2 * (1.0 / 10 + z2 * (-1.0 / 42 + z2 * (1.0 / 216 + z2 * (-1.0 / 1320 + z2 * (1.0 / 9360))))));
    return (float)(1.1283791670955126 * (double)x * series);  // 2 / sqrt(pi)
  }
  const double bounded = z > 10.0 ? 10.0 : z;
  return dla_with_sign_of((float)(1.0 - dla_exp_f64(-(bounded * bounded)) * dla_scaled_erfc_f64(bounded)), x);
}

/// x * (1 + erf(x / sqrt(2))) / 2; for x < 0 the bracket is erfc(-x / sqrt(2)), which keeps its bits, and the limit -0
/// for -infinity. At most 1 ulp.
static inline float dla_real_gelu(float x) {
  const double magnitude = (double)dla_real_absolute(x), bounded = magnitude > 15.0 ? 15.0 : magnitude;
  const double erfc = dla_exp_f64(-0.5 * bounded * bounded) * dla_scaled_erfc_f64(bounded * 0.70710678118654752);
  const double both = x < 0 ? erfc : 2.0 - erfc;
  return x < -20.0f ? -0.0f : (float)(0.5 * (double)x * both);
}

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2, with (1 + tanh(u)) / 2 = 1 / (1 + e^-2u); its limit -0 for
/// -infinity. At most 1 ulp.
/// Source: ONNX operator Gelu, approximate="tanh".
static inline float dla_real_gelu_tanh(float x) {
  const double bounded = x < -20.0f ? -20.0 : (double)x, x2 = bounded * bounded;
  const double twice = 1.5957691216057308 * bounded * (1.0 + 0.044715 * x2);
  return (float)(bounded / (1.0 + dla_exp_f64(-twice)));
}

/// Rounded as IEEE 754 asks: 0 ulps; not a number for x < 0.
static inline float dla_real_sqrt(float x) {
  if (!(x > 0 && x <= FLT_MAX)) {
    return x == 0 || x > 0 ? x : DLA_NOT_A_NUMBER;
  }
  return (float)dla_sqrt_f64(x);
}

/// The sine: not a number of an infinity. At most 1 ulp.
static inline float dla_real_sin(float x) {
  if (!(dla_real_absolute(x) <= FLT_MAX)) {
    return DLA_NOT_A_NUMBER;
  }
  const struct dla_angle angle = dla_angle_of(x);
  const double y = (angle.quarters & 1U) != 0 ? dla_cos_of_rest(angle.rest) : dla_sin_of_rest(angle.rest);
  return x == 0 ? x : (float)((angle.quarters & 2U) != 0 ? -y : y);
}

/// The cosine: not a number of an infinity. At most 1 ulp.
static inline float dla_real_cos(float x) {
  if (!(dla_real_absolute(x) <= FLT_MAX)) {
    return DLA_NOT_A_NUMBER;
  }
  const struct dla_angle angle = dla_angle_of(x);
  const double y = (angle.quarters & 1U) != 0 ? dla_sin_of_rest(angle.rest) : dla_cos_of_rest(angle.rest);
  return (float)(((angle.quarters + 1U) & 2U) != 0 ? -y : y);
}

/// The tangent: not a number of an infinity. At most 1 ulp.
static inline float dla_real_tan(float x) {
  if (!(dla_real_absolute(x) <= FLT_MAX)) {
    return DLA_NOT_A_NUMBER;
  }
  const struct dla_angle angle = dla_angle_of(x);
  const double sine = dla_sin_of_rest(angle.rest), cosine = dla_cos_of_rest(angle.rest);
  return x == 0 ? x : (float)((angle.quarters & 1U) != 0 ? -cosine / sine : sine / cosine);
}

/// From -pi / 2 to pi / 2; not a number beyond 1. At most 1 ulp.
static inline float dla_real_asin(float x) {
  const double size = dla_real_absolute(x);
  return size <= 1 ? dla_with_sign_of((float)dla_angle_across(size, dla_sqrt_f64((1 - size) * (1 + size))), x)
                   : DLA_NOT_A_NUMBER;
}

/// From 0 to pi; not a number beyond 1. At most 1 ulp.
static inline float dla_real_acos(float x) {
  const double size = dla_real_absolute(x);
  if (!(size <= 1)) {
    return DLA_NOT_A_NUMBER;
  }
  const double angle = dla_angle_across(dla_sqrt_f64((1 - size) * (1 + size)), size);
  return (float)(x < 0 ? 3.1415926535897931 - angle : angle);
}

/// From -pi / 2 to pi / 2, of infinities too. At most 1 ulp.
static inline float dla_real_atan(float x) {
  return dla_with_sign_of((float)dla_angle_across((double)dla_real_absolute(x), 1.0), x);
}

/// (e^x - e^-x) / 2 by e^x - 1, with all its bits near 0. At most 1 ulp.
static inline float dla_real_sinh(float x) {
  const double less_one = dla_expm1_f64((double)dla_real_absolute(x));
  return x == 0 ? x : dla_with_sign_of((float)(0.5 * (less_one + less_one / (1.0 + less_one))), x);
}

/// ln(x + sqrt(x^2 + 1)), with all its bits near 0, and odd. At most 1 ulp.
static inline float dla_real_asinh(float x) {
  const double size = dla_real_absolute(x), x2 = size * size;
  return dla_real_absolute(x) <= FLT_MAX && x != 0
             ? dla_with_sign_of((float)dla_log1p_f64(size + x2 / (1.0 + dla_sqrt_f64(x2 + 1.0))), x)
             : x;
}

/// ln(x + sqrt(x^2 - 1)), with all its bits near 1; not a number for x < 1. At most 1 ulp.
static inline float dla_real_acosh(float x) {
  if (!(x >= 1 && x <= FLT_MAX)) {
    return x > 1 ? x : DLA_NOT_A_NUMBER;
  }
  const double above = (double)x - 1.0;
  return (float)dla_log1p_f64(above + dla_sqrt_f64(above * (above + 2.0)));
}

/// ln((1 + x) / (1 - x)) / 2, odd: infinite at 1, not a number beyond. At most 1 ulp.
static inline float dla_real_atanh(float x) {
  const double size = dla_real_absolute(x);
  if (!(size < 1)) {
    return size == 1 ? dla_with_sign_of(DLA_INFINITY, x) : DLA_NOT_A_NUMBER;
  }
  return x == 0 ? x : dla_with_sign_of((float)(0.5 * dla_log1p_f64(2.0 * size / (1.0 - size))), x);
}

/// x^y, with every special value of C's pow (C11, F.9.4.4): 1 where x is 1 or y is 0, whatever the other is; for x < 0
/// not a number unless y is an integer. At most 1 ulp, of all squares, all powers of 10 and drawn pairs: ties may go
/// either way.
static inline float dla_real_pow(float x, float y) {
  if (x == 1 || y == 0) {
    return 1;
  }
  const float size = dla_real_absolute(x), half = 0.5f * y;
  const bool is_integer = dla_real_round(y) == y;
  const bool is_odd = is_integer && dla_real_round(half) != half;  // Where halving loses a bit, y is no integer.
  if (x != x || y != y || (x < 0 && size <= FLT_MAX && !is_integer)) {
    return DLA_NOT_A_NUMBER;
  }
  float power = 0;
  if (size == 0 || size > FLT_MAX) {
    power = (size == 0) == (y < 0) ? DLA_INFINITY : 0.0f;
  } else {
    // An infinite y times ln(1) were not a number; any large one does for other sizes.
    power = (float)dla_exp_f64(dla_within((double)y, 1e30) * dla_log_f64((double)size));
  }
  return is_odd ? dla_with_sign_of(power, x) : power;
}

/// Toward zero; the ends for what is beyond, 0 for what is not a number.
static inline int64_t dla_to_int64(double x) {
  const double end = 9223372036854775808.0;
  return x >= end ? INT64_MAX : x < -end ? INT64_MIN : x == x ? (int64_t)x : 0;
}
