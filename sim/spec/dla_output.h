// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the machine makes of a finished accumulator, as the layer command says.
#pragma once

#include "dla_command.h"
#include "dla_requant.h"

/// A scale of the filter stream as the machine takes it, whose START cannot refuse one: without its sign, 0 as the
/// smallest that there is, and what is infinite or no number as the largest.
static inline float dla_stream_scale(uint32_t bits) {
  const uint32_t size = bits & 0x7fffffffu;
  const union {
    uint32_t bits;
    float value;
  } scale = {.bits = size == 0 ? 1u : size >= 0x7f800000u ? 0x7f7fffffu : size};
  return scale.value;
}

/// Requantizes by the shift, or where `scaled` by `scale`, and clamps to lowest ... 255 - headroom.
/// The RTL's units for it are compared with this bit for bit (testbench/rtl/units).
static inline uint8_t dla_output(int32_t acc, const struct dla_quant* quant, bool scaled, float scale) {
  const uint8_t zero_point = quant->ofmap_zero_point;
  const uint8_t free = scaled ? dla_apply_scale(acc, scale, quant->rounding, false, zero_point)
                              : dla_requantize(acc, quant->shift, quant->rounding, false, zero_point);
  return dla_bound_u8(free, quant->lowest, quant->headroom);
}

/// Whether a residual may be added by these: scales of 2^-40 to below 2^41, an offset of 0 or of 2^-64 to below 2^64 in
/// size, so that no sum overflows or vanishes.
static inline bool dla_is_sum(float conv_scale, float residual_scale, float offset) {
  const float least = 0x1p-40f, most = 0x1p41f, size = offset < 0 ? -offset : offset;
  return conv_scale >= least && conv_scale < most && residual_scale >= least && residual_scale < most &&
         (size == 0 || (size >= 0x1p-64f && size < 0x1p64f));
}

/// An output of the convolution and a byte of the residual, added by their scales and clamped to sum_lowest ...
/// 255 - sum_headroom. The first operand is the one that is added last.
static inline uint8_t dla_add_residual(uint8_t output, uint8_t residual, const struct dla_quant* quant) {
  const bool first = quant->residual_first;
  const struct dla_addition by = {.ra = first ? quant->residual_scale : quant->conv_scale,
                                  .rb = first ? quant->conv_scale : quant->residual_scale,
                                  .fx = quant->sum_offset,
                                  .rounding = quant->rounding};
  const uint8_t free = first ? dla_add_u8(residual, output, &by, 0) : dla_add_u8(output, residual, &by, 0);
  return dla_bound_u8(free, quant->sum_lowest, quant->sum_headroom);
}

/// The mean of a filter's outputs. \param sum  Of the outputs less their zero points.
static inline uint8_t dla_mean_output(int32_t sum, const struct dla_quant* quant) {
  const uint8_t free = dla_apply_scale(sum, quant->conv_scale, quant->rounding, false, quant->mean_zero_point);
  return dla_bound_u8(free, quant->sum_lowest, quant->sum_headroom);
}
