// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the tiny networks share: emitted code's TRY, and the convolution on the accelerator that changes nothing.
#pragma once

#include "runtime/dla_runtime.h"
#include "tiny_places.h"

#define TRY(call)                       \
  do {                                  \
    const dla_status_t status = (call); \
    if (status != kDlaOk) {             \
      return status;                    \
    }                                   \
  } while (0)

/// A 1x1 convolution from one place of the arena to another. Its GLB is planned here and not by a compiler, as the test
/// stands alone.
static inline dla_status_t run_tiny_conv(struct dla_runtime* rt, uint32_t ifmap, uint32_t ofmap) {
  struct dla_device_layer conv = {.operation = "qconv2d",
                                  .name = "conv",
                                  .ifmap = ifmap,
                                  .ofmap = ofmap,
                                  .filter = kTinyConvFilter,
                                  .shape = TINY_SHAPE,
                                  .mapping = TINY_MAPPING,
                                  .quant = {.ifmap_zero_point = 128, .ofmap_zero_point = 128}};
  const enum dla_error error = dla_plan_glb(&rt->machine, &conv.shape, &conv.mapping, &conv.glb);
  return error == kDlaErrorNone ? dla_run_on_device(rt, &conv) : kDlaRefused;
}
