// SPDX-License-Identifier: Apache-2.0
/// \file
/// Starting, waiting, resetting, the watchdog, and the interrupt.
#include <stddef.h>

#include "dla_dif.h"
#include "dla_field.h"
#include "hal/dla_try.h"

static bool has_registers(const dla_hal_t* hal) { return hal != NULL && hal->read32 != NULL && hal->write32 != NULL; }

dla_status_t dla_start(const dla_hal_t* hal) {
  struct dla_state state;
  if (!has_registers(hal)) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_read_state(hal, &state));
  if (state.busy || state.draining) {
    return kDlaBusy;
  }
  return hal->write32(hal->ctx, DLA_CTRL_REG, DLA_PUT(CTRL_START, 1));
}

dla_status_t dla_set_watchdog(const dla_hal_t* hal, uint32_t cycles) {
  struct dla_state state;
  if (!has_registers(hal)) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_read_state(hal, &state));
  if (state.busy) {
    return kDlaBusy;
  }
  return hal->write32(hal->ctx, DLA_WATCHDOG_REG, cycles);
}

dla_status_t dla_wait(const dla_hal_t* hal, uint64_t max_cycles) {
  if (hal == NULL || hal->wait_irq == NULL || max_cycles == 0) {
    return kDlaBadArg;
  }
  return hal->wait_irq(hal->ctx, max_cycles);
}

dla_status_t dla_enable_irq(const dla_hal_t* hal, bool done, bool error) {
  if (!has_registers(hal)) {
    return kDlaBadArg;
  }
  return hal->write32(hal->ctx, DLA_IRQ_ENABLE_REG, DLA_PUT(IRQ_ENABLE_DONE, done) | DLA_PUT(IRQ_ENABLE_ERROR, error));
}

dla_status_t dla_ack_irq(const dla_hal_t* hal) {
  if (!has_registers(hal)) {
    return kDlaBadArg;
  }
  return hal->write32(hal->ctx, DLA_IRQ_STATUS_REG, DLA_PUT(IRQ_STATUS_DONE, 1) | DLA_PUT(IRQ_STATUS_ERROR, 1));
}

dla_status_t dla_reset(const dla_hal_t* hal, uint32_t max_polls) {
  if (!has_registers(hal) || max_polls == 0) {
    return kDlaBadArg;
  }
  DLA_TRY(hal->write32(hal->ctx, DLA_CTRL_REG, DLA_PUT(CTRL_RESET, 1)));
  for (uint32_t poll = 0; poll < max_polls; ++poll) {
    struct dla_state state;
    DLA_TRY(dla_read_state(hal, &state));
    if (!state.busy && !state.draining) {
      return kDlaOk;
    }
  }
  return kDlaTimeout;
}
