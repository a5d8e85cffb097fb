// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops that the compiler wrote for one layer, between the runtime's tensors.
#include "dla_tensors.h"
#include "hal/dla_try.h"

enum { kMostInputs = 8 };

dla_status_t dla_nest_cpu(struct dla_runtime* rt, const struct dla_nest_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  float* y = dla_float_output(rt, args->y_host, args->y, elements);
  if (args->run == NULL || args->inputs == NULL || args->count > kMostInputs || elements == 0 || y == NULL) {
    return kDlaBadArg;
  }
  const float* inputs[kMostInputs];
  for (uint32_t i = 0; i < args->count; ++i) {
    const struct dla_nest_input* input = &args->inputs[i];
    inputs[i] = input->is_constant ? dla_float_weights(rt, input->x, input->elements)
                                   : dla_float_input(rt, input->x_host, input->x, input->elements);
    if (inputs[i] == NULL) {
      return kDlaBadArg;
    }
  }
  args->run(inputs, y);
  dla_show_f32(rt, args->name, args->rank, args->shape, y);
  return kDlaOk;
}
