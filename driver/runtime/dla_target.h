// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers on targets of a user's: what stands around their calls, and functions that compute them elsewhere.
///
/// C11, freestanding. A call is an expression of type dla_status_t. It finds the driver's state as `rt`, and tensors
/// by dla_arena_view() and dla_weights_view(). What its unit counts it adds to rt->target_cycles.
#pragma once

#include "dla_tensors.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A layer that a target has computed.
struct dla_target_layer {
  const char *name, *target;
  uint64_t cycles;   ///< That it is said to take, where its call counted none; 0: unknown.
  const void* data;  ///< What it wrote.
  const char* type;
  uint32_t element_bytes;
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];
};

/// Begins a layer. Device layers that wait run before it.
dla_status_t dla_begin_target(struct dla_runtime* rt, const char* name);

/// Hands what a layer wrote, and its cycles, to the observer.
dla_status_t dla_end_target(struct dla_runtime* rt, const struct dla_target_layer* layer);

/// Has dla_runtime.targets compute a layer. \return kDlaNoTarget where there is no such function.
dla_status_t dla_compute_target(struct dla_runtime* rt, const struct dla_target_call* call);

#ifdef __cplusplus
}
#endif
