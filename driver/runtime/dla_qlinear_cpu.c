// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fully connected layers on the host.
#include "dla_linear.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "spec/dla_requant.h"

/// Products of 255 * 128 that surely fit an int32.
enum { kSafeProducts = 32768 };

/// sum of (x - zero_point) * w, modulo 2^32.
static uint32_t dot(const uint8_t* x, int16_t zero_point, const int8_t* w, uint32_t count) {
  uint32_t total = 0;
  for (uint32_t start = 0; start < count; start += kSafeProducts) {
    const uint32_t end = count - start < kSafeProducts ? count : start + kSafeProducts;
    int32_t sum = 0;
    for (uint32_t i = start; i < end; ++i) {
      sum += (int16_t)(x[i] - zero_point) * (int16_t)w[i];
    }
    total += (uint32_t)sum;
  }
  return total;
}

void dla_multiply_rows(uint32_t C, uint32_t M, const struct dla_quant* quant, const float* scale, uint32_t scale_step,
                       const uint8_t* ifmap, const int8_t* filter, const int32_t* bias, uint8_t* ofmap) {
  for (uint32_t m = 0; m < M; ++m) {
    const uint32_t products = dot(ifmap, quant->ifmap_zero_point, filter + (size_t)m * C, C);
    const int32_t acc = (int32_t)((uint32_t)bias[m] + products);
    ofmap[m] = scale == NULL ? dla_requantize(acc, quant->shift, quant->rounding, quant->relu, quant->ofmap_zero_point)
                             : dla_apply_scale(acc, scale[(size_t)m * scale_step], kDlaNearestEven, quant->relu,
                                               quant->ofmap_zero_point);
  }
}

/// \param scaling  Instead of the shift, where it is not NULL.
static dla_status_t run(struct dla_runtime* rt, const struct dla_qlinear_cpu* args, bool relu,
                        const struct dla_scaling* scaling) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  if (args->C == 0 || args->M == 0 || args->quant.shift > 31 || args->bias % sizeof(int32_t) != 0) {
    return kDlaBadArg;
  }
  const float* scale = NULL;
  uint32_t scale_step = 0;
  if (scaling != NULL && (scale = dla_scales_view(rt, scaling, args->M, &scale_step)) == NULL) {
    return kDlaBadArg;
  }
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, args->C);
  const int8_t* filter = dla_weights_view(rt, args->filter, (uint64_t)args->C * args->M);
  const int32_t* bias = dla_weights_view(rt, args->bias, (uint64_t)args->M * sizeof(int32_t));
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, args->M);
  if (ifmap == NULL || filter == NULL || bias == NULL || ofmap == NULL) {
    return kDlaBadArg;
  }
  struct dla_quant quant = args->quant;
  quant.relu = relu;
  dla_multiply_rows(args->C, args->M, &quant, scale, scale_step, ifmap, filter, bias, ofmap);
  dla_show_u8(rt, args->name, 1, &args->M, ofmap);
  return kDlaOk;
}

dla_status_t dla_qlinear_relu_cpu(struct dla_runtime* rt, const struct dla_qlinear_cpu* args) {
  return run(rt, args, true, NULL);
}

dla_status_t dla_qlinear_cpu(struct dla_runtime* rt, const struct dla_qlinear_cpu* args) {
  return run(rt, args, false, NULL);
}

dla_status_t dla_qlinear_scaled_cpu(struct dla_runtime* rt, const struct dla_qlinear_scaled_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  const struct dla_qlinear_cpu plain = {.name = args->name,
                                        .ifmap = args->ifmap,
                                        .ofmap = args->ofmap,
                                        .filter = args->filter,
                                        .bias = args->bias,
                                        .C = args->C,
                                        .M = args->M,
                                        .quant = {.ifmap_zero_point = args->scaling.ifmap_zero_point,
                                                  .ofmap_zero_point = args->scaling.ofmap_zero_point}};
  return run(rt, &plain, args->scaling.relu, &args->scaling);
}
