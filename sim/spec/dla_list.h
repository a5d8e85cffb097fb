// SPDX-License-Identifier: Apache-2.0
/// \file
/// A list of layers in device memory: where an entry has its command and a record its counters.
///
/// Words are little-endian. An entry, at a multiple of 256 bytes: {address of the next entry or 0, address of its
/// record or 0, 0, 0}, then the layer registers in order. A record, at a multiple of 128: {the layer's number in the
/// list, 0, 0, 0}, then the counters in order.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "spec/dla_command.h"
#include "spec/dla_regs.h"

enum {
  kDlaListHeadWords = 4,
  kDlaListEntryAlign = 256,   ///< In bytes, and what an entry has room in.
  kDlaListRecordAlign = 128,  ///< Likewise.
  kDlaListEntryWords = kDlaListHeadWords + DLA_LAYER_WORDS,
  kDlaListRecordWords = kDlaListHeadWords + DLA_COUNTERS,
};

/// Layers that the driver puts in one list, and that it runs depth first together.
#define DLA_LIST_LAYERS 128u
#define DLA_DEPTH_FIRST_LAYERS 16u

/// Beats of a burst that moves an entry, or a record, whole.
static inline uint32_t dla_list_entry_beats(uint32_t bus_bytes) {
  return (4u * kDlaListEntryWords + bus_bytes - 1) / bus_bytes;
}
static inline uint32_t dla_list_record_beats(uint32_t bus_bytes) {
  return (4u * kDlaListRecordWords + bus_bytes - 1) / bus_bytes;
}

/// Whether a list may begin, or go on, at `addr`.
static inline bool dla_is_list_entry_addr(uint32_t addr) { return addr != 0 && addr % kDlaListEntryAlign == 0; }

/// Whether an entry's first words are ones that the device takes.
static inline bool dla_is_list_head(const uint32_t words[kDlaListHeadWords]) {
  return words[0] % kDlaListEntryAlign == 0 && words[1] % kDlaListRecordAlign == 0 && words[2] == 0 && words[3] == 0;
}
