// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much work a layer is.
#pragma once

#include "dla_layer.h"

/// Multiplications that a layer needs: M*C*R*S times its outputs before pooling, without those that no window takes.
static inline uint64_t dla_count_macs(const struct dla_shape *s) {
  return dla_needed_outputs(s) * dla_groups(s) * s->M * s->C * s->R * s->S;
}
