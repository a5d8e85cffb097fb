// SPDX-License-Identifier: Apache-2.0
/// \file
/// The sum of two uint8 tensors on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "spec/dla_requant.h"

static void add(uint32_t elements, const struct dla_addition* by, uint8_t lowest, const uint8_t* a, const uint8_t* b,
                uint8_t* ofmap) {
  for (uint32_t i = 0; i < elements; ++i) {
    ofmap[i] = dla_add_u8(a[i], b[i], by, lowest);
  }
}

static dla_status_t run(struct dla_runtime* rt, const struct dla_qadd_cpu* args, bool relu) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint8_t* a = dla_arena_view(rt, args->a, elements);
  const uint8_t* b = dla_arena_view(rt, args->b, elements);
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, elements);
  struct dla_addition by;
  if (elements == 0 || a == NULL || b == NULL || ofmap == NULL ||
      !dla_derive_addition(args->a_scale, args->a_zero_point, args->b_scale, args->b_zero_point, args->ofmap_scale,
                           args->ofmap_zero_point, args->rounding, &by)) {
    return kDlaBadArg;
  }
  add(elements, &by, relu ? args->ofmap_zero_point : 0, a, b, ofmap);
  dla_show_u8(rt, args->name, args->rank, args->shape, ofmap);
  return kDlaOk;
}

dla_status_t dla_qadd_cpu(struct dla_runtime* rt, const struct dla_qadd_cpu* args) { return run(rt, args, false); }

dla_status_t dla_qadd_relu_cpu(struct dla_runtime* rt, const struct dla_qadd_cpu* args) { return run(rt, args, true); }
