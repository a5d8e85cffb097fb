// SPDX-License-Identifier: Apache-2.0
/// \file
/// Power-of-two scales without a math library, and one element's way between float and uint8. Internal to the runtime.
#ifndef FOVEA_DRIVER_RUNTIME_DLA_SCALE_H_
#define FOVEA_DRIVER_RUNTIME_DLA_SCALE_H_

#include "spec/dla_arith.h"

/// Range of a scale's exponent: both the scale and its inverse are normal floats.
#define DLA_SCALE_LOG2_LIMIT 126

/// 2^log2. \pre -DLA_SCALE_LOG2_LIMIT <= log2 <= DLA_SCALE_LOG2_LIMIT.
static inline float dla_scale(int32_t log2) {
  const union {
    uint32_t bits;
    float value;
  } scale = {.bits = (uint32_t)(127 + log2) << 23};
  return scale.value;
}

/// clamp(round(x * inverse_scale) + zero_point, 0, 255). kDlaFloor truncates toward zero, as the lab does.
/// Not a number becomes the zero point.
static inline uint8_t dla_quantize_element(float x, float inverse_scale, uint8_t zero_point,
                                           enum dla_rounding rounding) {
  const float limit = 512.0f;  // Beyond it every zero point saturates.
  const float scaled = x * inverse_scale;
  if (scaled != scaled) {
    return zero_point;
  }
  const float bounded = scaled < -limit ? -limit : scaled > limit ? limit : scaled;
  int32_t quotient = (int32_t)bounded;
  if (rounding == kDlaNearestEven) {
    const float rest = bounded - (float)quotient;  // Exact, with the sign of x.
    const float size = rest < 0 ? -rest : rest;
    const bool away = size > 0.5f || (size == 0.5f && (quotient & 1) != 0);
    quotient += !away ? 0 : rest < 0 ? -1 : 1;
  }
  return dla_clamp_u8((int64_t)quotient + zero_point);
}

/// (x - zero_point) * scale.
static inline float dla_dequantize_element(uint8_t x, float scale, uint8_t zero_point) {
  return (float)((int32_t)x - zero_point) * scale;
}

#endif  // FOVEA_DRIVER_RUNTIME_DLA_SCALE_H_
