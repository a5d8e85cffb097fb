// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lists of layers: their entries and records in device memory, and starting them.
#include "dla_dif.h"
#include "dla_field.h"
#include "hal/dla_try.h"
#include "spec/dla_fields.h"
#include "spec/dla_list.h"

/// As the device reads it.
static void put_word(uint8_t* bytes, uint32_t word) {
  for (uint32_t i = 0; i < 4; ++i) {
    bytes[i] = (uint8_t)(word >> 8 * i);
  }
}

static uint32_t get_word(const uint8_t* bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

dla_status_t dla_put_list_entry(const dla_hal_t* hal, const struct dla_machine* machine, const struct dla_layer* layer,
                                uint32_t addr, uint32_t next, uint32_t record) {
  uint32_t words[kDlaListEntryWords] = {next, record};
  uint8_t bytes[4 * kDlaListEntryWords];
  if (hal == NULL || hal->mem_write == NULL || machine == NULL || layer == NULL || !dla_is_list_entry_addr(addr) ||
      !dla_is_list_head(words) || !dla_pack_layer(machine, layer, words + kDlaListHeadWords)) {
    return kDlaBadArg;
  }
  for (uint32_t i = 0; i < kDlaListEntryWords; ++i) {
    put_word(bytes + 4 * i, words[i]);
  }
  return hal->mem_write(hal->ctx, addr, bytes, sizeof bytes);
}

dla_status_t dla_start_list(const dla_hal_t* hal, uint32_t addr, uint32_t limit) {
  struct dla_state state;
  if (hal == NULL || hal->read32 == NULL || hal->write32 == NULL || limit == 0 || limit > DLA_LIST_LIMIT_LAYERS_MASK) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_read_state(hal, &state));
  if (state.busy || state.draining) {
    return kDlaBusy;
  }
  DLA_TRY(hal->write32(hal->ctx, DLA_LIST_ADDR_REG, addr));
  DLA_TRY(hal->write32(hal->ctx, DLA_LIST_LIMIT_REG, DLA_PUT(LIST_LIMIT_LAYERS, limit)));
  return hal->write32(hal->ctx, DLA_CTRL_REG, DLA_PUT(CTRL_RUN_LIST, 1));
}

dla_status_t dla_read_list_layer(const dla_hal_t* hal, uint32_t* number) {
  uint32_t word = 0;
  if (hal == NULL || hal->read32 == NULL || number == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(hal->read32(hal->ctx, DLA_LIST_LAYER_REG, &word));
  *number = DLA_GET(LIST_LAYER_NUMBER, word);
  return kDlaOk;
}

dla_status_t dla_read_record(const dla_hal_t* hal, uint32_t addr, uint32_t* number, struct dla_counters* counters) {
  uint8_t bytes[4 * kDlaListRecordWords];
  if (hal == NULL || hal->mem_read == NULL || number == NULL || counters == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(hal->mem_read(hal->ctx, addr, bytes, sizeof bytes));
  *number = get_word(bytes);
  const uint8_t* next = bytes + 4 * kDlaListHeadWords;
#define DLA_GET_COUNTER(NAME, name, offset) \
  counters->name = get_word(next);          \
  next += 4;
  DLA_FOR_EACH_COUNTER(DLA_GET_COUNTER)
#undef DLA_GET_COUNTER
  return kDlaOk;
}
