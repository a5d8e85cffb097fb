// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions and fully connected layers on the host: a shift for all filters, or scales of any kind.
#include "dla_convolve.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// \param rank     Of the ofmap: 3, or 1 where it is one pixel and shown as [M].
/// \param scaling  Instead of the shift, where it is not NULL.
static dla_status_t run(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args, bool relu, bool pool, uint32_t rank,
                        const struct dla_scaling* scaling) {
  DLA_TRY(dla_begin(rt, args->name));
  struct dla_convolution conv = {.C = args->C,
                                 .H = args->H,
                                 .W = args->W,
                                 .M = args->M,
                                 .groups = args->groups,
                                 .window = args->window,
                                 .quant = args->quant,
                                 .pool = pool,
                                 .pooling = args->pooling};
  dla_apply_relu(relu, &conv.quant);
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
  dla_show_u8(rt, args->name, rank, shape, ofmap);
  return kDlaOk;
}

dla_status_t dla_qconv2d_relu_maxpool_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return args == NULL ? kDlaBadArg : run(rt, args, true, true, 3, NULL);
}

dla_status_t dla_qconv2d_relu_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return args == NULL ? kDlaBadArg : run(rt, args, true, false, 3, NULL);
}

dla_status_t dla_qconv2d_maxpool_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return args == NULL ? kDlaBadArg : run(rt, args, false, true, 3, NULL);
}

dla_status_t dla_qconv2d_plain_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args) {
  return args == NULL ? kDlaBadArg : run(rt, args, false, false, 3, NULL);
}

static struct dla_quant quant_of(const struct dla_scaling* scaling) {
  return (struct dla_quant){.lowest = scaling->lowest,
                            .ifmap_zero_point = scaling->ifmap_zero_point,
                            .ofmap_zero_point = scaling->ofmap_zero_point,
                            .headroom = scaling->headroom};
}

dla_status_t dla_qconv2d_scaled_cpu(struct dla_runtime* rt, const struct dla_qconv2d_scaled_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  const struct dla_qconv2d_cpu conv = {.name = args->name,
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
                                       .quant = quant_of(&args->scaling),
                                       .pooling = args->pooling};
  return run(rt, &conv, args->scaling.relu, args->pool, 3, &args->scaling);
}

/// A fully connected layer is a convolution of one pixel.
static dla_status_t run_linear(struct dla_runtime* rt, const struct dla_qlinear_cpu* args, bool relu,
                               const struct dla_scaling* scaling) {
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
                                       .quant = args->quant};
  return run(rt, &conv, relu, false, 1, scaling);
}

dla_status_t dla_qlinear_relu_cpu(struct dla_runtime* rt, const struct dla_qlinear_cpu* args) {
  return args == NULL ? kDlaBadArg : run_linear(rt, args, true, NULL);
}

dla_status_t dla_qlinear_cpu(struct dla_runtime* rt, const struct dla_qlinear_cpu* args) {
  return args == NULL ? kDlaBadArg : run_linear(rt, args, false, NULL);
}

dla_status_t dla_qlinear_scaled_cpu(struct dla_runtime* rt, const struct dla_qlinear_scaled_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  const struct dla_qlinear_cpu linear = {.name = args->name,
                                         .ifmap = args->ifmap,
                                         .ofmap = args->ofmap,
                                         .filter = args->filter,
                                         .bias = args->bias,
                                         .C = args->C,
                                         .M = args->M,
                                         .quant = quant_of(&args->scaling)};
  return run_linear(rt, &linear, args->scaling.relu, &args->scaling);
}
