// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's fully connected layer, on plain pointers. Internal to the runtime.
#ifndef FOVEA_DRIVER_RUNTIME_DLA_LINEAR_H_
#define FOVEA_DRIVER_RUNTIME_DLA_LINEAR_H_

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// ofmap[m] = requantize(bias[m] + sum over c of (ifmap[c] - zero point) * filter[m][c]), modulo 2^32 inside.
/// \param ifmap  [C] uint8.   \param filter  [M, C] int8.   \param bias  [M] int32.   \param ofmap  [M] uint8.
/// \param scale, scale_step  As in dla_convolution.
void dla_multiply_rows(uint32_t C, uint32_t M, const struct dla_quant* quant, const float* scale, uint32_t scale_step,
                       const uint8_t* ifmap, const int8_t* filter, const int32_t* bias, uint8_t* ofmap);

#ifdef __cplusplus
}
#endif

#endif  // FOVEA_DRIVER_RUNTIME_DLA_LINEAR_H_
