// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a machine takes on a chip, from its geometry: its memories, and its gates by the area model.
///
/// The model is sim/spec/area.json, which scripts/fit_area fits to syntheses of this RTL; reports/area.md compares the
/// two.
#pragma once

#include <stdint.h>

#include "dla_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Memories of one kind, each with one read and one write port.
struct dla_area_memory {
  const char *name;
  uint64_t count;  ///< How many of them.
  uint64_t words;  ///< Of each.
  uint64_t bits;   ///< Of a word.
};

/// Two-input NAND gates of a part of the machine, flip-flops among them.
struct dla_area_group {
  const char *name;
  double gates;
};

enum { kDlaAreaMost = 16 };

struct dla_area {
  uint32_t memory_count, group_count;
  struct dla_area_memory memories[kDlaAreaMost];
  struct dla_area_group groups[kDlaAreaMost];
};

/// Arrays of fewer bits are flip-flops: among the gates, and no memory.
extern const uint32_t dla_area_least_memory_bits;

/// The largest error, in percent of a machine's gates, on machines that the model was not fitted to, and how many those
/// and the ones that it was fitted to are.
extern const double dla_area_worst_percent;
extern const uint32_t dla_area_checked_on, dla_area_fitted_to;

/// \pre The geometry is one that read_machine() takes.
struct dla_area dla_estimate_area(const struct dla_machine *machine);

static inline uint64_t dla_area_memory_bits(const struct dla_area *area) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < area->memory_count; ++i) {
    bits += area->memories[i].count * area->memories[i].words * area->memories[i].bits;
  }
  return bits;
}

static inline double dla_area_gates(const struct dla_area *area) {
  double gates = 0;
  for (uint32_t i = 0; i < area->group_count; ++i) {
    gates += area->groups[i].gates;
  }
  return gates;
}

#ifdef __cplusplus
}
#endif
