// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scales without a math library, an element's way between float and uint8, and tables from scale to scale. Internal to
/// the runtime.
#pragma once

#include "spec/dla_requant.h"

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

/// clamp(trunc(x * inverse_scale) + zero_point, 0, 255), as the lab quantizes: toward zero. Not a number becomes the
/// zero point.
static inline uint8_t dla_truncate_element(float x, float inverse_scale, uint8_t zero_point) {
  const float scaled = x * inverse_scale;
  if (scaled != scaled) {
    return zero_point;
  }
  const int32_t limit = 512;  // Beyond it every zero point saturates.
  const int32_t size = dla_round_f32(scaled < 0 ? -scaled : scaled, 0, limit, kDlaFloor);
  return dla_clamp_u8((int64_t)zero_point + (scaled < 0 ? -size : size));
}

/// (x - zero_point) * scale.
static inline float dla_dequantize_element(uint8_t x, float scale, uint8_t zero_point) {
  return (float)((int32_t)x - zero_point) * scale;
}

/// What each uint8 stands for: dla_dequantize_element().
static inline void dla_fill_value_table(float table[256], float scale, uint8_t zero_point) {
  for (uint32_t x = 0; x < 256; ++x) {
    table[x] = dla_dequantize_element((uint8_t)x, scale, zero_point);
  }
}
