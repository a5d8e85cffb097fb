// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joining float32 tensors along an axis on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// The output's elements in a run: those of all inputs; 0 where an input is none, or they are not the output.
static uint64_t run_of(const struct dla_runtime* rt, const struct dla_float_concat_cpu* args, uint32_t elements) {
  uint64_t run = 0;
  for (uint32_t i = 0; args->inputs != NULL && i < args->count; ++i) {
    const struct dla_float_concat_input* input = &args->inputs[i];
    if (input->run == 0 || dla_float_input(rt, input->x_host, input->x, (uint64_t)args->runs * input->run) == NULL) {
      return 0;
    }
    run += input->run;
  }
  return run * args->runs == elements ? run : 0;
}

dla_status_t dla_float_concat_cpu(struct dla_runtime* rt, const struct dla_float_concat_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint64_t run = run_of(rt, args, elements);
  float* y = dla_float_output(rt, args->y_host, args->y, elements);
  if (elements == 0 || run == 0 || y == NULL) {
    return kDlaBadArg;
  }
  float* first = y;
  for (uint32_t i = 0; i < args->count; first += args->inputs[i].run, ++i) {
    const struct dla_float_concat_input* input = &args->inputs[i];
    const float* x = dla_float_input(rt, input->x_host, input->x, (uint64_t)args->runs * input->run);
    for (uint32_t place = 0; place < args->runs; ++place) {
      __builtin_memcpy(first + place * run, x + (size_t)place * input->run, input->run * sizeof(float));
    }
  }
  dla_show_f32(rt, args->name, args->rank, args->shape, y);
  return kDlaOk;
}
