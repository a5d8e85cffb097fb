// SPDX-License-Identifier: Apache-2.0
/// \file
/// Device layers in a row as one list. Internal to the runtime.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs the layers that wait in dla_runtime.list, if any, and reports their counters. On an error,
/// dla_runtime.last_layer is the name of the layer that it is about; those before it have run.
dla_status_t dla_run_list(struct dla_runtime* rt);

#ifdef __cplusplus
}
#endif
