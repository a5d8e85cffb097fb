// SPDX-License-Identifier: Apache-2.0
/// \file
/// From one scale and zero point to another, elementwise, on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"

static uint8_t requantize(uint8_t x, const struct dla_requantize_cpu* args) {
  const int32_t value = (int32_t)x - args->ifmap_zero_point;
  if (args->shift >= 0) {
    return dla_requantize(value, (uint32_t)args->shift, args->rounding, args->relu, args->ofmap_zero_point);
  }
  const int32_t kept = args->relu && value < 0 ? 0 : value;
  return dla_clamp_u8((int64_t)kept * ((int64_t)1 << -args->shift) + args->ofmap_zero_point);
}

dla_status_t dla_requantize_cpu(struct dla_runtime* rt, const struct dla_requantize_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, elements);
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, elements);
  if (elements == 0 || args->shift < -31 || args->shift > 31 || ifmap == NULL || ofmap == NULL) {
    return kDlaBadArg;
  }
  for (uint32_t i = 0; i < elements; ++i) {
    ofmap[i] = requantize(ifmap[i], args);
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, ofmap);
  return kDlaOk;
}
