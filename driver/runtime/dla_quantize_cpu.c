// SPDX-License-Identifier: Apache-2.0
/// \file
/// float32 to uint8 on the host.
#include "dla_scale.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

dla_status_t dla_quantize_cpu(struct dla_runtime* rt, const struct dla_quantize* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint64_t input_bytes = (uint64_t)elements * sizeof(float);
  const float* input = args->input_host != NULL ? args->input_host : dla_arena_view(rt, args->input, input_bytes);
  uint8_t* output = dla_arena_view(rt, args->output, elements);
  if (elements == 0 || args->scale_log2 < -DLA_SCALE_LOG2_LIMIT || args->scale_log2 > DLA_SCALE_LOG2_LIMIT ||
      input == NULL || output == NULL) {
    return kDlaBadArg;
  }
  const float inverse_scale = dla_scale(-args->scale_log2);
  for (uint32_t i = 0; i < elements; ++i) {
    output[i] = dla_quantize_element(input[i], inverse_scale, args->zero_point, args->rounding);
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, output);
  return kDlaOk;
}
