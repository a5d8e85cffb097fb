// SPDX-License-Identifier: Apache-2.0
/// \file
/// What stays the same while a layer runs: the command, its passes, and lengths in GLB words.
#include "layer_plan.h"

#include <algorithm>

#include "spec/dla_regs.h"

namespace fovea {

namespace {

#define FOVEA_USED(name) (DLA_##name##_MASK << DLA_##name##_LSB)
#define FOVEA_GET(name, word) ((word) >> DLA_##name##_LSB & DLA_##name##_MASK)

constexpr uint32_t kRegionBits = FOVEA_USED(GLB_IFMAP_BASE_BANK) | FOVEA_USED(GLB_IFMAP_BANKS);

/// Bits that mean something, a register each.
constexpr LayerWords kUsedBits = {
    FOVEA_USED(IFMAP_ADDR_VALUE),
    FOVEA_USED(FILTER_ADDR_VALUE),
    FOVEA_USED(OFMAP_ADDR_VALUE),
    FOVEA_USED(CHANNELS_C) | FOVEA_USED(CHANNELS_M),
    FOVEA_USED(IFMAP_SIZE_H) | FOVEA_USED(IFMAP_SIZE_W),
    FOVEA_USED(KERNEL_R) | FOVEA_USED(KERNEL_S) | FOVEA_USED(KERNEL_U) | FOVEA_USED(KERNEL_PAD) |
        FOVEA_USED(KERNEL_POOL),
    FOVEA_USED(MAP_GLB_M) | FOVEA_USED(MAP_GLB_E_GLB) | FOVEA_USED(MAP_GLB_N),
    FOVEA_USED(MAP_PE_E) | FOVEA_USED(MAP_PE_P) | FOVEA_USED(MAP_PE_Q) | FOVEA_USED(MAP_PE_R) | FOVEA_USED(MAP_PE_T),
    FOVEA_USED(MAP_LOOP_ORDER) | FOVEA_USED(MAP_LOOP_IFMAP_RESIDENT) | FOVEA_USED(MAP_LOOP_FILTER_BUFFERS),
    FOVEA_USED(QUANT_SHIFT) | FOVEA_USED(QUANT_ROUNDING) | FOVEA_USED(QUANT_RELU) | FOVEA_USED(QUANT_IFMAP_ZERO_POINT) |
        FOVEA_USED(QUANT_OFMAP_ZERO_POINT),
    kRegionBits,
    kRegionBits,
    kRegionBits,
    kRegionBits,
};

dla_region decode_region(uint32_t bank_bytes, uint32_t word) {
  return {FOVEA_GET(GLB_IFMAP_BASE_BANK, word) * bank_bytes, FOVEA_GET(GLB_IFMAP_BANKS, word) * bank_bytes};
}

}  // namespace

bool has_reserved_bits(const LayerWords& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if ((words[i] & ~kUsedBits[i]) != 0) {
      return true;
    }
  }
  return false;
}

dla_layer decode_layer(const dla_machine& machine, const LayerWords& words) {
  const auto [ifmap, filter, ofmap, channels, size, kernel, glb, pe, loop, quant, r0, r1, r2, r3] = words;
  dla_layer layer{};
  layer.ifmap_addr = ifmap;
  layer.filter_addr = filter;
  layer.ofmap_addr = ofmap;
  layer.shape = {FOVEA_GET(CHANNELS_C, channels), FOVEA_GET(IFMAP_SIZE_H, size), FOVEA_GET(IFMAP_SIZE_W, size),
                 FOVEA_GET(CHANNELS_M, channels), FOVEA_GET(KERNEL_R, kernel),   FOVEA_GET(KERNEL_S, kernel),
                 FOVEA_GET(KERNEL_U, kernel),     FOVEA_GET(KERNEL_PAD, kernel), FOVEA_GET(KERNEL_POOL, kernel) != 0};
  layer.mapping = {FOVEA_GET(MAP_GLB_M, glb),
                   FOVEA_GET(MAP_GLB_N, glb),
                   FOVEA_GET(MAP_PE_E, pe),
                   FOVEA_GET(MAP_PE_P, pe),
                   FOVEA_GET(MAP_PE_Q, pe),
                   FOVEA_GET(MAP_PE_R, pe),
                   FOVEA_GET(MAP_PE_T, pe),
                   FOVEA_GET(MAP_GLB_E_GLB, glb),
                   FOVEA_GET(MAP_LOOP_IFMAP_RESIDENT, loop) != 0,
                   FOVEA_GET(MAP_LOOP_FILTER_BUFFERS, loop),
                   static_cast<dla_loop_order>(FOVEA_GET(MAP_LOOP_ORDER, loop))};
  layer.quant = {FOVEA_GET(QUANT_SHIFT, quant), static_cast<dla_rounding>(FOVEA_GET(QUANT_ROUNDING, quant)),
                 FOVEA_GET(QUANT_RELU, quant) != 0, static_cast<uint8_t>(FOVEA_GET(QUANT_IFMAP_ZERO_POINT, quant)),
                 static_cast<uint8_t>(FOVEA_GET(QUANT_OFMAP_ZERO_POINT, quant))};
  const uint32_t bank = machine.glb_bank_bytes;
  layer.glb = {decode_region(bank, r0), decode_region(bank, r1), decode_region(bank, r2), decode_region(bank, r3)};
  return layer;
}

LayerPlan::LayerPlan(const dla_machine& of_machine, const dla_layer& of_layer)
    : machine(of_machine),
      layer(of_layer),
      passes(dla_derive_passes(&machine, &layer.shape, &layer.mapping)),
      lanes(dla_psum_net_words(&machine)) {
  const dla_shape& s = layer.shape;
  const dla_mapping& m = layer.mapping;
  segment_rows = m.r * passes.fold_rows;
  chunk_channels = m.q * m.r;
  pass_filters = m.p * m.t;
  ifmap_plane = s.H * s.W;
  ofmap_plane = passes.ofmap_rows * passes.ofmap_cols;
  ifmap_base_word = layer.glb.ifmap.base_bytes / machine.bus_bytes;
  ifmap_quarter_words = layer.glb.ifmap.size_bytes / machine.bus_bytes / 4;
  ifmap_buffer_words = m.ifmap_resident ? 0 : (chunk_channels + 3) / 4 * passes.ifmap_plane_words;
  filter_base_word = layer.glb.filter.base_bytes / machine.bus_bytes;
  filter_buffer_words = passes.filter_chunk_bytes / machine.bus_bytes;
  new_cols = std::min(s.S, s.U);
}

}  // namespace fovea
