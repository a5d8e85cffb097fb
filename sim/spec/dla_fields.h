// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of a layer command as data, for whoever treats them alike: registers, JSON, text.
#pragma once

#include <stddef.h>

#include "dla_command.h"
#include "dla_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum dla_field_kind {
  kDlaFieldNumber,
  kDlaFieldFlag,
  kDlaFieldChoice,  ///< One of an enum's values.
  kDlaFieldRegion,  ///< A dla_region, in bytes; its register counts banks.
};

/// A member of one of the command's structs.
struct dla_field {
  const char* name;
  enum dla_field_kind kind;
  size_t offset;              ///< In its struct.
  uint32_t word, lsb, width;  ///< Place in the registers; a region has the whole word.
  bool is_byte;               ///< A number of one byte in the struct, not of four.
  bool is_float;              ///< A number that is a float32 in the struct: here, its bits.
  bool is_fixed;              ///< A number with one legal value: text does not say it.
  const char* text;           ///< What text calls it: "text=1", or the word of a flag that is set; NULL: the name.
  const char* text_off;       ///< The word of a flag that is not set; NULL: none.
  bool is_optional;           ///< A number that may be missing in text: it is `otherwise` then.
  uint32_t otherwise;
  bool is_quiet;               ///< Where it is `otherwise`, text, JSON and C leave it out.
  const char* const* choices;  ///< C names of the enum's values.
  uint32_t choice_count;
};

/// The members of one struct, in its order.
struct dla_field_group {
  const char* name;
  size_t offset;  ///< In dla_layer.
  const struct dla_field* fields;
  size_t count;
};

extern const struct dla_field_group dla_layer_groups[kDlaLayerGroupCount];

/// Bits that mean something, a register each.
extern const uint32_t dla_layer_used_bits[DLA_LAYER_WORDS];

/// The largest value that the field's register bits hold.
static inline uint32_t dla_field_max(const struct dla_field* field) { return UINT32_MAX >> (32 - field->width); }

/// A field of the struct at `of`. \pre it is no region.
uint32_t dla_get_field(const struct dla_field* field, const void* of);
void dla_set_field(const struct dla_field* field, void* of, uint32_t value);

/// The command as register words. \return false if a number does not fit its field, or a region is not whole banks.
bool dla_pack_layer(const struct dla_machine* machine, const struct dla_layer* layer, uint32_t words[DLA_LAYER_WORDS]);

/// The command in register words; reserved bits are dropped.
struct dla_layer dla_unpack_layer(const struct dla_machine* machine, const uint32_t words[DLA_LAYER_WORDS]);

/// Whether a reserved bit of the words is set.
bool dla_has_reserved_bits(const uint32_t words[DLA_LAYER_WORDS]);

#ifdef __cplusplus
}
#endif
