// SPDX-License-Identifier: Apache-2.0
/// \file
/// One layer on the device, from its registers to its counters. Internal to the runtime.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the observer is told of a layer besides its command.
struct dla_layer_title {
  const char* operation;  ///< Of the composite.
  const char* name;       ///< Of the layer.
  uint32_t predicted_cycles;
  bool has_flat_ofmap;  ///< Shown as [M], not as [M, rows, columns].
};

/// Runs `layer`: checks it, starts it, waits, and reports its counters and its ofmap; with dla_runtime.list, only
/// checks it and lets it wait there. \return kDlaRefused with dla_runtime.last_error set where the machine can't run
/// it; kDlaTimeout after a reset.
dla_status_t dla_run_layer(struct dla_runtime* rt, const struct dla_layer_title* title, const struct dla_layer* layer);

#ifdef __cplusplus
}
#endif
