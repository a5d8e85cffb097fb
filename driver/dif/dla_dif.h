// SPDX-License-Identifier: Apache-2.0
/// \file
/// The device's registers as functions. Each does one thing and reports failure.
///
/// All return kDlaBadArg, without touching a register, where a needed pointer or function is NULL. They hand on the
/// status of the backend's read32, write32 and wait_irq. Test: dla_dif_test.cpp, word by word.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "hal/dla_counters.h"
#include "hal/dla_hal.h"
#include "spec/dla_layer.h"
#include "spec/dla_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/// STATUS, taken apart.
struct dla_state {
  bool busy, done, error;
  bool draining;  ///< No layer runs, but bursts of the one before are still out.
};

/// Version of the register map this driver was written for.
#define DLA_DRIVER_MAJOR_VERSION 3u

/// Reads ID, VERSION and GEOMETRY. \return kDlaNoDevice for another ID or major version.
dla_status_t dla_probe(const dla_hal_t* hal, struct dla_machine* machine);

/// Writes every layer register; starts nothing. \return kDlaBusy while a layer runs, and kDlaBadArg where a number
/// exceeds its field; nothing is written then. The device checks whether the machine can run the layer.
dla_status_t dla_write_layer(const dla_hal_t* hal, const struct dla_machine* machine, const struct dla_layer* layer);

/// Starts the layer that was written. \return kDlaBusy while one runs, or bursts of the one before are out; nothing is
/// written then.
dla_status_t dla_start(const dla_hal_t* hal);

/// Puts a list's entry, `layer`, at `addr` in device memory. \param next  The entry behind it; 0: none. \param record
/// Where its record goes; 0: nowhere. \return kDlaBadArg where a number does not fit its field, or an address is no
/// multiple of what dla_list.h says.
dla_status_t dla_put_list_entry(const dla_hal_t* hal, const struct dla_machine* machine, const struct dla_layer* layer,
                                uint32_t addr, uint32_t next, uint32_t record);

/// Starts the list at `addr`, of at most `limit` layers (1 to 65,535). \return kDlaBusy while a layer runs, or bursts
/// of the one before are out; nothing is written then.
dla_status_t dla_start_list(const dla_hal_t* hal, uint32_t addr, uint32_t limit);

/// Reads the list number of the layer that runs, ended last, or was refused.
dla_status_t dla_read_list_layer(const dla_hal_t* hal, uint32_t* number);

/// Reads a record that a list has written: the layer's number and its counters.
dla_status_t dla_read_record(const dla_hal_t* hal, uint32_t addr, uint32_t* number, struct dla_counters* counters);

/// Waits for the interrupt. \return kDlaTimeout after `max_cycles`; the layer may still be running then.
dla_status_t dla_wait(const dla_hal_t* hal, uint64_t max_cycles);

/// Reads STATUS.
dla_status_t dla_read_state(const dla_hal_t* hal, struct dla_state* state);

/// Reads the cause of the last error; kDlaErrorNone where there is none.
dla_status_t dla_read_error(const dla_hal_t* hal, enum dla_error* cause);

/// Reads the address of the last bus error; 0 where the last cause was another.
dla_status_t dla_read_error_addr(const dla_hal_t* hal, uint32_t* addr);

/// Ends each later layer after so many successive cycles without bus traffic and product; 0: no limit.
/// \return kDlaBusy while a layer runs; nothing is written then.
dla_status_t dla_set_watchdog(const dla_hal_t* hal, uint32_t cycles);

/// Clears ERROR and with it STATUS.ERROR.
dla_status_t dla_clear_error(const dla_hal_t* hal);

/// Chooses which events raise the interrupt.
dla_status_t dla_enable_irq(const dla_hal_t* hal, bool done, bool error);

/// Clears both events, which lowers the interrupt.
dla_status_t dla_ack_irq(const dla_hal_t* hal);

/// Reads all counters of the layer that has ended.
dla_status_t dla_read_counters(const dla_hal_t* hal, struct dla_counters* counters);

/// Resets the device and waits until it is idle and no burst is out. \return kDlaTimeout if that takes more than
/// `max_polls` reads of STATUS.
dla_status_t dla_reset(const dla_hal_t* hal, uint32_t max_polls);

#ifdef __cplusplus
}
#endif
