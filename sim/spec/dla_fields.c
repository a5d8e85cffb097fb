// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layer command to and from register words, field by field.
#include "dla_fields.h"

/// Byte by byte, whatever the member's type; freestanding C has no memcpy.
static void copy(void* to, const void* from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    ((uint8_t*)to)[i] = ((const uint8_t*)from)[i];
  }
}

static bool is_one_byte(const struct dla_field* field) { return field->kind == kDlaFieldFlag || field->is_byte; }

uint32_t dla_get_field(const struct dla_field* field, const void* of) {
  const uint8_t* at = (const uint8_t*)of + field->offset;
  uint32_t value = *at;
  if (!is_one_byte(field)) {
    copy(&value, at, sizeof value);
  }
  return value;
}

void dla_set_field(const struct dla_field* field, void* of, uint32_t value) {
  uint8_t* at = (uint8_t*)of + field->offset;
  if (is_one_byte(field)) {
    *at = (uint8_t)value;
  } else {
    copy(at, &value, sizeof value);
  }
}

/// All GLB registers have the same fields. \return false if the region is not of whole banks, or too large.
static bool pack_region(const struct dla_region* region, uint32_t bank_bytes, uint32_t* word) {
  const uint32_t base = region->base_bytes / bank_bytes, banks = region->size_bytes / bank_bytes;
  *word = base << DLA_GLB_IFMAP_BASE_BANK_LSB | banks << DLA_GLB_IFMAP_BANKS_LSB;
  return region->base_bytes % bank_bytes == 0 && region->size_bytes % bank_bytes == 0 &&
         base <= DLA_GLB_IFMAP_BASE_BANK_MASK && banks <= DLA_GLB_IFMAP_BANKS_MASK;
}

static struct dla_region unpack_region(uint32_t word, uint32_t bank_bytes) {
  const uint32_t base = word >> DLA_GLB_IFMAP_BASE_BANK_LSB & DLA_GLB_IFMAP_BASE_BANK_MASK;
  const uint32_t banks = word >> DLA_GLB_IFMAP_BANKS_LSB & DLA_GLB_IFMAP_BANKS_MASK;
  return (struct dla_region){base * bank_bytes, banks * bank_bytes};
}

static bool pack_field(const struct dla_field* field, const void* of, uint32_t bank_bytes, uint32_t* word) {
  if (field->kind == kDlaFieldRegion) {
    return pack_region((const struct dla_region*)(const void*)((const uint8_t*)of + field->offset), bank_bytes, word);
  }
  const uint32_t value = dla_get_field(field, of);
  *word |= value << field->lsb;
  return value <= dla_field_max(field);
}

bool dla_pack_layer(const struct dla_machine* machine, const struct dla_layer* layer, uint32_t words[DLA_LAYER_WORDS]) {
  bool fits = machine->glb_bank_bytes != 0;
  for (size_t i = 0; i < DLA_LAYER_WORDS; ++i) {
    words[i] = 0;
  }
  for (size_t g = 0; g < kDlaLayerGroupCount; ++g) {
    const struct dla_field_group* group = &dla_layer_groups[g];
    for (size_t i = 0; i < group->count && fits; ++i) {
      const struct dla_field* field = &group->fields[i];
      fits = pack_field(field, (const uint8_t*)layer + group->offset, machine->glb_bank_bytes, &words[field->word]);
    }
  }
  return fits;
}

static void unpack_field(const struct dla_field* field, uint32_t word, uint32_t bank_bytes, void* of) {
  if (field->kind == kDlaFieldRegion) {
    *(struct dla_region*)(void*)((uint8_t*)of + field->offset) = unpack_region(word, bank_bytes);
  } else {
    dla_set_field(field, of, word >> field->lsb & dla_field_max(field));
  }
}

struct dla_layer dla_unpack_layer(const struct dla_machine* machine, const uint32_t words[DLA_LAYER_WORDS]) {
  struct dla_layer layer = {0};
  for (size_t g = 0; g < kDlaLayerGroupCount; ++g) {
    const struct dla_field_group* group = &dla_layer_groups[g];
    for (size_t i = 0; i < group->count; ++i) {
      const struct dla_field* field = &group->fields[i];
      unpack_field(field, words[field->word], machine->glb_bank_bytes, (uint8_t*)&layer + group->offset);
    }
  }
  return layer;
}

bool dla_has_reserved_bits(const uint32_t words[DLA_LAYER_WORDS]) {
  for (size_t i = 0; i < DLA_LAYER_WORDS; ++i) {
    if ((words[i] & ~dla_layer_used_bits[i]) != 0) {
      return true;
    }
  }
  return false;
}
