// SPDX-License-Identifier: Apache-2.0
/// \file
/// From one scale and zero point to another by a shift, elementwise, on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "spec/dla_requant.h"

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
    ofmap[i] = dla_apply_shift((int32_t)ifmap[i] - args->ifmap_zero_point, args->shift, args->rounding, args->relu,
                               args->ofmap_zero_point);
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, ofmap);
  return kDlaOk;
}
