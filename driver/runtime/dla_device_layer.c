// SPDX-License-Identifier: Apache-2.0
/// \file
/// One layer on the device: guards, conversation, reports.
#include "dla_device_layer.h"

#include "dif/dla_dif.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// Reads of STATUS after which a device that was reset counts as dead.
enum { kResetPolls = 1000 };

static uint64_t macs_of(const struct dla_layer* layer) {
  const struct dla_shape* s = &layer->shape;
  return dla_needed_outputs(s) * dla_groups(s) * s->M * s->C * s->R * s->S;
}

uint64_t dla_layer_cycle_limit(const struct dla_runtime* rt, const struct dla_layer* layer, uint32_t predicted_cycles) {
  const uint64_t slack = 1000000;
  if (rt->max_layer_cycles != 0) {
    return rt->max_layer_cycles;
  }
  return slack + (predicted_cycles != 0 ? 16 * (uint64_t)predicted_cycles : 64 * macs_of(layer));
}

static dla_status_t start(const struct dla_runtime* rt, const struct dla_layer* layer) {
  DLA_TRY(dla_write_layer(rt->hal, &rt->machine, layer));
  DLA_TRY(dla_enable_irq(rt->hal, true, true));
  return dla_start(rt->hal);
}

/// Brings a device that does not answer back to idle; what it was doing is lost.
static dla_status_t give_up(const struct dla_runtime* rt) {
  DLA_TRY(dla_reset(rt->hal, kResetPolls));
  DLA_TRY(dla_ack_irq(rt->hal));
  return kDlaTimeout;
}

/// Takes the cause from the device and leaves it ready for another layer.
static dla_status_t take_error(struct dla_runtime* rt) {
  DLA_TRY(dla_read_error(rt->hal, &rt->last_error));
  DLA_TRY(dla_read_error_addr(rt->hal, &rt->last_error_addr));
  DLA_TRY(dla_clear_error(rt->hal));
  DLA_TRY(dla_ack_irq(rt->hal));
  return kDlaRefused;
}

dla_status_t dla_finish(struct dla_runtime* rt, uint64_t max_cycles) {
  const dla_status_t waited = dla_wait(rt->hal, max_cycles);
  if (waited != kDlaOk) {
    return waited == kDlaTimeout ? give_up(rt) : waited;
  }
  struct dla_state state;
  DLA_TRY(dla_read_state(rt->hal, &state));
  if (state.error) {
    return take_error(rt);
  }
  return state.done ? dla_ack_irq(rt->hal) : give_up(rt);  // An interrupt without an event: nothing can be trusted.
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
