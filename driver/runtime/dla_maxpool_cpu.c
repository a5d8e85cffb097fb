// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pooling on the host, as ONNX MaxPool defines it.
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// Window positions along one axis; 0 where the window is larger than the padded input.
/// With ceil_mode a last position counts that starts inside the input or the padding before it.
static uint32_t positions(const struct dla_maxpool_cpu* args, uint32_t axis, uint32_t in) {
  const struct dla_window* w = &args->window;
  const uint64_t padded = (uint64_t)in + w->pads[axis] + w->pads[axis + 2];
  const uint64_t reach = (uint64_t)w->dilations[axis] * (w->kernel[axis] - 1) + 1;
  if (padded < reach) {
    return 0;
  }
  const uint64_t stride = w->strides[axis];
  uint64_t count = (padded - reach) / stride + 1;
  if (args->ceil_mode && (padded - reach) % stride != 0 && count * stride < (uint64_t)in + w->pads[axis]) {
    ++count;
  }
  return (uint32_t)count;
}

/// The largest value under the window at output (e, f) of one channel; 0 where it lies in the padding alone.
static uint8_t max_under_window(const struct dla_maxpool_cpu* args, const uint8_t* plane, uint32_t e, uint32_t f) {
  const struct dla_window* w = &args->window;
  uint8_t best = 0;
  for (uint32_t r = 0; r < w->kernel[0]; ++r) {
    const int64_t y = (int64_t)e * w->strides[0] + (int64_t)r * w->dilations[0] - w->pads[0];
    for (uint32_t s = 0; y >= 0 && y < args->H && s < w->kernel[1]; ++s) {
      const int64_t x = (int64_t)f * w->strides[1] + (int64_t)s * w->dilations[1] - w->pads[1];
      if (x >= 0 && x < args->W && plane[y * args->W + x] > best) {
        best = plane[y * args->W + x];
      }
    }
  }
  return best;
}

static bool is_valid(const struct dla_maxpool_cpu* args) {
  const struct dla_window* w = &args->window;
  return args->C != 0 && args->H != 0 && args->W != 0 && w->kernel[0] != 0 && w->kernel[1] != 0 && w->strides[0] != 0 &&
         w->strides[1] != 0 && w->dilations[0] != 0 && w->dilations[1] != 0;
}

dla_status_t dla_maxpool_cpu(struct dla_runtime* rt, const struct dla_maxpool_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  if (!is_valid(args)) {
    return kDlaBadArg;
  }
  const uint32_t shape[3] = {args->C, positions(args, 0, args->H), positions(args, 1, args->W)};
  const uint32_t outputs = dla_elements(3, shape);
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, (uint64_t)args->C * args->H * args->W);
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, outputs);
  if (outputs == 0 || ifmap == NULL || ofmap == NULL) {
    return kDlaBadArg;
  }
  uint8_t* out = ofmap;
  for (uint32_t c = 0; c < args->C; ++c) {
    const uint8_t* plane = ifmap + (size_t)c * args->H * args->W;
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        *out++ = max_under_window(args, plane, e, f);
      }
    }
  }
  dla_show_u8(rt, args->name, 3, shape, ofmap);
  return kDlaOk;
}
