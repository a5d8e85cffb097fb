// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the device says: state, error cause, counters.
#include <stddef.h>

#include "dla_dif.h"
#include "dla_field.h"
#include "hal/dla_try.h"

dla_status_t dla_read_state(const dla_hal_t* hal, struct dla_state* state) {
  uint32_t word = 0;
  if (hal == NULL || hal->read32 == NULL || state == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(hal->read32(hal->ctx, DLA_STATUS_REG, &word));
  state->busy = DLA_GET(STATUS_BUSY, word) != 0;
  state->done = DLA_GET(STATUS_DONE, word) != 0;
  state->error = DLA_GET(STATUS_ERROR, word) != 0;
  state->draining = DLA_GET(STATUS_DRAINING, word) != 0;
  return kDlaOk;
}

dla_status_t dla_read_error(const dla_hal_t* hal, enum dla_error* cause) {
  uint32_t word = 0;
  if (hal == NULL || hal->read32 == NULL || cause == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(hal->read32(hal->ctx, DLA_ERROR_REG, &word));
  *cause = DLA_GET(ERROR_VALID, word) != 0 ? (enum dla_error)DLA_GET(ERROR_CAUSE, word) : kDlaErrorNone;
  return kDlaOk;
}

dla_status_t dla_read_error_addr(const dla_hal_t* hal, uint32_t* addr) {
  if (hal == NULL || hal->read32 == NULL || addr == NULL) {
    return kDlaBadArg;
  }
  return hal->read32(hal->ctx, DLA_ERROR_ADDR_REG, addr);
}

dla_status_t dla_clear_error(const dla_hal_t* hal) {
  if (hal == NULL || hal->write32 == NULL) {
    return kDlaBadArg;
  }
  return hal->write32(hal->ctx, DLA_ERROR_REG, DLA_PUT(ERROR_VALID, 1));
}

dla_status_t dla_read_counters(const dla_hal_t* hal, struct dla_counters* counters) {
  if (hal == NULL || hal->read32 == NULL || counters == NULL) {
    return kDlaBadArg;
  }
#define DLA_READ_COUNTER(NAME, name, offset) DLA_TRY(hal->read32(hal->ctx, offset, &counters->name));
  DLA_FOR_EACH_COUNTER(DLA_READ_COUNTER)
#undef DLA_READ_COUNTER
  return kDlaOk;
}
