// SPDX-License-Identifier: Apache-2.0
/// \file
/// float32 to uint8 on the host.
#include "dla_scale.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// \param scale  Instead of scale_log2 where it is not NULL; to nearest even then.
static dla_status_t run(struct dla_runtime* rt, const struct dla_quantize* args, const float* scale) {
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const float* input = dla_float_input(rt, args->input_host, args->input, elements);
  uint8_t* output = dla_arena_view(rt, args->output, elements);
  const bool is_scale = scale != NULL
                            ? dla_is_scale(*scale)
                            : args->scale_log2 >= -DLA_SCALE_LOG2_LIMIT && args->scale_log2 <= DLA_SCALE_LOG2_LIMIT;
  if (elements == 0 || !is_scale || input == NULL || output == NULL) {
    return kDlaBadArg;
  }
  if (scale != NULL) {
    const float divisor = *scale;
    for (uint32_t i = 0; i < elements; ++i) {
      output[i] = dla_quantize_f32(input[i], divisor, args->zero_point);
    }
  } else {
    const float inverse_scale = dla_scale(-args->scale_log2);
    for (uint32_t i = 0; i < elements; ++i) {
      output[i] = dla_quantize_element(input[i], inverse_scale, args->zero_point, args->rounding);
    }
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, output);
  return kDlaOk;
}

dla_status_t dla_quantize_cpu(struct dla_runtime* rt, const struct dla_quantize* args) {
  return args == NULL ? kDlaBadArg : run(rt, args, NULL);
}

dla_status_t dla_quantize_scaled_cpu(struct dla_runtime* rt, const struct dla_quantize_scaled* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  const struct dla_quantize ends = dla_ends_of(args);
  return run(rt, &ends, &args->scale);
}
