// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the unit computes, tile by tile, and counts.
#include "gemm_unit.h"

#include "spec/dla_requant.h"

enum { kMostOutputs = 4096 };

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/// Adds a tile's products to the sums of a row. Sums wrap, as the accelerator's do.
static void add_tile(const struct gemm_unit_job* job, const uint8_t* x, uint32_t c0, uint32_t m0, uint32_t* sums) {
  for (uint32_t c = c0; c < least(c0 + job->size, job->C); ++c) {
    const int32_t value = x[c] - job->quant.ifmap_zero_point;
    for (uint32_t m = m0; m < least(m0 + job->size, job->M); ++m) {
      sums[m] += (uint32_t)(value * job->columns[(uint64_t)c * job->M + m]);
    }
  }
}

static uint8_t requantize(const struct gemm_unit_job* job, uint32_t m, int32_t sum) {
  const struct dla_quant* q = &job->quant;
  const float scale = job->multipliers != NULL ? job->multipliers[m] : q->scale;
  const uint8_t y = job->multipliers != NULL || scale > 0
                        ? dla_apply_scale(sum, scale, q->rounding, false, q->ofmap_zero_point)
                        : dla_requantize(sum, q->shift, q->rounding, false, q->ofmap_zero_point);
  return dla_bound_u8(y, q->lowest, q->headroom);
}

dla_status_t gemm_unit_run(struct dla_runtime* rt, const struct gemm_unit_job* job) {
  static uint32_t sums[kMostOutputs];
  if (job->x == NULL || job->y == NULL || job->M > kMostOutputs || job->size == 0) {
    return kDlaBadArg;
  }
  for (uint32_t n = 0; n < job->N; ++n) {
    for (uint32_t m = 0; m < job->M; ++m) {
      sums[m] = (uint32_t)job->bias[m];
    }
    for (uint32_t c = 0; c < job->C; c += job->size) {
      for (uint32_t m = 0; m < job->M; m += job->size) {
        add_tile(job, job->x + (uint64_t)n * job->C, c, m, sums);
        rt->target_cycles += (n == 0 ? job->size : 0) + 1;
      }
    }
    for (uint32_t m = 0; m < job->M; ++m) {
      job->y[(uint64_t)n * job->M + m] = requantize(job, m, (int32_t)sums[m]);
    }
  }
  return kDlaOk;
}
