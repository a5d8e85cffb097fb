// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layer's figures: one member a counter register.
#pragma once

#include <stdint.h>

#include "spec/dla_regs.h"

/// Valid from DONE to the next START.
struct dla_counters {
#define DLA_COUNTER_FIELD(NAME, name, offset) uint32_t name;
  DLA_FOR_EACH_COUNTER(DLA_COUNTER_FIELD)
#undef DLA_COUNTER_FIELD
};

/// Adds what another command counted.
static inline void dla_add_counters(struct dla_counters* sum, const struct dla_counters* counters) {
#define DLA_ADD_COUNTER(NAME, name, offset) sum->name += counters->name;
  DLA_FOR_EACH_COUNTER(DLA_ADD_COUNTER)
#undef DLA_ADD_COUNTER
}
