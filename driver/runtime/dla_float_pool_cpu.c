// SPDX-License-Identifier: Apache-2.0
/// \file
/// Float32 max-pool and average-pool on the host, as ONNX MaxPool and AveragePool define them.
#include "dla_pool.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// The largest value of a plane under a window.
static float max_of(const float* plane, uint32_t W, const struct dla_taps* taps) {
  float best = -__builtin_inff();
  for (int64_t y = taps->first[0]; y <= taps->last[0]; y += taps->step[0]) {
    for (int64_t x = taps->first[1]; x <= taps->last[1]; x += taps->step[1]) {
      best = plane[y * W + x] > best ? plane[y * W + x] : best;
    }
  }
  return best;
}

/// How many taps of the window in one direction lie in the padded input, which ceil_mode may reach beyond.
static uint32_t taps_with_pads(const struct dla_window* w, uint32_t axis, uint32_t at, uint32_t in) {
  const int64_t start = (int64_t)at * w->strides[axis] - w->pads[axis], end = (int64_t)in + w->pads[axis + 2];
  const int64_t inside = (end - start + w->dilations[axis] - 1) / w->dilations[axis];
  return inside < w->kernel[axis] ? (uint32_t)inside : w->kernel[axis];
}

/// The mean of a plane's values under a window, summed in double.
static float mean_of(const struct dla_float_pool_cpu* args, const float* plane, const struct dla_taps* taps, uint32_t e,
                     uint32_t f) {
  double sum = 0;
  uint64_t count = 0;
  for (int64_t y = taps->first[0]; y <= taps->last[0]; y += taps->step[0]) {
    for (int64_t x = taps->first[1]; x <= taps->last[1]; x += taps->step[1], ++count) {
      sum += (double)plane[y * args->W + x];
    }
  }
  if (args->count_include_pad) {
    count = (uint64_t)taps_with_pads(&args->window, 0, e, args->H) * taps_with_pads(&args->window, 1, f, args->W);
  }
  return count == 0 ? 0 : (float)(sum / (double)count);
}

dla_status_t dla_float_pool_cpu(struct dla_runtime* rt, const struct dla_float_pool_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const struct dla_pool pool = {args->C, args->H, args->W, args->ceil_mode, &args->window};
  uint32_t shape[3];
  const uint32_t outputs = dla_pool_outputs(&pool, shape);
  const float* x = dla_float_input(rt, args->x_host, args->x, (uint64_t)args->C * args->H * args->W);
  float* y = dla_float_output(rt, args->y_host, args->y, outputs);
  if (outputs == 0 || x == NULL || y == NULL) {
    return kDlaBadArg;
  }
  float* out = y;
  for (uint32_t c = 0; c < args->C; ++c, x += (size_t)args->H * args->W) {
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        const struct dla_taps taps = dla_taps_at(&pool, e, f);
        *out++ = args->is_mean ? mean_of(args, x, &taps, e, f) : max_of(x, args->W, &taps);
      }
    }
  }
  dla_show_f32(rt, args->name, 3, shape, y);
  return kDlaOk;
}
