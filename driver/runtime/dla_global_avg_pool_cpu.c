// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mean of each channel, on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "spec/dla_requant.h"

dla_status_t dla_global_avg_pool_cpu(struct dla_runtime* rt, const struct dla_global_avg_pool_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint64_t plane = (uint64_t)args->H * args->W;
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, args->C * plane);
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, args->C);
  float scale = 0;
  if (args->C == 0 || plane == 0 || plane > DLA_MOST_MEAN_VALUES || ifmap == NULL || ofmap == NULL ||
      !dla_derive_mean_scale(args->ifmap_scale, args->ofmap_scale, (uint32_t)plane, &scale)) {
    return kDlaBadArg;
  }
  for (uint32_t c = 0; c < args->C; ++c) {
    int32_t sum = -(int32_t)plane * args->ifmap_zero_point;
    for (uint32_t i = 0; i < plane; ++i) {
      sum += ifmap[c * plane + i];
    }
    ofmap[c] = dla_apply_scale(sum, scale, args->rounding, false, args->ofmap_zero_point);
  }
  const uint32_t shape[3] = {args->C, 1, 1};
  dla_show_u8(rt, args->name, 3, shape, ofmap);
  return kDlaOk;
}
