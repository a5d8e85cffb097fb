// SPDX-License-Identifier: Apache-2.0
/// \file
/// A function of uint8 by its table, on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"

enum { kTableBytes = 256 };

dla_status_t dla_lookup_cpu(struct dla_runtime* rt, const struct dla_lookup_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, elements);
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, elements);
  const uint8_t* tables = dla_weights_view(rt, args->tables, (uint64_t)args->count * kTableBytes);
  if (elements == 0 || args->count == 0 || args->run == 0 || elements % args->run != 0 || ifmap == NULL ||
      ofmap == NULL || tables == NULL) {
    return kDlaBadArg;
  }
  for (uint32_t run = 0; run < elements / args->run; ++run) {
    const uint8_t* table = tables + (size_t)(run % args->count) * kTableBytes;
    const size_t first = (size_t)run * args->run;
    for (uint32_t i = 0; i < args->run; ++i) {
      ofmap[first + i] = table[ifmap[first + i]];
    }
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, ofmap);
  return kDlaOk;
}
