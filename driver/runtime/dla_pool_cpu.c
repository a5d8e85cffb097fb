// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pooling and average-pooling on the host, as ONNX MaxPool and ONNX Runtime's QLinearAveragePool define them.
#include "dla_pool.h"
#include "dla_scale.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// The ofmap's shape, and views of both tensors. \return false where a number makes no sense or one leaves the arena.
static bool open_pool(const struct dla_runtime* rt, const struct dla_pool* pool, uint32_t ifmap_place,
                      uint32_t ofmap_place, uint32_t shape[3], const uint8_t** ifmap, uint8_t** ofmap) {
  const uint32_t outputs = dla_pool_outputs(pool, shape);
  *ifmap = dla_arena_view(rt, ifmap_place, (uint64_t)pool->C * pool->H * pool->W);
  *ofmap = dla_arena_view(rt, ofmap_place, outputs);
  return outputs != 0 && *ifmap != NULL && *ofmap != NULL;
}

/// The largest value of a plane under a window; 0 where it lies in the padding alone.
static uint8_t max_of(const uint8_t* plane, uint32_t W, const struct dla_taps* taps) {
  uint8_t best = 0;
  for (int64_t y = taps->first[0]; y <= taps->last[0]; y += taps->step[0]) {
    for (int64_t x = taps->first[1]; x <= taps->last[1]; x += taps->step[1]) {
      best = plane[y * W + x] > best ? plane[y * W + x] : best;
    }
  }
  return best;
}

dla_status_t dla_maxpool_cpu(struct dla_runtime* rt, const struct dla_maxpool_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const struct dla_pool pool = {args->C, args->H, args->W, args->ceil_mode, &args->window};
  uint32_t shape[3];
  const uint8_t* ifmap = NULL;
  uint8_t* ofmap = NULL;
  if (!open_pool(rt, &pool, args->ifmap, args->ofmap, shape, &ifmap, &ofmap)) {
    return kDlaBadArg;
  }
  uint8_t* out = ofmap;
  for (uint32_t c = 0; c < args->C; ++c, ifmap += (size_t)args->H * args->W) {
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        const struct dla_taps taps = dla_taps_at(&pool, e, f);
        *out++ = max_of(ifmap, args->W, &taps);
      }
    }
  }
  dla_show_u8(rt, args->name, 3, shape, ofmap);
  return kDlaOk;
}

/// The sum of a plane's values under a window, row by row in float32. \param count  Gets their number.
static float sum_of(const uint8_t* plane, uint32_t W, const struct dla_taps* taps, const float values[256],
                    uint32_t* count) {
  float sum = 0;
  *count = 0;
  for (int64_t y = taps->first[0]; y <= taps->last[0]; y += taps->step[0]) {
    for (int64_t x = taps->first[1]; x <= taps->last[1]; x += taps->step[1], ++*count) {
      sum += values[plane[y * W + x]];
    }
  }
  return sum;
}

dla_status_t dla_avgpool_cpu(struct dla_runtime* rt, const struct dla_avgpool_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const struct dla_pool pool = {args->C, args->H, args->W, args->ceil_mode, &args->window};
  uint32_t shape[3];
  const uint8_t* ifmap = NULL;
  uint8_t* ofmap = NULL;
  if (!dla_is_scale(args->ifmap_scale) || !dla_is_scale(args->ofmap_scale) ||
      !open_pool(rt, &pool, args->ifmap, args->ofmap, shape, &ifmap, &ofmap)) {
    return kDlaBadArg;
  }
  float values[256];
  dla_fill_value_table(values, args->ifmap_scale, args->ifmap_zero_point);
  uint8_t* out = ofmap;
  for (uint32_t c = 0; c < args->C; ++c, ifmap += (size_t)args->H * args->W) {
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        const struct dla_taps taps = dla_taps_at(&pool, e, f);
        uint32_t count = 0;
        const float sum = sum_of(ifmap, args->W, &taps, values, &count);
        count = args->count_include_pad ? args->window.kernel[0] * args->window.kernel[1] : count;
        *out++ = dla_average_u8(sum, (float)count, args->ofmap_scale, args->ofmap_zero_point, args->rounding);
      }
    }
  }
  dla_show_u8(rt, args->name, 3, shape, ofmap);
  return kDlaOk;
}
