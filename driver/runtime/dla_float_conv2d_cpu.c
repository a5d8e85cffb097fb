// SPDX-License-Identifier: Apache-2.0
/// \file
/// The float32 convolution on the host, for what a quantized network keeps in float32: plain loops.
#include "dla_convolve.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// What of the filter's extent `kernel` lies inside the ifmap, for a window that starts at `start`: first to *end - 1.
static uint32_t first_inside(int64_t start, uint32_t kernel, uint32_t dilation, uint32_t size, uint32_t* end) {
  uint32_t first = 0;
  while (first < kernel && start + (int64_t)first * dilation < 0) {
    ++first;
  }
  *end = first;
  while (*end < kernel && start + (int64_t)*end * dilation < size) {
    ++*end;
  }
  return first;
}

/// The sum under one window, of all channels of a group.
static double sum_window(const struct dla_float_conv2d_cpu* args, const float* x, const float* filter, int64_t top,
                         int64_t left) {
  const struct dla_window* w = &args->window;
  uint32_t r_end = 0, s_end = 0;
  const uint32_t r_first = first_inside(top, w->kernel[0], w->dilations[0], args->H, &r_end);
  const uint32_t s_first = first_inside(left, w->kernel[1], w->dilations[1], args->W, &s_end);
  double sum = 0;
  for (uint32_t c = 0; c < args->C / args->groups; ++c) {
    for (uint32_t r = r_first; r < r_end; ++r) {
      const float* row = x + ((size_t)c * args->H + (size_t)(top + (int64_t)r * w->dilations[0])) * args->W;
      const float* taps = filter + ((size_t)c * w->kernel[0] + r) * w->kernel[1];
      for (uint32_t s = s_first; s < s_end; ++s) {
        sum += (double)row[left + (int64_t)s * w->dilations[1]] * (double)taps[s];
      }
    }
  }
  return sum;
}

static void convolve(const struct dla_float_conv2d_cpu* args, const uint32_t shape[3], const float* x,
                     const float* filters, const float* bias, float* y) {
  const uint32_t C = args->C / args->groups, M = args->M / args->groups;
  const size_t taps = (size_t)C * args->window.kernel[0] * args->window.kernel[1];
  for (uint32_t m = 0; m < args->M; ++m) {
    const float* group = x + (size_t)(m / M) * C * args->H * args->W;
    for (uint32_t e = 0; e < shape[1]; ++e) {
      for (uint32_t f = 0; f < shape[2]; ++f) {
        const int64_t top = (int64_t)e * args->window.strides[0] - args->window.pads[0];
        const int64_t left = (int64_t)f * args->window.strides[1] - args->window.pads[1];
        const double sum = (double)bias[m] + sum_window(args, group, filters + m * taps, top, left);
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
