// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network as foveac emits it, small enough to read: which of the three planes of a 4x4 picture is the brightest?
///
/// With TINY_TARGET "dla", a 1x1 convolution on the accelerator comes first, which changes nothing. tiny_network.cpp
/// writes the weights.
#include "runtime/dla_runtime.h"
#include "tiny_conv.h"
#include "tiny_places.h"

extern const struct dla_model dla_model;

static dla_status_t run(struct dla_runtime* rt, const float* input, float* output) {
  const bool on_device = dla_model.target[0] == 'd';
  TRY(dla_quantize_cpu(rt, &(const struct dla_quantize){.name = "quantize",
                                                        .input_host = input,
                                                        .output = kTinyPicture,
                                                        .rank = 3,
                                                        .shape = {3, 4, 4},
                                                        .scale = 0x1p-5f,
                                                        .zero_point = 128}));
  if (on_device) {
    TRY(run_tiny_conv(rt, kTinyPicture, kTinyConv));
  }
  TRY(dla_qlinear_cpu(
      rt, &(const struct dla_qlinear_cpu){.name = "fc",
                                          .ifmap = on_device ? kTinyConv : kTinyPicture,
                                          .ofmap = kTinyLogits,
                                          .filter = kTinyFcFilter,
                                          .bias = kTinyFcBias,
                                          .C = 48,
                                          .M = 3,
                                          .quant = {.shift = 4, .ifmap_zero_point = 128, .ofmap_zero_point = 128}}));
  return dla_dequantize_cpu(rt, &(const struct dla_quantize){.name = "dequantize",
                                                             .input = kTinyLogits,
                                                             .output_host = output,
                                                             .rank = 1,
                                                             .shape = {3},
                                                             .scale = 0x1p-5f,
                                                             .zero_point = 128});
}

const struct dla_model dla_model = {
    .abi = TINY_ABI,
    .name = "tiny",
    .target = TINY_TARGET,
    .machine = "eyeriss_6x8",
    .rounding = kDlaNearestEven,
    .model_key = kTinyModelKey,
    .weights_bytes = kTinyWeightsBytes,
    .arena_bytes = 256,
    .input_rank = 3,
    .input_shape = {3, 4, 4},
    .output_rank = 1,
    .output_shape = {3},
    .layers = 4,
    .run = run,
};
