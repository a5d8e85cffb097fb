// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stops the driver at the first failing call.
#pragma once

#include "dla_hal.h"

/// Returns from the calling function with the status of `call`, unless it is kDlaOk.
#define DLA_TRY(call)                 \
  do {                                \
    const dla_status_t try_ = (call); \
    if (try_ != kDlaOk) {             \
      return try_;                    \
    }                                 \
  } while (0)
