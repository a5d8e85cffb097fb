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
  const uint8_t* input = dla_arena_view(rt, args->input, elements);
  float* output = dla_float_output(rt, args->output_host, args->output, elements);
  if (elements == 0 || !dla_is_scale(args->scale) || input == NULL || output == NULL) {
    return kDlaBadArg;
  }
  for (uint32_t i = 0; i < elements; ++i) {
    output[i] = dla_dequantize_element(input[i], args->scale, args->zero_point);
  }
  dla_show_f32(rt, args->name, args->rank, args->shape, output);
  return kDlaOk;
}
