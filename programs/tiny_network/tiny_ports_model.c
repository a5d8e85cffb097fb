// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network of two inputs and two outputs as foveac emits it: the sum of two pictures, and both one after another.
///
/// With TINY_TARGET "dla", the left picture goes through the accelerator first, unchanged (tiny_model.c).
#include "runtime/dla_runtime.h"
#include "tiny_conv.h"
#include "tiny_places.h"

extern const struct dla_model dla_model;

/// Where the tensors lie in the arena.
enum { kLeft = 0, kRight = 64, kConv = 128, kSum = 192, kJoined = 256, kArenaBytes = 384 };

static const struct dla_port inputs_of_model[] = {{.name = "left", .rank = 3, .shape = {3, 4, 4}},
                                                  {.name = "right", .rank = 3, .shape = {3, 4, 4}}};
static const struct dla_port outputs_of_model[] = {{.name = "sum", .rank = 3, .shape = {3, 4, 4}},
                                                   {.name = "joined", .rank = 3, .shape = {6, 4, 4}}};

static dla_status_t run(struct dla_runtime* rt, const float* const* inputs, float* const* outputs) {
  const bool on_device = dla_model.target[0] == 'd';
  const uint32_t left = on_device ? kConv : kLeft;
  TRY(dla_quantize_cpu(rt, &(const struct dla_quantize){.name = "quantize_left",
                                                        .input_host = inputs[0],
                                                        .output = kLeft,
                                                        .rank = 3,
                                                        .shape = {3, 4, 4},
                                                        .scale = 0x1p-5f,
                                                        .zero_point = 128}));
  TRY(dla_quantize_cpu(rt, &(const struct dla_quantize){.name = "quantize_right",
                                                        .input_host = inputs[1],
                                                        .output = kRight,
                                                        .rank = 3,
                                                        .shape = {3, 4, 4},
                                                        .scale = 0x1p-5f,
                                                        .zero_point = 128}));
  if (on_device) {
    TRY(run_tiny_conv(rt, kLeft, kConv));
  }
  TRY(dla_qbinary_cpu(rt, &(const struct dla_qbinary_cpu){
                              .name = "add",
                              .op = kDlaAdd,
                              .a = {.data = left, .shape = {3, 4, 4}, .scale = 0.03125f, .zero_point = 128},
                              .b = {.data = kRight, .shape = {3, 4, 4}, .scale = 0.03125f, .zero_point = 128},
                              .ofmap = kSum,
                              .rank = 3,
                              .shape = {3, 4, 4},
                              .ofmap_scale = 0.0625f,
                              .ofmap_zero_point = 128}));
  TRY(dla_concat_cpu(
      rt, &(const struct dla_concat_cpu){
              .name = "join",
              .y = kJoined,
              .type = "uint8",
              .element_bytes = 1,
              .rank = 3,
              .shape = {6, 4, 4},
              .runs = 1,
              .inputs = (const struct dla_concat_input[]){{.x = left, .run_bytes = 48}, {.x = kRight, .run_bytes = 48}},
              .count = 2}));
  TRY(dla_dequantize_cpu(rt, &(const struct dla_quantize){.name = "dequantize_sum",
                                                          .input = kSum,
                                                          .output_host = outputs[0],
                                                          .rank = 3,
                                                          .shape = {3, 4, 4},
                                                          .scale = 0x1p-4f,
                                                          .zero_point = 128}));
  return dla_dequantize_cpu(rt, &(const struct dla_quantize){.name = "dequantize_joined",
                                                             .input = kJoined,
                                                             .output_host = outputs[1],
                                                             .rank = 3,
                                                             .shape = {6, 4, 4},
                                                             .scale = 0x1p-5f,
                                                             .zero_point = 128});
}

const struct dla_model dla_model = {
    .abi = DLA_MODEL_ABI,
    .name = "tiny_ports",
    .target = TINY_TARGET,
    .machine = "eyeriss_6x8",
    .rounding = kDlaNearestEven,
    .model_key = kTinyModelKey,
    .weights_bytes = kTinyWeightsBytes,
    .arena_bytes = kArenaBytes,
    .layers = 7,
    .inputs = inputs_of_model,
    .input_count = 2,
    .outputs = outputs_of_model,
    .output_count = 2,
    .run_ports = run,
};
