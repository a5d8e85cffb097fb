// SPDX-License-Identifier: Apache-2.0
/// \file
/// The weight file: whether it is whole and of this model, and its way into device memory.
#include "dla_runtime.h"
#include "hal/dla_try.h"

enum { kVersionAt = 8, kHeaderBytesAt = 12, kPayloadBytesAt = 16, kChecksumAt = 20, kModelKeyAt = 24 };

/// Enough for any bus: the arena and the weights start at a multiple of it.
enum { kMemoryAlign = 64 };

static uint32_t load_u32(const uint8_t* bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/// CRC-32 of zlib and PNG (reflected polynomial 0xEDB88320), four bits a step.
static uint32_t crc32(const uint8_t* bytes, size_t count) {
  static const uint32_t kTable[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                      0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ kTable[crc & 15];
    crc = crc >> 4 ^ kTable[crc & 15];
  }
  return ~crc;
}

static bool has_magic(const uint8_t* bytes) {
  for (uint32_t i = 0; i < sizeof DLA_WEIGHTS_MAGIC - 1; ++i) {
    if (bytes[i] != (uint8_t)DLA_WEIGHTS_MAGIC[i]) {
      return false;
    }
  }
  return true;
}

const char* dla_weights_problem(const struct dla_model* model, const void* file, size_t file_bytes) {
  const uint8_t* bytes = file;
  if (bytes == NULL || file_bytes < DLA_WEIGHTS_HEADER_BYTES) {
    return "it is truncated: shorter than its header";
  }
  if (!has_magic(bytes)) {
    return "it is not a weight file of foveac";
  }
  if (load_u32(bytes + kVersionAt) != DLA_WEIGHTS_VERSION ||
      load_u32(bytes + kHeaderBytesAt) != DLA_WEIGHTS_HEADER_BYTES) {
    return "it has a version that this driver does not know";
  }
  if (load_u32(bytes + kModelKeyAt) != model->model_key) {
    return "it was made for another model, machine or mapping";
  }
  const uint32_t payload_bytes = load_u32(bytes + kPayloadBytesAt);
  if (file_bytes - DLA_WEIGHTS_HEADER_BYTES < payload_bytes) {
    return "it is truncated: shorter than its header says";
  }
  if (file_bytes - DLA_WEIGHTS_HEADER_BYTES > payload_bytes) {
    return "it is longer than its header says";
  }
  if (payload_bytes != model->weights_bytes) {
    return "its size is not the one that the model was compiled with";
  }
  if (crc32(bytes + DLA_WEIGHTS_HEADER_BYTES, payload_bytes) != load_u32(bytes + kChecksumAt)) {
    return "it is damaged: its checksum is wrong";
  }
  return NULL;
}

/// Reserves device memory for the model's weights and activations.
static dla_status_t reserve(struct dla_runtime* rt, const struct dla_model* model) {
  const dla_hal_t* hal = rt->hal;
  rt->weights_bytes = rt->arena_bytes = 0;
  DLA_TRY(hal->mem_reset(hal->ctx));
  if (rt->list != NULL) {
    rt->list->addr = rt->list->count = 0;
  }
  DLA_TRY(hal->mem_alloc(hal->ctx, model->weights_bytes, kMemoryAlign, &rt->weights_addr));
  DLA_TRY(hal->mem_alloc(hal->ctx, model->arena_bytes, kMemoryAlign, &rt->arena_addr));
  rt->weights_bytes = model->weights_bytes;
  rt->arena_bytes = model->arena_bytes;
  return kDlaOk;
}

dla_status_t dla_runtime_load(struct dla_runtime* rt, const struct dla_model* model, const void* file,
                              size_t file_bytes) {
  if (rt == NULL || rt->hal == NULL || model == NULL || model->abi != DLA_MODEL_ABI ||
      (model->run == NULL && model->run_ports == NULL)) {
    return kDlaBadArg;
  }
  if (dla_weights_problem(model, file, file_bytes) != NULL) {
    return kDlaBadWeights;
  }
  DLA_TRY(reserve(rt, model));
  const uint8_t* payload = (const uint8_t*)file + DLA_WEIGHTS_HEADER_BYTES;
  return rt->hal->mem_write(rt->hal->ctx, rt->weights_addr, payload, model->weights_bytes);
}
