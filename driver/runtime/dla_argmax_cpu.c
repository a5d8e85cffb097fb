// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the largest uint8 values along an axis are, on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// Indices below it are float32 numbers.
enum { kMostSize = 1 << 24 };

static uint32_t find_largest(const struct dla_argmax_cpu* args, const uint8_t* x) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < args->size; ++i) {
    const uint8_t element = x[(size_t)i * args->step], most = x[(size_t)best * args->step];
    best = element > most || (args->selects_last && element == most) ? i : best;
  }
  return best;
}

dla_status_t dla_argmax_cpu(struct dla_runtime* rt, const struct dla_argmax_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, (uint64_t)elements * args->size);
  float* output = args->output_host;
  if (output == NULL && args->output % sizeof(float) == 0) {
    output = dla_arena_view(rt, args->output, (uint64_t)elements * sizeof(float));
  }
  if (elements == 0 || args->size == 0 || args->size > kMostSize || args->step == 0 || elements % args->step != 0 ||
      ifmap == NULL || output == NULL) {
    return kDlaBadArg;
  }
  for (uint32_t i = 0; i < elements; ++i) {
    const size_t block = (size_t)(i / args->step) * args->size * args->step;
    output[i] = (float)find_largest(args, ifmap + block + i % args->step);
  }
  dla_show_f32(rt, args->name, args->rank, args->shape, output);
  return kDlaOk;
}
