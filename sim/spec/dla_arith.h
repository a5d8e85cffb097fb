// SPDX-License-Identifier: Apache-2.0
/// \file
/// The integer arithmetic of the machine, written once. The RTL is compared with it bit for bit.
///
/// Activations are uint8 with a zero point, weights int8 with zero point 0, biases and psums int32.
/// Scales are powers of two, so a requantization is a right shift with one of two roundings.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// How a quotient becomes an integer. The values are those of the QUANT.ROUNDING register field.
enum dla_rounding {
  kDlaNearestEven = 0,  ///< ONNX QuantizeLinear: to nearest, ties to even.
  kDlaFloor = 1,        ///< The lab's: arithmetic shift right; the input quantizer truncates toward zero.
};

/// Adds as the accumulators do: modulo 2^32.
static inline int32_t dla_wrap_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

/// x * 2^-shift rounded to an integer. \param shift 0 to 31.
static inline int32_t dla_round_shift(int32_t x, uint32_t shift, enum dla_rounding rounding) {
  const int64_t wide = x;
  const int64_t quotient = wide >> shift;  // Arithmetic on every compiler we build with; dla_arith_test checks it.
  if (rounding == kDlaFloor || shift == 0) {
    return (int32_t)quotient;
  }
  const int64_t rest = wide & (((int64_t)1 << shift) - 1);
  const int64_t half = (int64_t)1 << (shift - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return (int32_t)(quotient + (up ? 1 : 0));
}

/// clamp(x, 0, 255).
static inline uint8_t dla_clamp_u8(int64_t x) { return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x); }

/// y, raised to `lowest` and lowered to 255 - headroom. \pre lowest <= 255 - headroom.
static inline uint8_t dla_bound_u8(uint8_t y, uint8_t lowest, uint8_t headroom) {
  const uint8_t highest = (uint8_t)(255 - headroom);
  const uint8_t raised = y < lowest ? lowest : y;
  return raised > highest ? highest : raised;
}

/// clamp(round(relu?(acc) * 2^-shift) + zero_point, 0, 255).
/// \param acc         Bias plus all products, int32.
/// \param shift       0 to 31.
/// \param zero_point  Of the output, 0 to 255.
static inline uint8_t dla_requantize(int32_t acc, uint32_t shift, enum dla_rounding rounding, bool relu,
                                     uint8_t zero_point) {
  const int32_t kept = relu && acc < 0 ? 0 : acc;
  return dla_clamp_u8((int64_t)dla_round_shift(kept, shift, rounding) + zero_point);
}
