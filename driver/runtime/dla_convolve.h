// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host's convolution, on plain pointers: any window, groups, and optionally max-pooling. Internal to the runtime.
#pragma once

#include "dla_convolution.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Convolves. Accumulators wrap modulo 2^32. Uses up to 135 KiB of stack, or built with DLA_SMALL_TILES 17. \pre
/// dla_convolution_is_valid(conv).
void dla_convolve(const struct dla_convolution* conv, const uint8_t* ifmap, const int8_t* filter, const int32_t* bias,
                  uint8_t* ofmap);

/// The ways there are, the fastest first.
enum dla_way {
  kDlaByBytes,  ///< dla_convolve_bytes.c, on some processors.
  kDlaByBands,  ///< dla_bands.h.
  kDlaByTiles,  ///< dla_convolve_tiles.c: every convolution.
};

/// Convolves in one of them. \return false, having done nothing, where it can't.
bool dla_convolve_by(enum dla_way way, const struct dla_convolution* conv, const uint8_t* ifmap, const int8_t* filter,
                     const int32_t* bias, uint8_t* ofmap);

#ifdef __cplusplus
}
#endif
