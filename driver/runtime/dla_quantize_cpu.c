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
  const float* input = dla_float_input(rt, args->input_host, args->input, elements);
  uint8_t* output = dla_arena_view(rt, args->output, elements);
  if (elements == 0 || !dla_is_scale(args->scale) || input == NULL || output == NULL) {
    return kDlaBadArg;
  }
  const float scale = args->scale, inverse_scale = 1 / scale;
  if (args->rounding == kDlaFloor) {
    for (uint32_t i = 0; i < elements; ++i) {
      output[i] = dla_truncate_element(input[i], inverse_scale, args->zero_point);
    }
  } else {
    for (uint32_t i = 0; i < elements; ++i) {
      output[i] = dla_quantize_f32(input[i], scale, args->zero_point);
    }
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, output);
  return kDlaOk;
}
