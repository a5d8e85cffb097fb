// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the machine makes of a finished accumulator, as the layer command says.
#ifndef FOVEA_SIM_SPEC_DLA_OUTPUT_H_
#define FOVEA_SIM_SPEC_DLA_OUTPUT_H_

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

#endif  // FOVEA_SIM_SPEC_DLA_OUTPUT_H_
