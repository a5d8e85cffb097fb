// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the windows of a pool lie. Internal to the runtime.
#pragma once

#include "dla_convolution.h"

/// A pool of planes [C, H, W].
struct dla_pool {
  uint32_t C, H, W;
  bool ceil_mode;  ///< A last position counts that starts inside the input or the padding before it.
  const struct dla_window* window;
};

/// The taps of a window at one output pixel that lie in the ifmap: rows first, first + step, ..., and so the columns.
struct dla_taps {
  int64_t first[2], last[2], step[2];
};

/// The output's shape, [C, E, F]. \return how many elements it has; 0 where a number makes no sense.
uint32_t dla_pool_outputs(const struct dla_pool* pool, uint32_t shape[3]);

struct dla_taps dla_taps_at(const struct dla_pool* pool, uint32_t e, uint32_t f);
