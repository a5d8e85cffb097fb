// SPDX-License-Identifier: Apache-2.0
/// \file
/// A small network written as the lab's compiler writes one, on the device and, with CPU_ONLY, on the host.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Weights of the network. conv1_padded holds conv1 with a fourth, zero channel: the lab pads a device layer's filters.
struct lab_weights {
  int8_t conv1[16 * 3 * 3 * 3], conv1_padded[16 * 4 * 3 * 3], conv2[24 * 16 * 3 * 3], fc1[32 * 24 * 8 * 8],
      fc2[10 * 32];
  int32_t conv1_bias[16], conv2_bias[24], fc1_bias[32], fc2_bias[10];
};

/// Runs the network on `input`, float32 [3, 16, 16], into `output`, float32 [10]. \return 0, or the first status that
/// is not.
int lab_model_dla(struct lab_weights* w, float* input, float* output);
int lab_model_cpu(struct lab_weights* w, float* input, float* output);

#ifdef __cplusplus
}
#endif
