// SPDX-License-Identifier: Apache-2.0
/// \file
/// The convolution and fully connected composites on the device.
#include "dla_device_layer.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// Whether `bytes` at `offset` lie within `size`.
static bool is_inside(uint32_t offset, uint64_t bytes, uint32_t size) {
  return offset <= size && bytes <= size - offset;
}

/// Guards what the device can't: that the tensors lie in the arena and the weights.
static dla_status_t check_places(const struct dla_runtime* rt, const struct dla_qconv2d* args,
                                 const struct dla_shape* s) {
  const struct dla_passes passes = dla_derive_passes(&rt->machine, s, &args->mapping);
  const uint64_t groups = dla_groups(s);
  const uint64_t ifmap_bytes = groups * s->C * s->H * s->W;
  const uint64_t ofmap_bytes = groups * s->M * passes.ofmap_plane;
  const uint64_t filter_bytes = dla_filter_stream_bytes(&rt->machine, s, &args->mapping);
  const bool inside = is_inside(args->ifmap, ifmap_bytes, rt->arena_bytes) &&
                      is_inside(args->ofmap, ofmap_bytes, rt->arena_bytes) &&
                      (!s->residual || is_inside(args->residual, ofmap_bytes, rt->arena_bytes)) &&
                      is_inside(args->filter, filter_bytes, rt->weights_bytes);
  return inside ? kDlaOk : kDlaBadArg;
}

/// What the name of a composite says of it: of a linear one, filters are as large as the ifmap, or of a stacked one as
/// each of the windows under each other; the ofmap of a flat one is shown as [M].
struct composite {
  const char* operation;
  bool relu, pool, linear, stacked, flat;
  bool add;  ///< Without its sum's relu, which is among the bounds.
  bool mean;
};

/// Whether filters are as large as the ifmap.
static bool is_linear(const struct dla_shape* s) {
  return s->H == s->R && s->W == s->S && dla_padded_rows(s) == s->H && dla_padded_cols(s) == s->W;
}

/// Whether an ifmap of one channel a group is filters' windows under each other, none sharing a row.
static bool is_stacked(const struct dla_shape* s) {
  return s->C == 1 && s->U == s->R && s->R != 0 && s->H % s->R == 0 && s->W == s->S && dla_padded_rows(s) == s->H &&
         dla_padded_cols(s) == s->W;
}

static dla_status_t run(struct dla_runtime* rt, const struct dla_qconv2d* args, struct composite composite) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin_device(rt, args->name));
  if (rt->hal->read32 == NULL) {
    return kDlaNoDevice;
  }
  if (composite.linear && !is_linear(&args->shape) && !(composite.stacked && is_stacked(&args->shape))) {
    return kDlaBadArg;
  }
  struct dla_layer layer = {.shape = args->shape,
                            .mapping = args->mapping,
                            .glb = args->glb,
                            .quant = args->quant,
                            .ifmap_addr = rt->arena_addr + args->ifmap,
                            .filter_addr = rt->weights_addr + args->filter,
                            .ofmap_addr = rt->arena_addr + args->ofmap,
                            .residual_addr = rt->arena_addr + args->residual};
  dla_apply_relu(composite.relu, &layer.quant);
  layer.shape.pool = composite.pool;
  layer.shape.residual = composite.add;
  layer.shape.mean = composite.mean;
  rt->last_error = dla_check_mapping(&rt->machine, &layer.shape, &layer.mapping);
  if (rt->last_error != kDlaErrorNone) {
    return kDlaRefused;
  }
  DLA_TRY(check_places(rt, args, &layer.shape));
  const struct dla_layer_title title = {composite.operation, args->name, args->predicted_cycles, composite.flat};
  return dla_run_layer(rt, &title, &layer);
}

dla_status_t dla_qconv2d_relu_maxpool(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_relu_maxpool", .relu = true, .pool = true});
}

dla_status_t dla_qconv2d_relu(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_relu", .relu = true});
}

dla_status_t dla_qconv2d_maxpool(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_maxpool", .pool = true});
}

dla_status_t dla_qconv2d(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d"});
}

dla_status_t dla_qconv2d_relu_add_relu(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_relu_add_relu", .relu = true, .add = true});
}

dla_status_t dla_qconv2d_add_relu(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_add_relu", .add = true});
}

dla_status_t dla_qconv2d_relu_add(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_relu_add", .relu = true, .add = true});
}

dla_status_t dla_qconv2d_add(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_add", .add = true});
}

dla_status_t dla_qconv2d_relu_mean(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_relu_mean", .relu = true, .mean = true});
}

dla_status_t dla_qconv2d_mean(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qconv2d_mean", .mean = true});
}

dla_status_t dla_avgpool(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "avgpool"});
}

dla_status_t dla_qadd_relu(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qadd_relu", .add = true});
}

dla_status_t dla_qadd(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qadd", .add = true});
}

dla_status_t dla_qlinear_relu(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qlinear_relu", .relu = true, .linear = true, .flat = true});
}

dla_status_t dla_qlinear(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "qlinear", .linear = true, .flat = true});
}

dla_status_t dla_global_avg_pool(struct dla_runtime* rt, const struct dla_qconv2d* args) {
  return run(rt, args, (struct composite){.operation = "global_avg_pool", .linear = true, .stacked = true});
}
