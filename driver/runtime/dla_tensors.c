// SPDX-License-Identifier: Apache-2.0
/// \file
/// Views of arena and weights, and the observer of tensors.
#include "dla_tensors.h"

#include "dla_run_list.h"
#include "hal/dla_try.h"
#include "spec/dla_requant.h"

dla_status_t dla_begin(struct dla_runtime* rt, const char* name) {
  DLA_TRY(dla_begin_device(rt, name));
  DLA_TRY(dla_run_list(rt));
  rt->last_layer = name;
  return kDlaOk;
}

dla_status_t dla_begin_device(struct dla_runtime* rt, const char* name) {
  if (rt == NULL || rt->hal == NULL) {
    return kDlaBadArg;
  }
  rt->last_layer = name;
  return kDlaOk;
}

static void* view(const struct dla_runtime* rt, uint32_t start, uint32_t size, uint32_t offset, uint64_t bytes) {
  if (offset > size || bytes > size - offset) {
    return NULL;
  }
  return rt->hal->mem_view(rt->hal->ctx, start + offset, (uint32_t)bytes);
}

void* dla_arena_view(const struct dla_runtime* rt, uint32_t offset, uint64_t bytes) {
  return view(rt, rt->arena_addr, rt->arena_bytes, offset, bytes);
}

const void* dla_weights_view(const struct dla_runtime* rt, uint32_t offset, uint64_t bytes) {
  return view(rt, rt->weights_addr, rt->weights_bytes, offset, bytes);
}

const float* dla_float_input(const struct dla_runtime* rt, const float* host, uint32_t offset, uint64_t elements) {
  return host != NULL ? host : dla_arena_view(rt, offset, elements * sizeof(float));
}

float* dla_float_output(const struct dla_runtime* rt, float* host, uint32_t offset, uint64_t elements) {
  return host != NULL ? host : dla_arena_view(rt, offset, elements * sizeof(float));
}

const float* dla_float_weights(const struct dla_runtime* rt, uint32_t offset, uint64_t elements) {
  return offset % sizeof(float) != 0 ? NULL : dla_weights_view(rt, offset, elements * sizeof(float));
}

uint32_t dla_elements(uint32_t rank, const uint32_t* shape) {
  if (rank < 1 || rank > DLA_MOST_DIMENSIONS) {
    return 0;
  }
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    elements *= shape[i];
    if (elements > INT32_MAX) {
      return 0;
    }
  }
  return (uint32_t)elements;
}

void dla_show(const struct dla_runtime* rt, const char* name, const char* type, uint32_t element_bytes, uint32_t rank,
              const uint32_t* shape, const void* data) {
  if (rt->observer.on_tensor == NULL) {
    return;
  }
  struct dla_tensor tensor = {
      .name = name, .type = type, .rank = rank, .data = data, .bytes = dla_elements(rank, shape) * element_bytes};
  for (uint32_t i = 0; i < rank; ++i) {
    tensor.shape[i] = shape[i];
  }
  rt->observer.on_tensor(rt->observer.ctx, &tensor);
}

void dla_show_pictures(const struct dla_runtime* rt, const char* name, const char* type, uint32_t element_bytes,
                       uint32_t rank, const uint32_t* shape, const void* data) {
  const uint32_t batch = shape[0] == 1 ? 0 : 1;
  dla_show(rt, name, type, element_bytes, rank + batch, shape + 1 - batch, data);
}

void dla_show_u8(const struct dla_runtime* rt, const char* name, uint32_t rank, const uint32_t* shape,
                 const void* data) {
  dla_show(rt, name, "uint8", 1, rank, shape, data);
}

void dla_show_f32(const struct dla_runtime* rt, const char* name, uint32_t rank, const uint32_t* shape,
                  const void* data) {
  dla_show(rt, name, "float32", 4, rank, shape, data);
}
