// SPDX-License-Identifier: Apache-2.0
/// \file
/// One layer on the device: guards, conversation, reports.
#include "dla_device_layer.h"

#include "dif/dla_dif.h"
#include "dla_chain.h"
#include "dla_finish.h"
#include "dla_run_list.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "spec/dla_slice.h"

static dla_status_t start(const struct dla_runtime* rt, const struct dla_layer* layer) {
  DLA_TRY(dla_write_layer(rt->hal, &rt->machine, layer));
  DLA_TRY(dla_enable_irq(rt->hal, true, true));
  return dla_start(rt->hal);
}

static void report_counters(const struct dla_runtime* rt, const struct dla_layer_title* title,
                            const struct dla_layer* layer, const struct dla_counters* counters) {
  const struct dla_layer_record record = {.operation = title->operation,
                                          .name = title->name,
                                          .layer = layer,
                                          .counters = *counters,
                                          .predicted_cycles = title->predicted_cycles};
  rt->observer.on_layer(rt->observer.ctx, &record);
}

/// Unless the layer waits in a list, or the ofmap is on chip.
static bool is_shown(const struct dla_runtime* rt, const struct dla_layer* layer) {
  return rt->list == NULL && !layer->shape.ofmap_on_chip;
}

/// \param first  The layer of the first of N pictures.
static void report_ofmap(const struct dla_runtime* rt, const struct dla_layer_title* title,
                         const struct dla_layer* first, uint32_t N) {
  if (!is_shown(rt, first)) {
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

/// The ofmap of several pictures, as the call says it.
static void report_pictures(const struct dla_runtime* rt, const struct dla_device_layer* args,
                            const struct dla_layer* first) {
  if (!is_shown(rt, first) || rt->observer.on_tensor == NULL) {
    return;
  }
  struct dla_tensor tensor = {.name = args->name,
                              .type = "uint8",
                              .rank = args->shown.rank,
                              .is_stacked = args->shown.is_stacked,
                              .bytes = dla_elements(args->shown.rank, args->shown.shape)};
  for (uint32_t i = 0; i < tensor.rank && i < DLA_MOST_DIMENSIONS; ++i) {
    tensor.shape[i] = args->shown.shape[i];
  }
  tensor.data = tensor.bytes == 0 ? NULL : rt->hal->mem_view(rt->hal->ctx, first->ofmap_addr, tensor.bytes);
  if (tensor.data != NULL) {
    rt->observer.on_tensor(rt->observer.ctx, &tensor);
  }
}

/// A layer, or a slice of its ofmap's rows.
struct part {
  const struct dla_layer* layer;
  uint32_t first_row, rows;  ///< No rows: all of them at once.
};

/// Lets a part wait in the list; where that is full, the list runs first.
static dla_status_t enlist(struct dla_runtime* rt, const struct dla_layer_title* title, const struct part* part) {
  if (rt->list->count == DLA_LIST_LAYERS) {
    DLA_TRY(dla_run_list(rt));
    rt->last_layer = title->name;
  }
  rt->list->layers[rt->list->count++] = (struct dla_listed_layer){.operation = title->operation,
                                                                  .name = title->name,
                                                                  .predicted_cycles = title->predicted_cycles,
                                                                  .layer = *part->layer,
                                                                  .first_row = part->first_row,
                                                                  .rows = part->rows};
  return kDlaOk;
}

/// Runs a part, unless it is to wait in a list. \param counters  What it counted is added, unless NULL or in a list.
static dla_status_t run_part(struct dla_runtime* rt, const struct dla_layer_title* title, const struct part* part,
                             struct dla_counters* counters) {
  DLA_TRY(dla_begin_device(rt, title->name));
  if (rt->hal->read32 == NULL) {
    return kDlaNoDevice;
  }
  const struct dla_layer layer =
      part->rows == 0 ? *part->layer : dla_slice_of(part->layer, part->first_row, part->rows);
  rt->last_error_addr = 0;
  rt->last_error = dla_check_layer(&rt->machine, &layer);
  if (rt->last_error != kDlaErrorNone) {
    return kDlaRefused;
  }
  if (rt->list != NULL) {
    return enlist(rt, title, part);
  }
  if (rt->hal->note_layer != NULL) {
    rt->hal->note_layer(rt->hal->ctx, title->name);
  }
  DLA_TRY(start(rt, &layer));
  DLA_TRY(dla_finish(rt, dla_layer_cycle_limit(rt, &layer, title->predicted_cycles)));
  if (rt->observer.on_layer != NULL) {
    struct dla_counters counted;
    DLA_TRY(dla_read_counters(rt->hal, &counted));
    dla_add_counters(counters, &counted);
  }
  return kDlaOk;
}

/// Whether a layer's counters are to be reported as soon as it has run.
static bool reports_at_once(const struct dla_runtime* rt) { return rt->list == NULL && rt->observer.on_layer != NULL; }

/// dla_run_layer() but for the report of the ofmap.
static dla_status_t run_command(struct dla_runtime* rt, const struct dla_layer_title* title,
                                const struct dla_layer* layer) {
  struct dla_counters counters = {0};
  DLA_TRY(run_part(rt, title, &(const struct part){layer, 0, 0}, &counters));
  if (reports_at_once(rt)) {
    report_counters(rt, title, layer, &counters);
  }
  return kDlaOk;
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

/// A tensor of N pictures: bytes from one to the next, and of all.
struct pictures {
  uint64_t step, bytes;
};

/// \param plane_rows  As the shape has it: 0 where a plane has one picture's rows. \param stride  From plane to plane.
static struct pictures pictures_of(uint64_t channels, uint64_t rows, uint64_t cols, uint32_t plane_rows,
                                   uint64_t stride, uint32_t N) {
  const uint64_t plane = rows * cols, step = plane_rows == 0 ? channels * plane : plane;
  return (struct pictures){.step = step, .bytes = (channels - 1) * stride + plane + (N - 1) * step};
}

/// A layer's tensors.
struct tensors {
  struct pictures ifmap, ofmap, residual;
};

static struct tensors tensors_of(const struct dla_runtime* rt, const struct dla_device_layer* args, uint32_t N) {
  const struct dla_shape* s = &args->shape;
  const struct dla_passes passes = dla_derive_passes(&rt->machine, s, &args->mapping);
  const uint64_t groups = dla_groups(s), filters = groups * s->M;
  const uint64_t rows = s->mean ? 1 : passes.ofmap_rows, cols = s->mean ? 1 : passes.ofmap_cols;
  return (struct tensors){
      .ifmap = pictures_of(groups * s->C, s->H, s->W, s->ifmap_plane_rows, passes.ifmap_stride, N),
      .ofmap = pictures_of(filters, rows, cols, s->ofmap_plane_rows, passes.ofmap_stride, N),
      .residual = pictures_of(filters, rows, cols, s->residual_plane_rows, passes.residual_stride, N)};
}

/// Guards what the device can't: that tensors which are not on chip lie in the arena and the weights.
static dla_status_t check_places(const struct dla_runtime* rt, const struct dla_device_layer* args,
                                 const struct tensors* tensors) {
  const struct dla_shape* s = &args->shape;
  const uint64_t filter_bytes = dla_filter_stream_bytes(&rt->machine, s, &args->mapping);
  const bool inside =
      (s->ifmap_on_chip || is_inside(args->ifmap, tensors->ifmap.bytes, rt->arena_bytes)) &&
      (s->ofmap_on_chip || is_inside(args->ofmap, tensors->ofmap.bytes, rt->arena_bytes)) &&
      (!s->residual || s->residual_on_chip || is_inside(args->residual, tensors->residual.bytes, rt->arena_bytes)) &&
      is_inside(args->filter, filter_bytes, rt->weights_bytes);
  return inside ? kDlaOk : kDlaBadArg;
}

static struct dla_layer_title title_of(const struct dla_device_layer* args) {
  return (struct dla_layer_title){args->operation, args->name, args->predicted_cycles, args->is_flat};
}

/// The command of a layer, of the first of N pictures; and what of it the device can't guard.
static dla_status_t prepare(struct dla_runtime* rt, const struct dla_device_layer* args, uint32_t N,
                            struct dla_layer* layer) {
  DLA_TRY(dla_begin_device(rt, args->name));
  if (rt->hal->read32 == NULL) {
    return kDlaNoDevice;
  }
  rt->last_error = dla_check_mapping(&rt->machine, &args->shape, &args->mapping);
  if (rt->last_error != kDlaErrorNone) {
    return kDlaRefused;
  }
  const struct tensors tensors = tensors_of(rt, args, N);
  DLA_TRY(check_places(rt, args, &tensors));
  *layer = (struct dla_layer){.shape = args->shape,
                              .mapping = args->mapping,
                              .glb = args->glb,
                              .quant = args->quant,
                              .ifmap_addr = (args->shape.ifmap_on_chip ? 0 : rt->arena_addr) + args->ifmap,
                              .filter_addr = rt->weights_addr + args->filter,
                              .ofmap_addr = (args->shape.ofmap_on_chip ? 0 : rt->arena_addr) + args->ofmap,
                              .residual_addr = (args->shape.residual_on_chip ? 0 : rt->arena_addr) + args->residual};
  return kDlaOk;
}

dla_status_t dla_run_on_device(struct dla_runtime* rt, const struct dla_device_layer* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  const uint32_t N = args->N == 0 ? 1 : args->N;
  struct dla_layer first;
  DLA_TRY(prepare(rt, args, N, &first));
  const struct tensors tensors = tensors_of(rt, args, N);
  const struct dla_layer_title title = title_of(args);
  for (uint32_t n = 0; n < N; ++n) {
    struct dla_layer layer = first;
    layer.ifmap_addr += n * (uint32_t)tensors.ifmap.step;
    layer.ofmap_addr += n * (uint32_t)tensors.ofmap.step;
    layer.residual_addr += n * (uint32_t)tensors.residual.step;
    DLA_TRY(run_command(rt, &title, &layer));
  }
  if (args->shown.rank != 0) {
    report_pictures(rt, args, &first);
  } else {
    report_ofmap(rt, &title, &first, N);
  }
  return kDlaOk;
}

/// Whether a layer's slices are all rows of its ofmap.
static bool has_all_rows(const struct dla_depth_first* args, uint32_t at) {
  const struct dla_shape* s = &args->layers[at]->shape;
  uint32_t rows = 0;
  for (uint32_t slice = 0; slice < args->slices; ++slice) {
    rows += args->rows[slice * args->count + at];
  }
  return !s->mean && rows == dla_pooled(s, dla_unpooled_rows(s));
}

/// Layers that run depth first, and what their slices counted.
struct depth_first_run {
  struct dla_layer layers[DLA_DEPTH_FIRST_LAYERS];
  uint32_t first_rows[DLA_DEPTH_FIRST_LAYERS];
  struct dla_counters counters[DLA_DEPTH_FIRST_LAYERS];
};

static dla_status_t prepare_layers(struct dla_runtime* rt, const struct dla_depth_first* args,
                                   struct depth_first_run* run) {
  for (uint32_t i = 0; i < args->count; ++i) {
    if (args->layers[i] == NULL || args->layers[i]->N > 1) {
      return kDlaBadArg;
    }
    DLA_TRY(prepare(rt, args->layers[i], 1, &run->layers[i]));
    if (!has_all_rows(args, i)) {
      return kDlaBadArg;
    }
  }
  uint32_t at;
  const dla_status_t status = dla_check_chain(&rt->machine, args, run->layers, &at);
  if (status != kDlaOk) {
    rt->last_layer = args->layers[at]->name;
  }
  return status;
}

static dla_status_t run_slice(struct dla_runtime* rt, const struct dla_depth_first* args, uint32_t slice,
                              struct depth_first_run* run) {
  for (uint32_t i = 0; i < args->count; ++i) {
    const uint32_t rows = args->rows[slice * args->count + i];
    const struct dla_layer_title title = title_of(args->layers[i]);
    const struct part part = {&run->layers[i], run->first_rows[i], rows};
    if (rows != 0) {
      DLA_TRY(run_part(rt, &title, &part, &run->counters[i]));
    }
    run->first_rows[i] += rows;
  }
  return kDlaOk;
}

dla_status_t dla_run_depth_first(struct dla_runtime* rt, const struct dla_depth_first* args) {
  if (args == NULL || args->count == 0 || args->count > DLA_DEPTH_FIRST_LAYERS ||
      (uint64_t)args->count * args->slices > DLA_LIST_LAYERS) {
    return kDlaBadArg;
  }
  struct depth_first_run run = {0};
  DLA_TRY(prepare_layers(rt, args, &run));
  // The slices of a layer are reported together, so they are in one list.
  if (rt->list != NULL && rt->list->count + args->count * args->slices > DLA_LIST_LAYERS) {
    DLA_TRY(dla_run_list(rt));
  }
  for (uint32_t slice = 0; slice < args->slices; ++slice) {
    DLA_TRY(run_slice(rt, args, slice, &run));
  }
  for (uint32_t i = 0; i < args->count; ++i) {
    const struct dla_layer_title title = title_of(args->layers[i]);
    if (reports_at_once(rt)) {
      report_counters(rt, &title, &run.layers[i], &run.counters[i]);
    }
    report_ofmap(rt, &title, &run.layers[i], 1);
  }
  return kDlaOk;
}
