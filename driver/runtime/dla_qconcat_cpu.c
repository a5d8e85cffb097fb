// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joining uint8 tensors along an axis on the host.
#include "dla_scale.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// Whether the inputs' runs make up the ofmap, and all of them lie in the arena.
static bool is_valid(const struct dla_runtime* rt, const struct dla_qconcat_cpu* args) {
  if (args->inputs == NULL || args->runs == 0 || !dla_is_scale(args->ofmap_scale)) {
    return false;
  }
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < args->count; ++i) {
    const struct dla_qconcat_input* input = &args->inputs[i];
    const uint64_t input_bytes = (uint64_t)args->runs * input->run_bytes;
    if (input->run_bytes == 0 || !dla_is_scale(input->scale) || dla_arena_view(rt, input->ifmap, input_bytes) == NULL) {
      return false;
    }
    bytes += input_bytes;
  }
  return bytes != 0 && bytes == dla_elements(args->rank, args->shape);
}

/// Puts an input's runs in their places, `stride` bytes from one to the next.
static void place(const struct dla_qconcat_cpu* args, const struct dla_qconcat_input* input, const uint8_t* ifmap,
                  uint8_t* ofmap, size_t stride) {
  const bool is_same = input->scale == args->ofmap_scale && input->zero_point == args->ofmap_zero_point;
  uint8_t table[256];
  if (!is_same) {
    dla_fill_scale_table(table, input->scale, input->zero_point, args->ofmap_scale, args->ofmap_zero_point,
                         args->rounding);
  }
  const uint32_t run_bytes = input->run_bytes;
  for (uint32_t run = 0; run < args->runs; ++run, ifmap += run_bytes, ofmap += stride) {
    if (is_same) {
      __builtin_memcpy(ofmap, ifmap, run_bytes);
      continue;
    }
    for (uint32_t i = 0; i < run_bytes; ++i) {
      ofmap[i] = table[ifmap[i]];
    }
  }
}

dla_status_t dla_qconcat_cpu(struct dla_runtime* rt, const struct dla_qconcat_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, elements);
  if (ofmap == NULL || !is_valid(rt, args)) {
    return kDlaBadArg;
  }
  const uint32_t stride = elements / args->runs;
  uint8_t* at = ofmap;
  for (uint32_t i = 0; i < args->count; at += args->inputs[i].run_bytes, ++i) {
    const struct dla_qconcat_input* input = &args->inputs[i];
    if (input->in_place) {
      continue;
    }
    place(args, input, dla_arena_view(rt, input->ifmap, (uint64_t)args->runs * input->run_bytes), at, stride);
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, ofmap);
  return kDlaOk;
}
