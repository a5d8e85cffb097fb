// SPDX-License-Identifier: Apache-2.0
/// \file
/// How what was started on the device ends: done, refused, or given up. Internal to the runtime.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Waits for what was started. \return kDlaRefused with dla_runtime.last_error set; kDlaTimeout after a reset.
dla_status_t dla_finish(struct dla_runtime* rt, uint64_t max_cycles);

/// Cycles after which a layer counts as hung: dla_runtime.max_layer_cycles, or where that is 0 a million more than
/// 16 times the prediction, or 64 times the MACs where there is none.
uint64_t dla_layer_cycle_limit(const struct dla_runtime* rt, const struct dla_layer* layer, uint32_t predicted_cycles);

#ifdef __cplusplus
}
#endif
