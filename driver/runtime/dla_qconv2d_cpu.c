// SPDX-License-Identifier: Apache-2.0
/// \file
/// The four convolution composites on the host, and the one at scales of any kind.
#include "dla_convolve.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// \param scaling  Instead of the shift, where it is not NULL.
static dla_status_t run(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args, bool relu, bool pool,
                        const struct dla_scaling* scaling) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  struct dla_convolution conv = {.C = args->C,
                                 .H = args->H,
                                 .W = args->W,
                                 .M = args->M,
                                 .groups = args->groups,
                                 .window = args->window,
                                 .quant = args->quant,
                                 .pool = pool};
  conv.quant.relu = relu;
  if (!dla_convolution_is_valid(&conv) || args->bias % sizeof(int32_t) != 0) {
    return kDlaBadArg;
  }
  if (scaling != NULL && (conv.scale = dla_scales_view(rt, scaling, conv.M, &conv.scale_step)) == NULL) {
    return kDlaBadArg;
  }
  uint32_t shape[3] = {conv.M, 0, 0};
  dla_convolution_outputs(&conv, &shape[1], &shape[2]);
  const uint64_t taps = (uint64_t)conv.C / conv.groups * conv.window.kernel[0] * conv.window.kernel[1];
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, (uint64_t)conv.C * conv.H * conv.W);
  const int8_t* filter = dla_weights_view(rt, args->filter, conv.M * taps);
  const int32_t* bias = dla_weights_view(rt, args->bias, (uint64_t)conv.M * sizeof(int32_t));
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, (uint64_t)conv.M * shape[1] * shape[2]);
  if (ifmap == NULL || filter == NULL || bias == NULL || ofmap == NULL) {
    return kDlaBadArg;
  }
  dla_convolve(&conv, ifmap, filter, bias, ofmap);
  dla_show_u8(rt, args->name, 3, shape, ofmap);
  return kDlaOk;
}

dla_status_t dla_qconv2d_relu_maxpool_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return run(rt, args, true, true, NULL);
}

dla_status_t dla_qconv2d_relu_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return run(rt, args, true, false, NULL);
}

dla_status_t dla_qconv2d_maxpool_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return run(rt, args, false, true, NULL);
}

dla_status_t dla_qconv2d_plain_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return run(rt, args, false, false, NULL);
}

dla_status_t dla_qconv2d_scaled_cpu(struct dla_runtime* rt, const struct dla_qconv2d_scaled_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  const struct dla_qconv2d_cpu plain = {.name = args->name,
                                        .ifmap = args->ifmap,
                                        .ofmap = args->ofmap,
                                        .filter = args->filter,
                                        .bias = args->bias,
                                        .C = args->C,
                                        .H = args->H,
                                        .W = args->W,
                                        .M = args->M,
                                        .groups = args->groups,
                                        .window = args->window,
                                        .quant = {.ifmap_zero_point = args->scaling.ifmap_zero_point,
                                                  .ofmap_zero_point = args->scaling.ofmap_zero_point}};
  return run(rt, &plain, args->scaling.relu, args->pool, &args->scaling);
}
