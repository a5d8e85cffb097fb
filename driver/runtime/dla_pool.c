// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the windows of a pool lie, as ONNX MaxPool and AveragePool define it.
#include "dla_pool.h"

#include "dla_tensors.h"

/// Window positions along one axis; 0 where the window is larger than the padded input.
static uint32_t positions(const struct dla_pool* pool, uint32_t axis, uint32_t in) {
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

uint32_t dla_pool_outputs(const struct dla_pool* pool, uint32_t shape[3]) {
  if (pool->C == 0 || pool->H == 0 || pool->W == 0 || !dla_window_is_valid(pool->window)) {
    return 0;
  }
  shape[0] = pool->C;
  shape[1] = positions(pool, 0, pool->H);
  shape[2] = positions(pool, 1, pool->W);
  return dla_elements(3, shape);
}

struct dla_taps dla_taps_at(const struct dla_pool* pool, uint32_t e, uint32_t f) {
  const struct dla_window* w = pool->window;
  const uint32_t at[2] = {e, f}, size[2] = {pool->H, pool->W};
  struct dla_taps taps;
  for (uint32_t axis = 0; axis < 2; ++axis) {
    const int64_t step = w->dilations[axis], start = (int64_t)at[axis] * w->strides[axis] - w->pads[axis];
    const int64_t end = start + (w->kernel[axis] - 1) * step;
    taps.step[axis] = step;
    taps.first[axis] = start < 0 ? start + (-start + step - 1) / step * step : start;
    taps.last[axis] = end < size[axis] ? end : (int64_t)size[axis] - 1;
  }
  return taps;
}
