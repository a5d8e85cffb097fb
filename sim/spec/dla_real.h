// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of real numbers in float32, without a C library: what a network's operators are made of on a CPU.
///
/// Each is computed in double and rounded once. None is more than 1 unit in the last place of float32 from the double
/// function of a good C library rounded to float32, for every float32 (dla_real_test.cpp); infinities and zeros are as
/// C has them, and what is not a number stays so. Polynomials without a source are Taylor's, cut where what is left out
/// is less than 1e-10 of the value.
#ifndef FOVEA_SIM_SPEC_DLA_REAL_H_
#define FOVEA_SIM_SPEC_DLA_REAL_H_

#include <float.h>
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

/// The magnitude of the first with the sign of the second.
static inline float dla_with_sign_of(float magnitude, float sign) {
  return dla_float_of((dla_bits_of(magnitude) & 0x7fffffffU) | (dla_bits_of(sign) & 0x80000000U));
}

static inline float dla_real_absolute(float x) { return dla_float_of(dla_bits_of(x) & 0x7fffffffU); }

/// To the nearest integer, ties to even.
static inline float dla_real_round(float x) {
  const float no_fraction = 8388608.0f;  // 2^23: from there on, all are integers.
  const float magnitude = dla_real_absolute(x);
  const float rounded = (magnitude + no_fraction) - no_fraction;
  return magnitude < no_fraction ? dla_with_sign_of(rounded, x) : x;
}

static inline float dla_real_floor(float x) {
  const float nearest = dla_real_round(x);
  return nearest > x ? dla_with_sign_of(nearest - 1.0f, x) : nearest;
}

static inline float dla_real_ceil(float x) {
  const float nearest = dla_real_round(x);
  return nearest < x ? dla_with_sign_of(nearest + 1.0f, x) : nearest;
}

/// 2^k * (1 + less_one) == e^x, where k is an integer: `power` is 2^k.
struct dla_exponential {
  double power, less_one;
};

/// For x from -110 to 110, and as at these ends beyond: there float32 has long ended.
static inline struct dla_exponential dla_exponential_of(double x) {
  const double above = x < -110.0 ? -110.0 : x, bounded = above > 110.0 ? 110.0 : above;
  const double no_fraction = 6755399441055744.0;  // 1.5 * 2^52: a sum with it has no bit left for a fraction.
  union dla_double_bits steps, power;
  steps.value = bounded * 1.4426950408889634 + no_fraction;
  const double k = steps.value - no_fraction;
  power.bits = (steps.bits + 1023U) << 52U;
  const double r = (bounded - k * 0.69314718055994529) - k * 2.3190468138462996e-17;  // |r| <= ln(2) / 2
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

/// ln(x) for x > 0 that double has with all its bits.
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

/// ln(1 + x) for x >= 0 below 2^60.
static inline double dla_log1p_f64(double x) {
  const double sum = 1.0 + x;
  return dla_log_f64(sum) + (x - (sum - 1.0)) / sum;
}

/// e^(z^2) * erfc(z) for z from 0 to 11. The quotient with t = 1 / (1 + 0.3 z) interpolated in t at 13 Chebyshev
/// points.
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

static inline float dla_real_exp(float x) { return (float)dla_exp_f64(x); }

/// e^x - 1.
static inline float dla_real_expm1(float x) { return x == 0 ? x : (float)dla_expm1_f64(x); }

/// The natural logarithm; not a number for x < 0.
static inline float dla_real_log(float x) {
  if (!(x > 0 && x <= FLT_MAX)) {
    return x == 0 ? -DLA_INFINITY : x > 0 ? x : DLA_NOT_A_NUMBER;
  }
  return (float)dla_log_f64(x);
}

static inline float dla_real_tanh(float x) {
  const double less_one = dla_expm1_f64(-2.0 * (double)dla_real_absolute(x));
  return dla_with_sign_of((float)(-less_one / (2.0 + less_one)), x);
}

/// 1 / (1 + e^-x).
static inline float dla_real_sigmoid(float x) { return (float)(1.0 / (1.0 + dla_exp_f64(-(double)x))); }

/// ln(1 + e^x).
static inline float dla_real_softplus(float x) {
  const double above = x > 0 ? (double)x : x <= 0 ? 0.0 : (double)x;
  return (float)(above + dla_log1p_f64(dla_exp_f64(-(double)dla_real_absolute(x))));
}

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

/// x * (1 + erf(x / sqrt(2))) / 2.
static inline float dla_real_gelu(float x) {
  const double magnitude = (double)dla_real_absolute(x), bounded = magnitude > 15.0 ? 15.0 : magnitude;
  const double erfc = dla_exp_f64(-0.5 * bounded * bounded) * dla_scaled_erfc_f64(bounded * 0.70710678118654752);
  const double both = x < 0 ? erfc : 2.0 - erfc;
  return x < -20.0f ? -0.0f : (float)(0.5 * (double)x * both);
}

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.
static inline float dla_real_gelu_tanh(float x) {
  const double bounded = x < -20.0f ? -20.0 : (double)x, x2 = bounded * bounded;
  const double twice = 1.5957691216057308 * bounded * (1.0 + 0.044715 * x2);
  return (float)(bounded / (1.0 + dla_exp_f64(-twice)));
}

/// Rounded as IEEE 754 asks; not a number for x < 0.
static inline float dla_real_sqrt(float x) {
  if (!(x > 0 && x <= FLT_MAX)) {
    return x == 0 || x > 0 ? x : DLA_NOT_A_NUMBER;
  }
  const double wide = x;
  union dla_double_bits guess;
  guess.value = wide;
  guess.bits = 0x5fe6eb50c7b537a9ULL - (guess.bits >> 1U);  // Halves the exponent: within 4 % of 1 / sqrt(x).
  double r = guess.value;
  for (int i = 0; i < 4; ++i) {  // Newton: each step doubles the digits.
    r = r * (1.5 - 0.5 * wide * r * r);
  }
  return (float)(wide * r);
}

/// Toward zero; the ends for what is beyond, 0 for what is not a number.
static inline int64_t dla_to_int64(double x) {
  const double end = 9223372036854775808.0;
  return x >= end ? INT64_MAX : x < -end ? INT64_MIN : x == x ? (int64_t)x : 0;
}

#endif  // FOVEA_SIM_SPEC_DLA_REAL_H_
