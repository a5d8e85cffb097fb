// SPDX-License-Identifier: Apache-2.0
/// \file
/// uint8 to float32 on the host.
#include "dla_scale.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

dla_status_t dla_dequantize_cpu(struct dla_runtime* rt, const struct dla_quantize* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint64_t output_bytes = (uint64_t)elements * sizeof(float);
  const uint8_t* input = dla_arena_view(rt, args->input, elements);
  float* output = args->output_host != NULL ? args->output_host : dla_arena_view(rt, args->output, output_bytes);
  if (elements == 0 || args->scale_log2 < -DLA_SCALE_LOG2_LIMIT || args->scale_log2 > DLA_SCALE_LOG2_LIMIT ||
      input == NULL || output == NULL) {
    return kDlaBadArg;
  }
  const float scale = dla_scale(args->scale_log2);
  for (uint32_t i = 0; i < elements; ++i) {
    output[i] = dla_dequantize_element(input[i], scale, args->zero_point);
  }
  dla_show_f32(rt, args->name, args->rank, args->shape, output);
  return kDlaOk;
}
