// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fields of packed structs on the pins of a verilated module.
#pragma once

#include <cstdint>

#include "spec/dla_fields.h"

namespace fovea {

/// The `width` bits from `lsb` on of a pin of several words.
template <class Wide>
uint32_t bits_of(const Wide& wide, uint32_t lsb, uint32_t width) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < width; ++i) {
    value |= (wide[(lsb + i) / 32] >> (lsb + i) % 32 & 1u) << i;
  }
  return value;
}

template <class Wide>
void set_bits(Wide& wide, uint32_t lsb, uint32_t width, uint32_t value) {
  for (uint32_t i = 0; i < width; ++i) {
    const uint32_t bit = 1u << (lsb + i) % 32;
    uint32_t& word = wide[(lsb + i) / 32];
    word = (value >> i & 1u) != 0 ? word | bit : word & ~bit;
  }
}

/// Puts a layer command on the pin of that type. \pre its numbers fit their fields; its GLB regions are not used.
template <class Wide>
void set_layer(Wide& pin, const dla_layer& layer) {
  dla_machine machine{};
  machine.glb_bank_bytes = 1024;
  uint32_t words[DLA_LAYER_WORDS];
  dla_pack_layer(&machine, &layer, words);
  for (uint32_t i = 0; i < DLA_LAYER_WORDS; ++i) {
    pin[i] = words[i];
  }
}

}  // namespace fovea
