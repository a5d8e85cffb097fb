// SPDX-License-Identifier: Apache-2.0
/// \file
/// A small network in the shape of the lab's generated code: positional calls, a malloc a tensor, CPU_ONLY in between.
#include "lab_model.h"

#include <stdlib.h>

#include "runtime/runtime.h"

#ifndef CPU_ONLY
int lab_model_dla(struct lab_weights* w, float* input, float* output) {
#else
int lab_model_cpu(struct lab_weights* w, float* input, float* output) {
#endif
  int failed = 0;
  uint8_t* out_0 = (uint8_t*)malloc(768);
  quantize_cpu(input, out_0, 768, 6);

  uint8_t* out_1 = (uint8_t*)malloc(1024);
#ifndef CPU_ONLY
  failed |= qconv2d_relu_maxpool(out_0, w->conv1_padded, out_1, w->conv1_bias, 1024, 768, 576,
                                 // Mapping parameters
                                 16, 8, 4, 4, 1, 2,
                                 // Shape parameters
                                 1, 1, 3, 3, 3, 16, 16, 16,
                                 // Quantization scale
                                 7);
#else
  failed |= qconv2d_relu_maxpool_cpu(out_0, w->conv1, out_1, w->conv1_bias, 1024, 768, 432,
                                     // Shape parameters
                                     1, 1, 3, 3, 3, 16, 16, 16,
                                     // Quantization scale
                                     7);
#endif
  free(out_0);

  uint8_t* out_2 = (uint8_t*)malloc(1536);
#ifndef CPU_ONLY
  failed |= qconv2d_relu(out_1, w->conv2, out_2, w->conv2_bias, 1536, 1024, 3456, 24, 8, 4, 4, 1, 2, 1, 1, 3, 3, 16, 24,
                         8, 8, 9);
#else
  failed |= qconv2d_relu_cpu(out_1, w->conv2, out_2, w->conv2_bias, 1536, 1024, 3456, 1, 1, 3, 3, 16, 24, 8, 8, 9);
#endif
  free(out_1);

  uint8_t* out_3 = (uint8_t*)malloc(32);
  failed |= qlinear_relu_cpu(out_2, w->fc1, out_3, w->fc1_bias, 32, 1536, 49152, 9);
  free(out_2);
  uint8_t* out_4 = (uint8_t*)malloc(10);
  failed |= qlinear_cpu(out_3, w->fc2, out_4, w->fc2_bias, 10, 32, 320, 8);
  free(out_3);
  dequantize_cpu(out_4, output, 10, 4);
  free(out_4);
  return failed;
}
