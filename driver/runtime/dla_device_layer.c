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

/// Unless the layer waits in a list, or the ofmap is on chip. \param first  The layer of the first of N pictures.
static void report_ofmap(const struct dla_runtime* rt, const struct dla_layer_title* title,
                         const struct dla_layer* first, uint32_t N) {
  if (rt->list != NULL || first->shape.ofmap_on_chip) {
    return;
  }
  const struct dla_passes passes = dla_derive_passes(&rt->machine, &first->shape, &first->mapping);
  const bool is_mean = first->shape.mean;
  const uint32_t shape[4] = {N, dla_groups(&first->shape) * first->shape.M, is_mean ? 1 : passes.ofmap_rows,
                             is_mean ? 1 : passes.ofmap_cols};
  const void* data = rt->hal->mem_view(rt->hal->ctx, first->ofmap_addr, dla_elements(4, shape));
  if (data != NULL) {
    dla_show_pictures(rt, title->name, "uint8", 1, title->has_flat_ofmap ? 1 : 3, shape, data);
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

/// dla_run_layer() but for the report of the ofmap.
static dla_status_t run_command(struct dla_runtime* rt, const struct dla_layer_title* title,
                                const struct dla_layer* layer) {
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
  return report_counters(rt, title, layer);
}

dla_status_t dla_run_layer(struct dla_runtime* rt, const struct dla_layer_title* title, const struct dla_layer* layer) {
  DLA_TRY(run_command(rt, title, layer));
  report_ofmap(rt, title, layer, 1);
  return kDlaOk;
}

/// Whether `bytes` at `offset` lie within `size`.
static bool is_inside(uint32_t offset, uint64_t bytes, uint32_t size) {
  return offset <= size && bytes <= size - offset;
}

/// Bytes of one picture.
struct picture {
  uint64_t ifmap, ofmap;
};

static struct picture picture_of(const struct dla_runtime* rt, const struct dla_device_layer* args) {
  const struct dla_shape* s = &args->shape;
  const struct dla_passes passes = dla_derive_passes(&rt->machine, s, &args->mapping);
  const uint64_t groups = dla_groups(s);
  return (struct picture){.ifmap = groups * s->C * s->H * s->W, .ofmap = groups * s->M * passes.ofmap_plane};
}

/// Guards what the device can't: that tensors which are not on chip lie in the arena and the weights.
static dla_status_t check_places(const struct dla_runtime* rt, const struct dla_device_layer* args,
                                 const struct picture* bytes, uint32_t N) {
  const struct dla_shape* s = &args->shape;
  const uint64_t filter_bytes = dla_filter_stream_bytes(&rt->machine, s, &args->mapping);
  const bool inside =
      (s->ifmap_on_chip || is_inside(args->ifmap, bytes->ifmap * N, rt->arena_bytes)) &&
      (s->ofmap_on_chip || is_inside(args->ofmap, bytes->ofmap * N, rt->arena_bytes)) &&
      (!s->residual || s->residual_on_chip || is_inside(args->residual, bytes->ofmap * N, rt->arena_bytes)) &&
      is_inside(args->filter, filter_bytes, rt->weights_bytes);
  return inside ? kDlaOk : kDlaBadArg;
}

dla_status_t dla_run_on_device(struct dla_runtime* rt, const struct dla_device_layer* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin_device(rt, args->name));
  if (rt->hal->read32 == NULL) {
    return kDlaNoDevice;
  }
  rt->last_error = dla_check_mapping(&rt->machine, &args->shape, &args->mapping);
  if (rt->last_error != kDlaErrorNone) {
    return kDlaRefused;
  }
  const uint32_t N = args->N == 0 ? 1 : args->N;
  const struct picture bytes = picture_of(rt, args);
  DLA_TRY(check_places(rt, args, &bytes, N));
  const struct dla_layer first = {
      .shape = args->shape,
      .mapping = args->mapping,
      .glb = args->glb,
      .quant = args->quant,
      .ifmap_addr = (args->shape.ifmap_on_chip ? 0 : rt->arena_addr) + args->ifmap,
      .filter_addr = rt->weights_addr + args->filter,
      .ofmap_addr = (args->shape.ofmap_on_chip ? 0 : rt->arena_addr) + args->ofmap,
      .residual_addr = (args->shape.residual_on_chip ? 0 : rt->arena_addr) + args->residual};
  const struct dla_layer_title title = {args->operation, args->name, args->predicted_cycles, args->is_flat};
  for (uint32_t n = 0; n < N; ++n) {
    struct dla_layer layer = first;
    layer.ifmap_addr += n * (uint32_t)bytes.ifmap;
    layer.ofmap_addr += n * (uint32_t)bytes.ofmap;
    layer.residual_addr += n * (uint32_t)bytes.ofmap;
    DLA_TRY(run_command(rt, &title, &layer));
  }
  report_ofmap(rt, &title, &first, N);
  return kDlaOk;
}
