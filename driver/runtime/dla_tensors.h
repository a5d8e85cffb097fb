// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a call finds its tensors, and how it shows what it wrote. Internal to the runtime.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins a call: remembers the layer's name for dla_runtime.last_layer. Device layers that wait run before it.
/// \return kDlaBadArg without a runtime, or what came of those.
dla_status_t dla_begin(struct dla_runtime* rt, const char* name);

/// The same for a device layer's call, which those that wait need not run before.
dla_status_t dla_begin_device(struct dla_runtime* rt, const char* name);

/// The host's view of `bytes` at `offset` in the arena; NULL if any of it lies outside.
void* dla_arena_view(const struct dla_runtime* rt, uint32_t offset, uint64_t bytes);

/// The host's view of `bytes` at `offset` in the weights; NULL if any of it lies outside.
const void* dla_weights_view(const struct dla_runtime* rt, uint32_t offset, uint64_t bytes);

/// A float32 tensor that a call reads or writes: `host` where it is not NULL, else at `offset` in the arena.
const float* dla_float_input(const struct dla_runtime* rt, const float* host, uint32_t offset, uint64_t elements);
float* dla_float_output(const struct dla_runtime* rt, float* host, uint32_t offset, uint64_t elements);

/// float32 constants at `offset` in the weights; NULL if any of them lies outside, or the offset is no multiple of 4.
const float* dla_float_weights(const struct dla_runtime* rt, uint32_t offset, uint64_t elements);

enum { kDlaMostNestInputs = 8 };

/// Where the inputs of a nest are. \return false where there are too many, or one is nowhere.
bool dla_nest_inputs(const struct dla_runtime* rt, const struct dla_nest_input* inputs, uint32_t count,
                     const void** places);

/// Hands a tensor [shape[0], ...] of such elements to the observer, if there is one.
void dla_show(const struct dla_runtime* rt, const char* name, const char* type, uint32_t element_bytes, uint32_t rank,
              const uint32_t* shape, const void* data);

/// The same of a batch [N, shape[1], ...]: without N where that is 1. \param rank  Of one picture.
void dla_show_pictures(const struct dla_runtime* rt, const char* name, const char* type, uint32_t element_bytes,
                       uint32_t rank, const uint32_t* shape, const void* data);

/// Hands a uint8 tensor [shape[0], ...] to the observer, if there is one.
void dla_show_u8(const struct dla_runtime* rt, const char* name, uint32_t rank, const uint32_t* shape,
                 const void* data);

/// Hands a float32 tensor to the observer, if there is one.
void dla_show_f32(const struct dla_runtime* rt, const char* name, uint32_t rank, const uint32_t* shape,
                  const void* data);

/// Elements of a tensor; 0 for a rank that is not 1 to DLA_MOST_DIMENSIONS or more than 2^31 elements.
uint32_t dla_elements(uint32_t rank, const uint32_t* shape);

#ifdef __cplusplus
}
#endif
