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
  void* y = args->y_host != NULL ? args->y_host : dla_arena_view(rt, args->y, (uint64_t)elements * args->element_bytes);
  if (args->run == NULL || args->inputs == NULL || args->count > kMostInputs || elements == 0 || y == NULL) {
    return kDlaBadArg;
  }
  const void* inputs[kMostInputs];
  for (uint32_t i = 0; i < args->count; ++i) {
    const struct dla_nest_input* input = &args->inputs[i];
    inputs[i] = input->is_constant      ? dla_weights_view(rt, input->x, input->bytes)
                : input->x_host != NULL ? input->x_host
                                        : dla_arena_view(rt, input->x, input->bytes);
    if (inputs[i] == NULL) {
      return kDlaBadArg;
    }
  }
  args->run(inputs, y);
  dla_show(rt, args->name, args->type, args->element_bytes, args->rank, args->shape, y);
  return kDlaOk;
}
