// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joining tensors along an axis on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"

enum { kTableBytes = 256 };

static const uint8_t* view_of(const struct dla_runtime* rt, const struct dla_concat_cpu* args,
                              const struct dla_concat_input* input) {
  return input->x_host != NULL ? input->x_host : dla_arena_view(rt, input->x, (uint64_t)args->runs * input->run_bytes);
}

/// Whether the inputs' runs make up the output, and all is where it can be read.
static bool is_valid(const struct dla_runtime* rt, const struct dla_concat_cpu* args, uint64_t output_bytes) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; args->inputs != NULL && i < args->count; ++i) {
    const struct dla_concat_input* input = &args->inputs[i];
    if (input->run_bytes == 0 || view_of(rt, args, input) == NULL ||
        (input->has_table && dla_weights_view(rt, input->table, kTableBytes) == NULL)) {
      return false;
    }
    bytes += (uint64_t)args->runs * input->run_bytes;
  }
  return bytes != 0 && bytes == output_bytes;
}

/// Puts an input's runs in their places, `stride` bytes from one to the next. \param table  NULL: as they are.
static void place(const struct dla_concat_cpu* args, uint32_t run_bytes, const uint8_t* x, const uint8_t* table,
                  uint8_t* y, size_t stride) {
  for (uint32_t run = 0; run < args->runs; ++run, x += run_bytes, y += stride) {
    if (table == NULL) {
      __builtin_memcpy(y, x, run_bytes);
      continue;
    }
    for (uint32_t i = 0; i < run_bytes; ++i) {
      y[i] = table[x[i]];
    }
  }
}

dla_status_t dla_concat_cpu(struct dla_runtime* rt, const struct dla_concat_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint64_t bytes = (uint64_t)dla_elements(args->rank, args->shape) * args->element_bytes;
  uint8_t* y = args->y_host != NULL ? args->y_host : dla_arena_view(rt, args->y, bytes);
  if (y == NULL || args->type == NULL || args->runs == 0 || !is_valid(rt, args, bytes)) {
    return kDlaBadArg;
  }
  uint8_t* at = y;
  for (uint32_t i = 0; i < args->count; at += args->inputs[i].run_bytes, ++i) {
    const struct dla_concat_input* input = &args->inputs[i];
    if (!input->in_place) {
      const uint8_t* table = input->has_table ? dla_weights_view(rt, input->table, kTableBytes) : NULL;
      place(args, input->run_bytes, view_of(rt, args, input), table, at, bytes / args->runs);
    }
  }
  dla_show(rt, args->name, args->type, args->element_bytes, args->rank, args->shape, y);
  return kDlaOk;
}
