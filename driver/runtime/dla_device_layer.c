// SPDX-License-Identifier: Apache-2.0
/// \file
/// One layer on the device: guards, conversation, reports.
#include "dla_device_layer.h"

#include "dif/dla_dif.h"
#include "dla_finish.h"
#include "dla_run_list.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

static dla_status_t start(const struct dla_runtime* rt, const struct dla_layer* layer) {
  DLA_TRY(dla_write_layer(rt->hal, &rt->machine, layer));
  DLA_TRY(dla_enable_irq(rt->hal, true, true));
  return dla_start(rt->hal);
}

static dla_status_t report_counters(struct dla_runtime* rt, const struct dla_layer_title* title,
                                    const struct dla_layer* layer) {
  if (rt->observer.on_layer == NULL) {
    return kDlaOk;
  }
  struct dla_layer_record record = {
      .operation = title->operation, .name = title->name, .layer = layer, .predicted_cycles = title->predicted_cycles};
  DLA_TRY(dla_read_counters(rt->hal, &record.counters));
  rt->observer.on_layer(rt->observer.ctx, &record);
  return kDlaOk;
}

static void report_ofmap(const struct dla_runtime* rt, const struct dla_layer_title* title,
                         const struct dla_layer* layer) {
  const struct dla_passes passes = dla_derive_passes(&rt->machine, &layer->shape, &layer->mapping);
  const bool is_mean = layer->shape.mean;
  const uint32_t shape[3] = {dla_groups(&layer->shape) * layer->shape.M, is_mean ? 1 : passes.ofmap_rows,
                             is_mean ? 1 : passes.ofmap_cols};
  const void* data = rt->hal->mem_view(rt->hal->ctx, layer->ofmap_addr, dla_elements(3, shape));
  if (data != NULL) {
    dla_show_u8(rt, title->name, title->has_flat_ofmap ? 1 : 3, shape, data);
  }
}

/// Lets a layer wait in the list; where that is full, the list runs first.
static dla_status_t enlist(struct dla_runtime* rt, const struct dla_layer_title* title, const struct dla_layer* layer) {
  if (rt->list->count == DLA_LIST_LAYERS) {
    DLA_TRY(dla_run_list(rt));
    rt->last_layer = title->name;
  }
  rt->list->layers[rt->list->count++] = (struct dla_listed_layer){
      .operation = title->operation, .name = title->name, .predicted_cycles = title->predicted_cycles, .layer = *layer};
  return kDlaOk;
}

dla_status_t dla_run_layer(struct dla_runtime* rt, const struct dla_layer_title* title, const struct dla_layer* layer) {
  DLA_TRY(dla_begin_device(rt, title->name));
  if (rt->hal->read32 == NULL) {
    return kDlaNoDevice;
  }
  rt->last_error_addr = 0;
  rt->last_error = dla_check_layer(&rt->machine, layer);
  if (rt->last_error != kDlaErrorNone) {
    return kDlaRefused;
  }
  if (rt->list != NULL) {
    return enlist(rt, title, layer);
  }
  if (rt->hal->note_layer != NULL) {
    rt->hal->note_layer(rt->hal->ctx, title->name);
  }
  DLA_TRY(start(rt, layer));
  DLA_TRY(dla_finish(rt, dla_layer_cycle_limit(rt, layer, title->predicted_cycles)));
  DLA_TRY(report_counters(rt, title, layer));
  report_ofmap(rt, title, layer);
  return kDlaOk;
}
