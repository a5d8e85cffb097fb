// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opens a simulated device by name, for programs in C, and gives the driver's table of functions.
///
/// libfovea_backends.so exports these functions only. A failing function writes one line to `message`, within
/// `message_bytes` with its end; both may be 0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hal/dla_hal.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DLA_EXPORT __attribute__((visibility("default")))

/// Its options. All but `version` may be 0.
struct dla_backend_options {
  uint32_t version;          ///< DLA_BACKEND_VERSION, of the header that the program was compiled with.
  uint32_t memory_bytes;     ///< Size of device memory; 0: 256 MiB.
  const char* machine;       ///< A machine that ships, or a machine's file; NULL: eyeriss_6x8.
  const char* dram;          ///< A preset of memory; NULL: pipelined.
  const char* waves;         ///< A file to dump waves to: .vcd, or with the RTL .fst; NULL: none.
  const char* transactions;  ///< A file for every event of every unit; NULL: none.
  const char* timeline;      ///< A file for them as a timeline; NULL: none.
  int is_checked;            ///< RTL with its assertions on; not together with waves.
};

/// An open device. One thread; one a process where its backend says so.
typedef struct dla_backend dla_backend_t;

/// Opens a device in its reset state. \param name  "rtl" or "systemc". \return NULL if it can't be opened as asked.
DLA_EXPORT dla_backend_t* dla_backend_open(const char* name, const struct dla_backend_options* options, char* message,
                                           size_t message_bytes);

/// The table for dla_runtime_open(); valid until the backend is closed.
DLA_EXPORT const dla_hal_t* dla_backend_hal(const dla_backend_t* backend);

/// Device cycles simulated since reset.
DLA_EXPORT uint64_t dla_backend_cycles(const dla_backend_t* backend);

/// Completes the files that the options asked for, and closes the device. NULL is accepted.
/// \return 0, or -1 if a file could not be written.
DLA_EXPORT int dla_backend_close(dla_backend_t* backend, char* message, size_t message_bytes);

#ifdef __cplusplus
}
#endif
