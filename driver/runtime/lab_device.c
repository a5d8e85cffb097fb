// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lab's device functions: host tensors into device memory, one layer, and back.
#include "dla_device_layer.h"
#include "dla_tensors.h"
#include "hal/dla_try.h"
#include "lab_host.h"
#include "runtime.h"

enum { kZeroPoint = 128, kMemoryAlign = 64 };

/// A call's host tensors and their lengths.
struct tensors {
  const uint8_t* input;
  const int8_t* filter;
  uint8_t* output;
  const int32_t* bias;
  uint32_t ofmap_len, ifmap_len, filter_len;
};

/// Channels that each filter has in the host's tensor: C and zeros, up to a multiple of 4.
static uint32_t padded_channels(const struct dla_shape* s) { return (s->C + 3) / 4 * 4; }

/// Whether the padding channels are zeros. Filter by filter: with a tensor that lacks them it is the next filter's
/// weights that lie there, so that this ends before the tensor does.
static bool is_padded(const struct dla_shape* s, const int8_t* filter) {
  const size_t kept = (size_t)s->C * s->R * s->S, whole = (size_t)padded_channels(s) * s->R * s->S;
  for (uint32_t m = 0; m < s->M; ++m) {
    for (size_t i = kept; i < whole; ++i) {
      if (filter[m * whole + i] != 0) {
        return false;
      }
    }
  }
  return true;
}

/// The lab's mapping as a whole one: one set's rows at a time, ifmap streamed.
static struct dla_mapping complete_mapping(uint32_t E, uint32_t m, uint32_t e, uint32_t p, uint32_t q, uint32_t r,
                                           uint32_t t) {
  const uint32_t rows = e < E ? e : E;
  return (struct dla_mapping){.m = m,
                              .n = 1,
                              .e = rows,
                              .p = p,
                              .q = q,
                              .r = r,
                              .t = t,
                              .e_glb = rows,
                              .filter_buffers = 2,
                              .order = kDlaLoopOrderRowsFiltersChannels};
}

/// Plans the GLB with the largest m that it holds: the one given, else a multiple of p * t.
static enum dla_error plan(const struct dla_machine* machine, struct dla_layer* layer) {
  struct dla_mapping* mapping = &layer->mapping;
  mapping->m = mapping->m < layer->shape.M ? mapping->m : layer->shape.M;
  enum dla_error error = dla_check_mapping(machine, &layer->shape, mapping);
  if (error != kDlaErrorNone) {
    return error;
  }
  const uint32_t step = mapping->p * mapping->t;
  error = dla_plan_glb(machine, &layer->shape, mapping, &layer->glb);
  while (error != kDlaErrorNone && mapping->m > step) {
    mapping->m = (mapping->m - 1) / step * step;
    error = dla_plan_glb(machine, &layer->shape, mapping, &layer->glb);
  }
  return error;
}

static dla_status_t reserve(const dla_hal_t* hal, uint64_t bytes, uint32_t* addr, void** view) {
  if (bytes > UINT32_MAX) {
    return kDlaNoMemory;
  }
  DLA_TRY(hal->mem_alloc(hal->ctx, (uint32_t)bytes, kMemoryAlign, addr));
  *view = hal->mem_view(hal->ctx, *addr, (uint32_t)bytes);
  return *view != NULL ? kDlaOk : kDlaNoMemory;
}

/// Drops the padding channels: [M, padded, R, S] to [M, C, R, S].
static void drop_padding(const struct dla_shape* s, const int8_t* from, int8_t* to) {
  const size_t kept_bytes = (size_t)s->C * s->R * s->S;
  for (uint32_t m = 0; m < s->M; ++m) {
    __builtin_memcpy(to + m * kept_bytes, from + m * ((size_t)padded_channels(s) * s->R * s->S), kept_bytes);
  }
}

/// Lays the filters out in device memory, for the layer's mapping; the scratch copy lies there too, so that the driver
/// needs no memory of its own.
static dla_status_t write_filters(struct dla_runtime* rt, struct dla_layer* layer, const struct tensors* host) {
  const struct dla_shape* s = &layer->shape;
  const int8_t* filter = host->filter;
  void *stream = NULL, *scratch = NULL;
  uint32_t scratch_addr = 0;
  DLA_TRY(reserve(rt->hal, dla_filter_stream_bytes(&rt->machine, s, &layer->mapping), &layer->filter_addr, &stream));
  if (padded_channels(s) != s->C) {
    DLA_TRY(reserve(rt->hal, (uint64_t)s->M * s->C * s->R * s->S, &scratch_addr, &scratch));
    drop_padding(s, host->filter, scratch);
    filter = scratch;
  }
  dla_lay_out_filters(&rt->machine, s, &layer->mapping, filter, host->bias, NULL, NULL, stream);
  return kDlaOk;
}

/// Fills device memory with the layer's tensors.
static dla_status_t write_tensors(struct dla_runtime* rt, struct dla_layer* layer, const struct tensors* host) {
  const dla_hal_t* hal = rt->hal;
  rt->weights_bytes = rt->arena_bytes = 0;
  DLA_TRY(hal->mem_reset(hal->ctx));
  DLA_TRY(hal->mem_alloc(hal->ctx, host->ifmap_len, kMemoryAlign, &layer->ifmap_addr));
  DLA_TRY(hal->mem_alloc(hal->ctx, host->ofmap_len, kMemoryAlign, &layer->ofmap_addr));
  DLA_TRY(write_filters(rt, layer, host));
  return hal->mem_write(hal->ctx, layer->ifmap_addr, host->input, host->ifmap_len);
}

/// The lab's programs count a filter's channels with the padding or without it; the tensor has it either way.
static bool lengths_agree(const struct dla_machine* machine, const struct dla_layer* layer,
                          const struct tensors* host) {
  const struct dla_shape* s = &layer->shape;
  const uint64_t per_channel = (uint64_t)s->M * s->R * s->S;
  const struct dla_passes passes = dla_derive_passes(machine, s, &layer->mapping);
  return (uint64_t)s->C * s->H * s->W == host->ifmap_len && (uint64_t)s->M * passes.ofmap_plane == host->ofmap_len &&
         (host->filter_len == per_channel * s->C || host->filter_len == per_channel * padded_channels(s));
}

/// Output rows before pooling; 0 where no window fits.
static uint32_t output_rows(const struct dla_shape* s) {
  const uint64_t padded = (uint64_t)s->pad_top + s->H + s->pad_bottom;
  const uint32_t rows = s->U == 0 || padded < s->R ? 0 : (uint32_t)((padded - s->R) / s->U) + 1;
  return s->pool ? rows & ~1u : rows;
}

static int run(const char* operation, const struct tensors* host, struct dla_layer* layer) {
  struct dla_runtime* rt = dla_lab_runtime();
  if (rt == NULL || rt->hal->read32 == NULL) {
    return kDlaNoDevice;
  }
  if (host->input == NULL || host->filter == NULL || host->output == NULL || host->bias == NULL) {
    return kDlaBadArg;
  }
  rt->last_error = plan(&rt->machine, layer);
  if (rt->last_error != kDlaErrorNone) {
    return kDlaRefused;
  }
  if (!lengths_agree(&rt->machine, layer, host) || !is_padded(&layer->shape, host->filter)) {
    return kDlaBadArg;
  }
  const struct dla_layer_title title = {operation, operation, 0, false};
  DLA_TRY(write_tensors(rt, layer, host));
  DLA_TRY(dla_run_layer(rt, &title, layer));
  return rt->hal->mem_read(rt->hal->ctx, layer->ofmap_addr, host->output, host->ofmap_len);
}

static struct dla_quant quant_of(uint32_t scale) {
  return (struct dla_quant){.shift = scale,
                            .rounding = kDlaFloor,
                            .lowest = kZeroPoint,
                            .ifmap_zero_point = kZeroPoint,
                            .ofmap_zero_point = kZeroPoint};
}

int qconv2d_relu_maxpool(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len,
                         uint32_t ifmap_len, uint32_t filter_len, uint32_t m, uint32_t e, uint32_t p, uint32_t q,
                         uint32_t r, uint32_t t, uint32_t PAD, uint32_t U, uint32_t R, uint32_t S, uint32_t C,
                         uint32_t M, uint32_t W, uint32_t H, uint32_t scale) {
  const struct tensors host = {input, filter, output, bias, ofmap_len, ifmap_len, filter_len};
  struct dla_layer layer = {.shape = {C, H, W, M, R, S, U, U, PAD, PAD, PAD, PAD, true, false, false, 0},
                            .quant = quant_of(scale)};
  layer.mapping = complete_mapping(output_rows(&layer.shape), m, e, p, q, r, t);
  return run("qconv2d_relu_maxpool", &host, &layer);
}

int qconv2d_relu(uint8_t* input, int8_t* filter, uint8_t* output, int32_t* bias, uint32_t ofmap_len, uint32_t ifmap_len,
                 uint32_t filter_len, uint32_t m, uint32_t e, uint32_t p, uint32_t q, uint32_t r, uint32_t t,
                 uint32_t PAD, uint32_t U, uint32_t R, uint32_t S, uint32_t C, uint32_t M, uint32_t W, uint32_t H,
                 uint32_t scale) {
  const struct tensors host = {input, filter, output, bias, ofmap_len, ifmap_len, filter_len};
  struct dla_layer layer = {.shape = {C, H, W, M, R, S, U, U, PAD, PAD, PAD, PAD, false, false, false, 0},
                            .quant = quant_of(scale)};
  layer.mapping = complete_mapping(output_rows(&layer.shape), m, e, p, q, r, t);
  return run("qconv2d_relu", &host, &layer);
}
