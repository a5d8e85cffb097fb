// SPDX-License-Identifier: Apache-2.0
/// \file
/// The float32 convolution on the host.
#include "dla_convolution.h"
#include "dla_tensors.h"
#include "dla_widest_vectors.h"
#include "hal/dla_try.h"

typedef float dla_x;
typedef float dla_weight;
typedef float dla_sum;
typedef float dla_total;
typedef float dla_y;

/// A call's tensors.
struct job {
  const struct dla_float_conv2d_cpu* args;
  uint32_t shape[3];  ///< Of y.
  const float *x, *filter, *bias;
  float* y;
  const void* inputs[kDlaMostNestInputs];  ///< Of the end.
};

static inline dla_total add_sum(dla_total total, dla_sum sum) { return total + sum; }

DLA_WIDEST_VECTORS static void add_bias(const struct job* job, uint32_t m, uint32_t count, const float* restrict sums,
                                        float* restrict y) {
  const float bias = job->bias[m], least = job->args->relu ? 0 : -__builtin_inff();
  for (uint32_t i = 0; i < count; ++i) {
    const float sum = bias + sums[i];
    y[i] = sum < least ? least : sum;
  }
}

enum { kLine = 256 };  ///< Results at a time that the end takes.

/// The end of `count` results, of filter m from element `first` of its plane on.
static void end_line(const struct job* job, uint32_t m, uint32_t first, uint32_t count, const float* line, float* y) {
  const bool is_one = job->shape[1] * job->shape[2] == 1;
  job->args->end.run(job->inputs, is_one ? 0 : m, is_one ? m : first, count, line, y);
}

static void finish(const void* context, uint32_t m, uint32_t first, uint32_t count, const float* sums, float* y) {
  const struct job* job = context;
  if (job->args->end.run == NULL) {
    add_bias(job, m, count, sums, y);
    return;
  }
  float line[kLine];
  for (uint32_t i = 0; i < count; i += kLine) {
    const uint32_t some = count - i < kLine ? count - i : kLine;
    add_bias(job, m, some, sums + i, line);
    end_line(job, m, first + i, some, line, y + i);
  }
}

static inline bool finishes_rows(const void* context) { return ((const struct job*)context)->args->end.run != NULL; }

#include "dla_bands.h"
#include "dla_depthwise.h"
#include "dla_pixels.h"

enum { kLanes = 32 };  ///< Partial sums of a dot product.

/// x . weights: every 32nd product in one sum, and these added in halves.
DLA_WIDEST_VECTORS static float dot(const float* restrict x, const float* restrict weights, uint32_t taps) {
  float lanes[kLanes] = {0};
  const uint32_t whole = taps / kLanes * kLanes;
  for (uint32_t k = 0; k < whole; k += kLanes, x += kLanes, weights += kLanes) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      lanes[i] += x[i] * weights[i];
    }
  }
  for (uint32_t i = 0; i < taps - whole; ++i) {
    lanes[i] += x[i] * weights[i];
  }
  for (uint32_t half = kLanes / 2; half > 0; half /= 2) {
    for (uint32_t i = 0; i < half; ++i) {
      lanes[i] += lanes[i + half];
    }
  }
  return lanes[0];
}

/// The sum under a window that is too large for a band, at one output pixel. \param C  Channels of a filter.
static float sum_window(const struct dla_float_conv2d_cpu* args, uint32_t C, const float* x, const float* filter,
                        uint32_t e, uint32_t f) {
  const struct dla_window* w = &args->window;
  const int64_t top = (int64_t)e * w->strides[0] - w->pads[0], left = (int64_t)f * w->strides[1] - w->pads[1];
  const int64_t step = w->dilations[1], inside = ((int64_t)args->W - left + step - 1) / step;
  const int64_t first = left < 0 ? (-left + step - 1) / step : 0, end = inside < w->kernel[1] ? inside : w->kernel[1];
  float sum = 0;
  for (uint32_t c = 0; c < C; ++c) {
    for (uint32_t r = 0; r < w->kernel[0]; ++r, filter += w->kernel[1]) {
      const int64_t row = top + (int64_t)r * w->dilations[0];
      if (row < 0 || row >= args->H) {
        continue;
      }
      const float* values = x + ((int64_t)c * args->H + row) * args->W;
      for (int64_t s = first; s < end; ++s) {
        sum += values[left + s * step] * filter[s];
      }
    }
  }
  return sum;
}

/// Whether the window is the whole ifmap, as in a fully connected layer: its taps lie as the ifmap does.
static bool is_dot(const struct job* job) {
  const struct dla_window* w = &job->args->window;
  return job->shape[1] * job->shape[2] == 1 && w->kernel[0] == job->args->H && w->kernel[1] == job->args->W &&
         (w->dilations[0] == 1 || w->kernel[0] == 1) && (w->dilations[1] == 1 || w->kernel[1] == 1) &&
         (w->pads[0] | w->pads[1]) == 0;
}

/// Output by output where the window is the whole ifmap: a filter each.
static void multiply_filters(const struct job* job) {
  const struct dla_float_conv2d_cpu* args = job->args;
  const uint32_t C = args->C / args->groups, M = args->M / args->groups, taps = C * args->H * args->W;
  float line[kLine];
  for (uint32_t m = 0; m < args->M; m += kLine) {
    const uint32_t some = args->M - m < kLine ? args->M - m : kLine;
    float* y = args->end.run == NULL ? job->y + m : line;
    for (uint32_t i = 0; i < some; ++i) {
      const float sum = dot(job->x + (size_t)((m + i) / M) * taps, job->filter + (size_t)(m + i) * taps, taps);
      add_bias(job, m + i, 1, &sum, y + i);
    }
    if (args->end.run != NULL) {
      end_line(job, m, 0, some, line, job->y + m);
    }
  }
}

/// Filter by filter, output by output.
static void convolve_windows(const struct job* job) {
  const struct dla_float_conv2d_cpu* args = job->args;
  const uint32_t C = args->C / args->groups, M = args->M / args->groups, F = job->shape[2];
  const size_t taps = (size_t)C * args->window.kernel[0] * args->window.kernel[1];
  float* y = job->y;
  for (uint32_t m = 0; m < args->M; ++m) {
    const float* x = job->x + (size_t)(m / M) * C * args->H * args->W;
    for (uint32_t i = 0; i < job->shape[1] * F; ++i, ++y) {
      const float sum = sum_window(args, C, x, job->filter + m * taps, i / F, i % F);
      finish(job, m, i, 1, &sum, y);
    }
  }
}

/// One picture.
static void convolve(struct job* job, const struct dla_convolution* conv) {
  struct band_job bands = {.conv = conv, .x = job->x, .filter = job->filter, .y = job->y, .context = job};
  if (is_dot(job)) {
    multiply_filters(job);
  } else if (!convolve_pixels(&bands) && !convolve_depthwise(&bands) && !convolve_bands(&bands)) {
    convolve_windows(job);
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
  const uint32_t N = args->N == 0 ? 1 : args->N;
  struct job job = {.args = args, .shape = {args->M, 0, 0}};
  dla_convolution_outputs(&conv, &job.shape[1], &job.shape[2]);
  const uint32_t shape[4] = {N, args->M, job.shape[1], job.shape[2]};
  const uint32_t elements = dla_elements(3, job.shape);
  const uint64_t picture = (uint64_t)args->C * args->H * args->W;
  const uint64_t taps = (uint64_t)args->C / args->groups * args->window.kernel[0] * args->window.kernel[1];
  job.x = dla_float_input(rt, args->x_host, args->x, N * picture);
  job.filter = dla_float_weights(rt, args->filter, args->M * taps);
  job.bias = dla_float_weights(rt, args->bias, args->M);
  job.y = dla_float_output(rt, args->y_host, args->y, (uint64_t)N * elements);
  float* const y = job.y;
  if (dla_elements(4, shape) == 0 || (N != 1 && args->end.run != NULL) || job.x == NULL || job.filter == NULL ||
      job.bias == NULL || job.y == NULL ||
      (args->end.run != NULL && !dla_nest_inputs(rt, args->end.inputs, args->end.count, job.inputs))) {
    return kDlaBadArg;
  }
  for (uint32_t n = 0; n < N; ++n, job.x += picture, job.y += elements) {
    convolve(&job, &conv);
  }
  dla_show_pictures(rt, args->name, "float32", 4, 3, shape, y);
  return kDlaOk;
}
