// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the tiny network's tensors lie, and its one device layer.
#pragma once

enum {
  // In the weights.
  kTinyFcBias = 0,
  kTinyFcFilter = 12,
  kTinyConvFilter = 160,
  kTinyWeightsBytes = 256,
  // In the arena.
  kTinyPicture = 0,
  kTinyConv = 64,
  kTinyLogits = 128,

  kTinyModelKey = 0x71417,
};

#define TINY_SHAPE                                                                                                     \
  {                                                                                                                    \
    .C = 3, .H = 4, .W = 4, .M = 3, .R = 1, .S = 1, .U = 1, .V = 1, .pad_top = 0, .pad_left = 0, .pad_bottom = 0,      \
    .pad_right = 0, .pool = false, .scaled = false, .filter_scales = false, .G = 0, .residual = false, .pool_size = 0, \
    .pool_stride = 0, .pool_top = 0, .pool_left = 0, .pool_bottom = 0, .pool_right = 0, .lookup = false,               \
    .mean = false, .ifmap_on_chip = false, .residual_on_chip = false, .ofmap_on_chip = false,                          \
    .filters_on_chip = false, .ifmap_plane_rows = 0, .ifmap_first_row = 0, .ofmap_plane_rows = 0,                      \
    .ofmap_first_row = 0, .residual_plane_rows = 0, .residual_first_row = 0                                            \
  }
#define TINY_MAPPING                                                                                                 \
  {                                                                                                                  \
    .m = 3, .n = 1, .e = 4, .p = 3, .q = 3, .r = 1, .t = 1, .e_glb = 4, .ifmap_resident = true, .filter_buffers = 2, \
    .order = kDlaLoopOrderRowsFiltersChannels, .g = 0, .stay = 0, .fold_rows = 0                                     \
  }
