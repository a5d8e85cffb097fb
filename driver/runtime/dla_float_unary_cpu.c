// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of one float32 number on the host, element by element, and the softmax: in double, rounded once.
#include "dla_float_math.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

static double clamp(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/// tanh(x) = 1 - 2 / (e^2x + 1); by its series where the difference would lose digits.
static double tanh_of(double x) {
  const double square = x * x;
  return square < 1e-4 ? x * (1 - square / 3 * (1 - square * 2 / 5)) : 1 - 2 / (dla_exp(2 * x) + 1);
}

/// e^x - 1, likewise.
static double exp_less_one(double x) {
  return x > -1e-3 && x < 1e-3 ? x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))) : dla_exp(x) - 1;
}

/// To nearest even: adding 1.5 * 2^52 leaves a double no room for fractions. Larger ones have none.
static double round_of(double x) {
  const double no_fraction = 6755399441055744.0;
  return x > -1e15 && x < 1e15 ? (x + no_fraction) - no_fraction : x;
}

static double apply(const struct dla_float_unary_cpu* args, double x) {
  const double alpha = (double)args->alpha, beta = (double)args->beta;
  switch (args->function) {
    case kDlaClip:
      return clamp(x, alpha, beta);
    case kDlaElu:
      return x >= 0 ? x : alpha * exp_less_one(x);
    case kDlaExp:
      return dla_exp(x);
    case kDlaHardSigmoid:
      return clamp(alpha * x + beta, 0, 1);
    case kDlaHardSwish:
      return x * clamp(x / 6 + 0.5, 0, 1);
    case kDlaLeakyRelu:
      return x >= 0 ? x : alpha * x;
    case kDlaRelu:
      return x < 0 ? 0 : x;
    case kDlaRound:
      return round_of(x);
    case kDlaSigmoid:
      return 1 / (1 + dla_exp(-x));
    default:
      return tanh_of(x);
  }
}

dla_status_t dla_float_unary_cpu(struct dla_runtime* rt, const struct dla_float_unary_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const float* x = dla_float_input(rt, args->x_host, args->x, elements);
  float* y = dla_float_output(rt, args->y_host, args->y, elements);
  if (elements == 0 || args->function > kDlaTanh || x == NULL || y == NULL) {
    return kDlaBadArg;
  }
  for (uint32_t i = 0; i < elements; ++i) {
    y[i] = (float)apply(args, (double)x[i]);
  }
  dla_show_f32(rt, args->name, args->rank, args->shape, y);
  return kDlaOk;
}

/// One run of `count` values, `step` apart.
static void scale_to_one(uint32_t count, uint32_t step, const float* x, float* y) {
  float most = x[0];
  for (uint32_t i = 1; i < count; ++i) {
    most = x[(size_t)i * step] > most ? x[(size_t)i * step] : most;
  }
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    sum += dla_exp((double)x[(size_t)i * step] - (double)most);
  }
  for (uint32_t i = 0; i < count; ++i) {
    y[(size_t)i * step] = (float)(dla_exp((double)x[(size_t)i * step] - (double)most) / sum);
  }
}

dla_status_t dla_float_softmax_cpu(struct dla_runtime* rt, const struct dla_float_softmax_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const float* x = dla_float_input(rt, args->x_host, args->x, elements);
  float* y = dla_float_output(rt, args->y_host, args->y, elements);
  const uint64_t block = (uint64_t)args->count * args->step;
  if (elements == 0 || block == 0 || elements % block != 0 || x == NULL || y == NULL) {
    return kDlaBadArg;
  }
  for (uint32_t first = 0; first < elements; first += (uint32_t)block) {
    for (uint32_t i = 0; i < args->step; ++i) {
      scale_to_one(args->count, args->step, x + first + i, y + first + i);
    }
  }
  dla_show_f32(rt, args->name, args->rank, args->shape, y);
  return kDlaOk;
}
