// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops that the compiler wrote for one layer, between the runtime's tensors.
#include "dla_tensors.h"
#include "hal/dla_try.h"

bool dla_nest_inputs(const struct dla_runtime* rt, const struct dla_nest_input* inputs, uint32_t count,
                     const void** places) {
  if (count > kDlaMostNestInputs || (count > 0 && inputs == NULL)) {
    return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const struct dla_nest_input* input = &inputs[i];
    places[i] = input->is_constant      ? dla_weights_view(rt, input->x, input->bytes)
                : input->x_host != NULL ? input->x_host
                                        : dla_arena_view(rt, input->x, input->bytes);
    if (places[i] == NULL) {
      return false;
    }
  }
  return true;
}

dla_status_t dla_nest_cpu(struct dla_runtime* rt, const struct dla_nest_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  void* y = args->y_host != NULL ? args->y_host : dla_arena_view(rt, args->y, (uint64_t)elements * args->element_bytes);
  const void* inputs[kDlaMostNestInputs];
  if (args->run == NULL || args->inputs == NULL || elements == 0 || y == NULL ||
      !dla_nest_inputs(rt, args->inputs, args->count, inputs)) {
    return kDlaBadArg;
  }
  args->run(inputs, y);
  dla_show(rt, args->name, args->type, args->element_bytes, args->rank, args->shape, y);
  return kDlaOk;
}
