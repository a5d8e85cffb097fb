// SPDX-License-Identifier: Apache-2.0
/// \file
/// The float32 convolution on the host, for what a quantized network keeps in float32: plain loops.
#include "dla_pool.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// The sum under the window at one output pixel, of all channels of a group.
static double sum_window(const struct dla_pool* plane, uint32_t channels, const float* x, const float* filter,
                         uint32_t e, uint32_t f) {
  const struct dla_window* w = plane->window;
  const struct dla_taps taps = dla_taps_at(plane, e, f);
  const int64_t top = (int64_t)e * w->strides[0] - w->pads[0], left = (int64_t)f * w->strides[1] - w->pads[1];
  double sum = 0;
  for (uint32_t c = 0; c < channels; ++c) {
    for (int64_t row = taps.first[0]; row <= taps.last[0]; row += taps.step[0]) {
      const float* values = x + ((int64_t)c * plane->H + row) * plane->W;
      const float* weights = filter + ((int64_t)c * w->kernel[0] + (row - top) / taps.step[0]) * w->kernel[1];
      weights += (taps.first[1] - left) / taps.step[1];
      for (int64_t column = taps.first[1]; column <= taps.last[1]; column += taps.step[1]) {
        sum += (double)values[column] * (double)*weights++;
      }
    }
  }
  return sum;
}

static void convolve(const struct dla_float_conv2d_cpu* args, const uint32_t shape[3], const float* x,
                     const float* filters, const float* bias, float* y) {
  const uint32_t C = args->C / args->groups, M = args->M / args->groups;
  const size_t taps = (size_t)C * args->window.kernel[0] * args->window.kernel[1];
  const struct dla_pool plane = {.C = C, .H = args->H, .W = args->W, .window = &args->window};
  for (uint32_t m = 0; m < args->M; ++m) {
    const float* group = x + (size_t)(m / M) * C * args->H * args->W;
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        const double sum = (double)bias[m] + sum_window(&plane, C, group, filters + m * taps, e, f);
        *y++ = args->relu && sum < 0 ? 0 : (float)sum;
      }
    }
  }
}

dla_status_t dla_float_conv2d_cpu(struct dla_runtime* rt, const struct dla_float_conv2d_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const struct dla_convolution conv = {
      .C = args->C, .H = args->H, .W = args->W, .M = args->M, .groups = args->groups, .window = args->window};
  if (!dla_convolution_is_valid(&conv)) {
    return kDlaBadArg;
  }
  uint32_t shape[3] = {args->M, 0, 0};
  dla_convolution_outputs(&conv, &shape[1], &shape[2]);
  const uint64_t taps = (uint64_t)args->C / args->groups * args->window.kernel[0] * args->window.kernel[1];
  const float* x = dla_float_input(rt, args->x_host, args->x, (uint64_t)args->C * args->H * args->W);
  const float* filters = dla_float_weights(rt, args->filter, args->M * taps);
  const float* bias = dla_float_weights(rt, args->bias, args->M);
  float* y = dla_float_output(rt, args->y_host, args->y, dla_elements(3, shape));
  if (dla_elements(3, shape) == 0 || x == NULL || filters == NULL || bias == NULL || y == NULL) {
    return kDlaBadArg;
  }
  convolve(args, shape, x, filters, bias, y);
  dla_show_f32(rt, args->name, 3, shape, y);
  return kDlaOk;
}
