// SPDX-License-Identifier: Apache-2.0
/// \file
/// Softmax of uint8 by a table of exponentials, on the host.
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "spec/dla_requant.h"

enum { kTableEntries = 256 };

static bool is_valid(const struct dla_softmax_cpu* args, uint32_t elements) {
  const uint64_t block = (uint64_t)args->size * args->step;
  return elements != 0 && block != 0 && elements % block == 0 && args->exponentials % sizeof(float) == 0 &&
         args->steps >= 0 && args->steps <= FLT_MAX;
}

/// One softmax, of the elements from `x` on.
static void softmax(const struct dla_softmax_cpu* args, const float* exponentials, const uint8_t* x, uint8_t* y) {
  const size_t end = (size_t)args->size * args->step;
  uint8_t most = 0;
  for (size_t i = 0; i < end; i += args->step) {
    most = x[i] > most ? x[i] : most;
  }
  const float* shifted = exponentials + (kTableEntries - 1 - most);
  float sum = 0;
  for (size_t i = 0; i < end; i += args->step) {
    sum += shifted[x[i]];
  }
  for (size_t i = 0; i < end; i += args->step) {
    y[i] = dla_softmax_u8(shifted[x[i]], sum, args->steps, args->ofmap_zero_point);
  }
}

dla_status_t dla_softmax_cpu(struct dla_runtime* rt, const struct dla_softmax_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  const uint8_t* ifmap = dla_arena_view(rt, args->ifmap, elements);
  uint8_t* ofmap = dla_arena_view(rt, args->ofmap, elements);
  const float* exponentials = dla_weights_view(rt, args->exponentials, kTableEntries * sizeof(float));
  if (!is_valid(args, elements) || ifmap == NULL || ofmap == NULL || exponentials == NULL) {
    return kDlaBadArg;
  }
  for (size_t block = 0; block < elements; block += (size_t)args->size * args->step) {
    for (size_t i = block; i < block + args->step; ++i) {
      softmax(args, exponentials, ifmap + i, ofmap + i);
    }
  }
  dla_show_u8(rt, args->name, args->rank, args->shape, ofmap);
  return kDlaOk;
}
