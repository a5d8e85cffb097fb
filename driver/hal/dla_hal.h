// SPDX-License-Identifier: Apache-2.0
/// \file
/// The seam between the driver and a device: the table of functions that a backend fills in.
///
/// The driver owns this header; a backend (RTL, SystemC, a test's fake, or plain host memory) implements it.
/// Device memory is a 32-bit space of its own. No device address is derived from a host pointer.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of dla_hal and of the structs that open a backend's library (sim/common/backend.h). Each change of them
/// raises it. A library of another version is refused when it is loaded.
#define DLA_BACKEND_VERSION 4u

/// The status of a driver function. Only kDlaOk means that the work was done.
typedef enum dla_status {
  kDlaOk = 0,
  kDlaBadArg,        ///< An argument broke a stated precondition; no register was touched.
  kDlaBusy,          ///< A layer is still running; nothing was written. Try again later.
  kDlaTimeout,       ///< The interrupt did not come in the cycles allowed; the device was reset.
  kDlaRefused,       ///< The device refused the layer and stays usable; dla_runtime.last_error has the cause.
  kDlaBusError,      ///< A register access was answered with an error.
  kDlaNoMemory,      ///< Device memory has no room of that size left.
  kDlaNoDevice,      ///< No device behind the HAL, or not one this driver knows.
  kDlaBadWeights,    ///< The weights are truncated, damaged, or of another model or machine.
  kDlaExternFailed,  ///< The user's C function for an operator returned an error; dla_runtime.failed_op says which.
  kDlaLostRows,      ///< Of layers that run depth first, one would read rows that are not on chip; nothing was done.
  kDlaLostFilters,   ///< The same of filters that are to stay.
  kDlaNoTarget,      ///< A layer is computed outside of the emitted code, and nothing here does that.
} dla_status_t;

/// One line for a person; never NULL.
const char* dla_status_text(dla_status_t status);

/// A backend. Every function returns a status and none waits without a limit.
typedef struct dla_hal {
  void* ctx;  ///< Handed to every function below.

  /// 32-bit register access. `offset` is a multiple of 4. kDlaBusError where the slave answers with an error.
  dla_status_t (*read32)(void* ctx, uint32_t offset, uint32_t* value);
  dla_status_t (*write32)(void* ctx, uint32_t offset, uint32_t value);

  /// Waits for the interrupt line. kDlaTimeout after `max_cycles` device cycles.
  dla_status_t (*wait_irq)(void* ctx, uint64_t max_cycles);

  /// Reserves device memory; `align` is a power of two. There is no free: dla_hal.mem_reset drops everything.
  dla_status_t (*mem_alloc)(void* ctx, uint32_t bytes, uint32_t align, uint32_t* addr);
  dla_status_t (*mem_reset)(void* ctx);

  /// Copies between host and device memory. The device must be idle.
  dla_status_t (*mem_write)(void* ctx, uint32_t addr, const void* src, uint32_t bytes);
  dla_status_t (*mem_read)(void* ctx, uint32_t addr, void* dst, uint32_t bytes);

  /// The host's view of `bytes` of device memory, for CPU kernels; NULL if outside. Valid until the next START.
  void* (*mem_view)(void* ctx, uint32_t addr, uint32_t bytes);

  /// Names the layer that is about to run (for waves, traces and progress); may be NULL.
  void (*note_layer)(void* ctx, const char* name);
} dla_hal_t;

#ifdef __cplusplus
}
#endif
