// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reports layers of a user's targets.
#include "dla_target.h"

#include "hal/dla_try.h"

dla_status_t dla_begin_target(struct dla_runtime* rt, const char* name) {
  DLA_TRY(dla_begin(rt, name));
  rt->target_cycles = 0;
  return kDlaOk;
}

dla_status_t dla_end_target(struct dla_runtime* rt, const struct dla_target_layer* layer) {
  if (rt == NULL || layer == NULL || layer->data == NULL) {
    return kDlaBadArg;
  }
  if (rt->observer.on_tensor == NULL) {
    return kDlaOk;
  }
  struct dla_tensor tensor = {.name = layer->name,
                              .type = layer->type,
                              .rank = layer->rank,
                              .data = layer->data,
                              .bytes = dla_elements(layer->rank, layer->shape) * layer->element_bytes,
                              .target = layer->target,
                              .cycles = rt->target_cycles != 0 ? rt->target_cycles : layer->cycles};
  for (uint32_t i = 0; i < layer->rank && i < DLA_MOST_DIMENSIONS; ++i) {
    tensor.shape[i] = layer->shape[i];
  }
  rt->observer.on_tensor(rt->observer.ctx, &tensor);
  return kDlaOk;
}

dla_status_t dla_compute_target(struct dla_runtime* rt, const struct dla_target_call* call) {
  if (rt == NULL || call == NULL) {
    return kDlaBadArg;
  }
  return rt->targets.compute == NULL ? kDlaNoTarget : rt->targets.compute(rt->targets.ctx, call);
}
