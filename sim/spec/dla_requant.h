// SPDX-License-Identifier: Apache-2.0
/// \file
/// What becomes of a result on its way to uint8, for scales of any kind: requantization, operators of two operands,
/// means, and change of scale.
///
/// y stands for the output. Every operation is one of IEEE float32, rounded; rne rounds to nearest, ties to even; fma
/// rounds product and sum once. The formulas are those of ONNX Runtime's integer kernels, bit for bit.
/// Rounding with kDlaFloor is another form of each: floor of the same value instead of rne.
#pragma once

#include <float.h>

#include "dla_arith.h"

#if FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2
#error "float32 operations must be rounded to float32: compile for SSE, or with the like of -msse2 -mfpmath=sse"
#endif

/// Whether a scale can be one: positive, finite, a number.
static inline bool dla_is_scale(float scale) { return scale > 0 && scale <= FLT_MAX; }

/// clamp(round(x), lowest, highest); lowest for what is not a number. \param lowest, highest  Within +-2^22.
static inline int32_t dla_round_f32(float x, int32_t lowest, int32_t highest, enum dla_rounding rounding) {
  const float no_fraction = 12582912.0f;  // 1.5 * 2^23: a sum with it has no bit left for a fraction.
  const float low = (float)lowest, high = (float)highest;
  const float raised = x > low ? x : low;
  const float bounded = raised < high ? raised : high;
  const float nearest = (bounded + no_fraction) - no_fraction;
  const int32_t above = nearest > bounded ? 1 : 0;
  return (int32_t)nearest - (rounding == kDlaFloor ? above : 0);
}

/// x * y + z, rounded once.
static inline float dla_fma_f32(float x, float y, float z) {
#ifdef __FMA__
  return __builtin_fmaf(x, y, z);
#else
  // The product is exact in double, and so is what its sum with z loses. Where it loses something, its last bit is set:
  // rounded to odd, with 29 bits more than float32 has, it rounds to float32 as the exact sum does.
  const double product = (double)x * (double)y, sum = product + (double)z;
  const double part = sum - product;
  const double lost = (product - (sum - part)) + ((double)z - part);
  union {
    double value;
    uint64_t bits;
  } odd = {.value = sum};
  if (lost != 0 && (odd.bits & 1) == 0) {
    odd.bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
  }
  return (float)odd.value;
#endif
}

/// How accumulators of one filter become outputs.
struct dla_requantization {
  float scale;    ///< f32(f32(sx * sw) / sy). It may have vanished: every output is then the zero point.
  bool is_shift;  ///< Whether scale == 2^-shift with -31 <= shift <= 31; from 0 on, the hardware's form.
  int32_t shift;  ///< Negative: to the left. 0 where it is none.
  enum dla_rounding rounding;
};

/// Derives it from the scales of ifmap, filter and ofmap.
/// \return false, and nothing written, where one of them or what follows is no scale: 0, negative, infinite or not a
/// number. That the product of small ones vanishes is no error.
static inline bool dla_derive_requantization(float sx, float sw, float sy, enum dla_rounding rounding,
                                             struct dla_requantization* out) {
  if (!dla_is_scale(sx) || !dla_is_scale(sw) || !dla_is_scale(sy)) {
    return false;
  }
  const float product = sx * sw;
  const float scale = product / sy;
  if (scale > FLT_MAX) {
    return false;
  }
  out->scale = scale;
  out->is_shift = false;
  out->shift = 0;
  out->rounding = rounding;
  float power = 2147483648.0f;
  for (int32_t shift = -31; shift <= 31; ++shift, power *= 0.5f) {
    if (scale == power) {
      out->is_shift = true;
      out->shift = shift;
    }
  }
  return true;
}

/// clamp(round(relu?(acc) * 2^-shift) + zero_point, 0, 255), one rounding. \param shift  -31 to 31; negative: left.
static inline uint8_t dla_apply_shift(int32_t acc, int32_t shift, enum dla_rounding rounding, bool relu,
                                      uint8_t zero_point) {
  if (shift >= 0) {
    return dla_requantize(acc, (uint32_t)shift, rounding, relu, zero_point);
  }
  const int32_t kept = relu && acc < 0 ? 0 : acc;
  return dla_clamp_u8((int64_t)kept * ((int64_t)1 << -shift) + zero_point);
}

/// clamp(round(f32(relu?(acc)) * scale) + zero_point, 0, 255). \param scale  0 or more, finite.
static inline uint8_t dla_apply_scale(int32_t acc, float scale, enum dla_rounding rounding, bool relu,
                                      uint8_t zero_point) {
  const int32_t lowest = relu ? 0 : -(int32_t)zero_point;
  const int32_t highest = 255 - (int32_t)zero_point;
  return (uint8_t)(dla_round_f32((float)acc * scale, lowest, highest, rounding) + zero_point);
}

/// clamp(round(f32(relu?(acc)) * scale) + zero_point, 0, 255); for a shift, one rounding by dla_apply_shift(), which is
/// the same as long as the accumulator is at most 2^24: above, f32(acc) is rounded itself and can move a tie.
static inline uint8_t dla_apply_requantization(int32_t acc, const struct dla_requantization* by, bool relu,
                                               uint8_t zero_point) {
  if (by->is_shift) {
    return dla_apply_shift(acc, by->shift, by->rounding, relu, zero_point);
  }
  return dla_apply_scale(acc, by->scale, by->rounding, relu, zero_point);
}

/// Values of whose mean the sum surely fits an int32.
#define DLA_MOST_MEAN_VALUES (1 << 23)

/// The scale at which the sum of `count` values becomes their mean: f32(sx / f32(sy * count)).
/// \return false, and nothing written, where one of the scales is none, or the quotient is too large.
static inline bool dla_derive_mean_scale(float sx, float sy, uint32_t count, float* scale) {
  if (!dla_is_scale(sx) || !dla_is_scale(sy)) {
    return false;
  }
  const float divisor = sy * (float)count;
  const float quotient = sx / divisor;
  if (quotient > FLT_MAX) {
    return false;
  }
  *scale = quotient;
  return true;
}

/// A sum of two tensors a and b, each with its scale. The zero points are inside the rounding.
struct dla_addition {
  float ra, rb;  ///< sa / sy and sb / sy.
  float fx;      ///< zy - fma(ra, za, rb * zb).
  enum dla_rounding rounding;
};

/// Derives it from scales and zero points.
/// \return false, and nothing written, where one of the scales is none, or so much larger than sy (2^117 times) that a
/// sum could overflow.
static inline bool dla_derive_addition(float sa, uint8_t za, float sb, uint8_t zb, float sy, uint8_t zy,
                                       enum dla_rounding rounding, struct dla_addition* out) {
  const float limit = FLT_MAX / 2048;
  if (!dla_is_scale(sa) || !dla_is_scale(sb) || !dla_is_scale(sy) || sa / sy > limit || sb / sy > limit) {
    return false;
  }
  out->ra = sa / sy;
  out->rb = sb / sy;
  const float zeros = out->rb * (float)zb;
  out->fx = (float)zy - dla_fma_f32(out->ra, (float)za, zeros);
  out->rounding = rounding;
  return true;
}

/// clamp(round(fma(a, ra, fma(b, rb, fx))), lowest, 255). The order counts: b is the second operand, or the one that is
/// constant along the innermost axis.  \param lowest  0, or with ReLU zy.
static inline uint8_t dla_add_u8(uint8_t a, uint8_t b, const struct dla_addition* by, uint8_t lowest) {
  const float sum = dla_fma_f32((float)a, by->ra, dla_fma_f32((float)b, by->rb, by->fx));
  return (uint8_t)dla_round_f32(sum, lowest, 255, by->rounding);
}

/// clamp(round(f32(f32(product * scale) + zy)), lowest, 255): the product of two values less their zero points, by the
/// scale of dla_derive_requantization(sa, sb, sy). No fma: that the scaled product is exact in double makes sure of it.
/// \param lowest  0, or with ReLU zy.
static inline uint8_t dla_multiply_u8(int32_t product, float scale, uint8_t zy, enum dla_rounding rounding,
                                      uint8_t lowest) {
  const float scaled = (float)((double)product * (double)scale);
  return (uint8_t)dla_round_f32(scaled + (float)zy, lowest, 255, rounding);
}

/// Operators of two operands. The values are part of what emitted C means.
enum dla_binary { kDlaAdd, kDlaSubtract, kDlaMultiply, kDlaDivide, kDlaMinimum, kDlaMaximum };

/// One float32 operation, as which all are computed but sums and products of quantized operands.
static inline float dla_combine_f32(enum dla_binary op, float a, float b) {
  switch (op) {
    case kDlaAdd:
      return a + b;
    case kDlaSubtract:
      return a - b;
    case kDlaMultiply:
      return a * b;
    case kDlaDivide:
      return a / b;
    case kDlaMinimum:
      return a < b ? a : b;
    default:
      return a > b ? a : b;
  }
}

/// clamp(round(f32(f32(f32(sum / count) / sy) + zy)), 0, 255): a mean of `count` values that were dequantized and added
/// one after another in float32. The zero point is inside the rounding. \pre dla_is_scale(sy).
static inline uint8_t dla_average_u8(float sum, float count, float sy, uint8_t zy, enum dla_rounding rounding) {
  const float mean = sum / count;
  const float steps = mean / sy;
  return (uint8_t)dla_round_f32(steps + (float)zy, 0, 255, rounding);
}

/// clamp(round(f32(value / sy)) + zy, lowest, 255); `lowest` for what is not a number. \pre dla_is_scale(sy).
static inline uint8_t dla_round_to_u8(float value, float sy, uint8_t zy, enum dla_rounding rounding, uint8_t lowest) {
  const int32_t zero = zy;
  return (uint8_t)(dla_round_f32(value / sy, (int32_t)lowest - zero, 255 - zero, rounding) + zero);
}

/// clamp(round(f32(f32(sx * (x - zx)) / sy)) + zy, 0, 255): x, of scale sx and zero point zx, in those of y.
/// \pre dla_is_scale(sx) and dla_is_scale(sy).
static inline uint8_t dla_change_scale(uint8_t x, float sx, uint8_t zx, float sy, uint8_t zy,
                                       enum dla_rounding rounding) {
  return dla_round_to_u8(sx * (float)((int32_t)x - zx), sy, zy, rounding, 0);
}

/// clamp(rne(f32(x / scale)) + zero_point, 0, 255); 0 for what is not a number. \pre dla_is_scale(scale).
static inline uint8_t dla_quantize_f32(float x, float scale, uint8_t zero_point) {
  return dla_round_to_u8(x, scale, zero_point, kDlaNearestEven, 0);
}
