// SPDX-License-Identifier: Apache-2.0
/// \file
/// An array of size x size multipliers of 8-bit values, weights in place: a library as its maker would ship it. The
/// functional model stands in for the device.
#pragma once

#include "dla_runtime.h"

/// y = requantize(bias + (x - x_zero_point) columns), of N rows.
struct gemm_unit_job {
  const uint8_t* x;       ///< [N, C].
  const int8_t* columns;  ///< [C, M]: an output's weights are a column.
  const int32_t* bias;    ///< [M].
  uint8_t* y;             ///< [N, M].
  uint32_t N, C, M, size;
  struct dla_quant quant;    ///< By the shift, or where it has a scale by that.
  const float* multipliers;  ///< [M]: of each output a scale of its own; NULL: all as `quant` says.
};

/// Runs a job, and adds its cycles to rt->target_cycles: each tile of weights is loaded, a row a cycle, and then takes
/// an input row a cycle.
dla_status_t gemm_unit_run(struct dla_runtime* rt, const struct gemm_unit_job* job);
