// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions and fully connected layers on the host.
#include "dla_convolve.h"
#include "dla_scale.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// Finds the scales, where there are any. \return false where one is negative, infinite or not a number, or they leave
/// the weights.
static bool find_scales(const struct dla_runtime* rt, const struct dla_qconv2d_cpu* args,
                        struct dla_convolution* conv) {
  if (args->scaling == kDlaByShift) {
    return true;
  }
  const bool is_one = args->scaling == kDlaByScale;
  conv->scale = is_one ? &args->quant.scale : dla_float_weights(rt, args->scales, args->M);
  conv->scale_step = is_one ? 0 : 1;
  for (uint32_t m = 0; conv->scale != NULL && m < (is_one ? 1 : args->M); ++m) {
    if (conv->scale[m] != 0 && !dla_is_scale(conv->scale[m])) {
      return false;
    }
  }
  return conv->scale != NULL;
}

/// \param rank  Of the ofmap: 3, or 1 where it is one pixel and shown as [M].
static dla_status_t run(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args, uint32_t rank) {
  DLA_TRY(dla_begin(rt, args->name));
  struct dla_convolution conv = {.C = args->C,
                                 .H = args->H,
                                 .W = args->W,
                                 .M = args->M,
                                 .groups = args->groups,
                                 .window = args->window,
                                 .quant = args->quant,
                                 .pool = args->pool,
                                 .pooling = args->pooling};
  if (!dla_convolution_is_valid(&conv) || args->bias % sizeof(int32_t) != 0 || !find_scales(rt, args, &conv)) {
    return kDlaBadArg;
  }
  uint32_t shape[4] = {args->N == 0 ? 1 : args->N, conv.M, 0, 0};
  dla_convolution_outputs(&conv, &shape[2], &shape[3]);
  const uint64_t picture = (uint64_t)conv.C * conv.H * conv.W, outputs = (uint64_t)conv.M * shape[2] * shape[3];
  const uint64_t taps = (uint64_t)conv.C / conv.groups * conv.window.kernel[0] * conv.window.kernel[1];
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, shape[0] * picture);
  const int8_t* filter = dla_weights_view(rt, args->filter, conv.M * taps);
  const int32_t* bias = dla_weights_view(rt, args->bias, (uint64_t)conv.M * sizeof(int32_t));
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, shape[0] * outputs);
  if (ifmap == NULL || filter == NULL || bias == NULL || ofmap == NULL) {
    return kDlaBadArg;
  }
  for (uint32_t n = 0; n < shape[0]; ++n) {
    dla_convolve(&conv, ifmap + n * picture, filter, bias, ofmap + n * outputs);
  }
  dla_show_pictures(rt, args->name, "uint8", 1, rank, shape, ofmap);
  return kDlaOk;
}

dla_status_t dla_qconv2d_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return args == NULL ? kDlaBadArg : run(rt, args, 3);
}

/// A convolution of one pixel.
dla_status_t dla_qlinear_cpu(struct dla_runtime* rt, const struct dla_qlinear_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  const struct dla_qconv2d_cpu conv = {.name = args->name,
                                       .ifmap = args->ifmap,
                                       .ofmap = args->ofmap,
                                       .filter = args->filter,
                                       .bias = args->bias,
                                       .C = args->C,
                                       .H = 1,
                                       .W = 1,
                                       .M = args->M,
                                       .groups = 1,
                                       .window = DLA_ONE_PIXEL,
                                       .quant = args->quant,
                                       .scaling = args->scaling,
                                       .scales = args->scales,
                                       .N = args->N};
  return run(rt, &conv, 1);
}
