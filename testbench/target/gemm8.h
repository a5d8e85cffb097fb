// SPDX-License-Identifier: Apache-2.0
/// \file
/// A matrix unit of 8-bit values: fully connected layers, and nothing else. Its functional model stands in for a
/// device.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most inputs and outputs of a layer.
#define GEMM8_MOST_C 64u
#define GEMM8_MOST_M 32u

struct gemm8_layer {
  const char* name;
  uint32_t ifmap, ofmap;  ///< Byte offsets in the arena: [C] and [M] uint8.
  uint32_t weights;       ///< In the weights: [M] int32 biases, then [C, M] int8, a column of the unit after another.
  uint32_t C, M;
  struct dla_quant quant;
};

/// ofmap[m] = requantize(bias[m] + sum over c of (ifmap[c] - zero point) * weights[c][m]).
dla_status_t gemm8_run(struct dla_runtime* rt, const struct gemm8_layer* layer);

/// Multiplications that the unit has done since the process began.
extern uint64_t gemm8_macs;

#ifdef __cplusplus
}
#endif
