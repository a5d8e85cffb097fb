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
