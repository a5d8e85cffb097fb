// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the matrix unit computes: one input a step, all outputs at once.
#include "gemm8.h"

#include <string.h>

#include "hal/dla_try.h"
#include "runtime/dla_tensors.h"
#include "spec/dla_arith.h"

uint64_t gemm8_macs = 0;

dla_status_t gemm8_run(struct dla_runtime* rt, const struct gemm8_layer* layer) {
  if (layer == NULL || layer->C > GEMM8_MOST_C || layer->M > GEMM8_MOST_M) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, layer->name));
  const uint8_t* ifmap = dla_arena_view(rt, layer->ifmap, layer->C);
  uint8_t* ofmap = dla_arena_view(rt, layer->ofmap, layer->M);
  const uint8_t* weights = dla_weights_view(rt, layer->weights, layer->M * (4 + layer->C));
  if (ifmap == NULL || ofmap == NULL || weights == NULL) {
    return kDlaBadArg;
  }
  int32_t sums[GEMM8_MOST_M];
  memcpy(sums, weights, layer->M * sizeof sums[0]);
  const int8_t* column = (const int8_t*)(weights + layer->M * sizeof sums[0]);
  for (uint32_t c = 0; c < layer->C; ++c, column += layer->M) {
    const int32_t x = ifmap[c] - layer->quant.ifmap_zero_point;
    for (uint32_t m = 0; m < layer->M; ++m) {
      sums[m] += x * column[m];
    }
  }
  gemm8_macs += (uint64_t)layer->C * layer->M;
  const struct dla_quant* q = &layer->quant;
  for (uint32_t m = 0; m < layer->M; ++m) {
    const uint8_t free = dla_requantize(sums[m], q->shift, q->rounding, false, q->ofmap_zero_point);
    ofmap[m] = dla_bound_u8(free, q->lowest, q->headroom);
  }
  dla_show_u8(rt, layer->name, 1, &layer->M, ofmap);
  return kDlaOk;
}
