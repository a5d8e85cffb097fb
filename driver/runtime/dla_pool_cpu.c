// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pooling and average-pooling on the host, as ONNX MaxPool and ONNX Runtime's QLinearAveragePool define them.
#include "dla_convolve.h"
#include "dla_scale.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// What both have in common.
struct pool {
  uint32_t C, H, W, ifmap, ofmap;
  bool ceil_mode;
  const struct dla_window* window;
};

/// The taps of a window at one output pixel that lie in the ifmap: rows first, first + step, ..., and so the columns.
struct taps {
  int64_t first[2], last[2], step[2];
};

/// Window positions along one axis; 0 where the window is larger than the padded input.
/// With ceil_mode a last position counts that starts inside the input or the padding before it.
static uint32_t positions(const struct pool* pool, uint32_t axis, uint32_t in) {
  const struct dla_window* w = pool->window;
  const uint32_t count = dla_window_positions(w, axis, in);
  if (count == 0 || !pool->ceil_mode) {
    return count;
  }
  const uint64_t next = (uint64_t)count * w->strides[axis];
  const uint64_t covered = next - w->strides[axis] + (uint64_t)w->dilations[axis] * (w->kernel[axis] - 1) + 1;
  const bool is_partial = covered < (uint64_t)in + w->pads[axis] + w->pads[axis + 2];
  return count + (is_partial && next < (uint64_t)in + w->pads[axis] ? 1 : 0);
}

/// The ofmap's shape, and views of both. \return false where a number makes no sense or a tensor leaves the arena.
static bool open_pool(const struct dla_runtime* rt, const struct pool* pool, uint32_t shape[3], const uint8_t** ifmap,
                      uint8_t** ofmap) {
  if (pool->C == 0 || pool->H == 0 || pool->W == 0 || !dla_window_is_valid(pool->window)) {
    return false;
  }
  shape[0] = pool->C;
  shape[1] = positions(pool, 0, pool->H);
  shape[2] = positions(pool, 1, pool->W);
  const uint32_t outputs = dla_elements(3, shape);
  *ifmap = dla_arena_view(rt, pool->ifmap, (uint64_t)pool->C * pool->H * pool->W);
  *ofmap = dla_arena_view(rt, pool->ofmap, outputs);
  return outputs != 0 && *ifmap != NULL && *ofmap != NULL;
}

static struct taps taps_at(const struct pool* pool, uint32_t e, uint32_t f) {
  const struct dla_window* w = pool->window;
  const uint32_t at[2] = {e, f}, size[2] = {pool->H, pool->W};
  struct taps taps;
  for (uint32_t axis = 0; axis < 2; ++axis) {
    const int64_t step = w->dilations[axis], start = (int64_t)at[axis] * w->strides[axis] - w->pads[axis];
    const int64_t end = start + (w->kernel[axis] - 1) * step;
    taps.step[axis] = step;
    taps.first[axis] = start < 0 ? start + (-start + step - 1) / step * step : start;
    taps.last[axis] = end < size[axis] ? end : (int64_t)size[axis] - 1;
  }
  return taps;
}

/// The largest value of a plane under a window; 0 where it lies in the padding alone.
static uint8_t max_of(const uint8_t* plane, uint32_t W, const struct taps* taps) {
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
  const struct pool pool = {args->C, args->H, args->W, args->ifmap, args->ofmap, args->ceil_mode, &args->window};
  uint32_t shape[3];
  const uint8_t* ifmap = NULL;
  uint8_t* ofmap = NULL;
  if (!open_pool(rt, &pool, shape, &ifmap, &ofmap)) {
    return kDlaBadArg;
  }
  uint8_t* out = ofmap;
  for (uint32_t c = 0; c < args->C; ++c, ifmap += (size_t)args->H * args->W) {
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        const struct taps taps = taps_at(&pool, e, f);
        *out++ = max_of(ifmap, args->W, &taps);
      }
    }
  }
  dla_show_u8(rt, args->name, 3, shape, ofmap);
  return kDlaOk;
}

/// The sum of a plane's values under a window, row by row in float32. \param count  Gets their number.
static float sum_of(const uint8_t* plane, uint32_t W, const struct taps* taps, const float values[256],
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
  const struct pool pool = {args->C, args->H, args->W, args->ifmap, args->ofmap, args->ceil_mode, &args->window};
  uint32_t shape[3];
  const uint8_t* ifmap = NULL;
  uint8_t* ofmap = NULL;
  if (!dla_is_scale(args->ifmap_scale) || !dla_is_scale(args->ofmap_scale) ||
      !open_pool(rt, &pool, shape, &ifmap, &ofmap)) {
    return kDlaBadArg;
  }
  float values[256];
  dla_fill_value_table(values, args->ifmap_scale, args->ifmap_zero_point);
  uint8_t* out = ofmap;
  for (uint32_t c = 0; c < args->C; ++c, ifmap += (size_t)args->H * args->W) {
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        const struct taps taps = taps_at(&pool, e, f);
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
