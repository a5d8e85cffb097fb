// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws random layers with random mappings that fit a machine.
#include "random_layer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "chip_copy.h"
#include "drawn_places.h"

namespace fovea {

namespace {

constexpr uint64_t kMaxMacs = 150'000;

/// The shift that spreads the sums over uint8.
uint32_t usual_shift(const dla_shape& s) { return static_cast<uint32_t>(std::log2(s.C * s.R * s.S) / 2) + 6; }

}  // namespace

uint64_t count_unpooled_macs(const dla_shape& s) {
  const uint64_t E = dla_unpooled_rows(&s), F = dla_unpooled_cols(&s);
  return E * F * dla_groups(&s) * s.M * s.C * s.R * s.S;
}

uint32_t RandomLayers::between(uint32_t first, uint32_t last) {
  // Not std::uniform_int_distribution: its results differ between libraries, and a seed must repeat anywhere.
  return first + static_cast<uint32_t>(source_() % (uint64_t{last} - first + 1));
}

uint32_t RandomLayers::skewed(uint32_t last) {
  const uint32_t kind = between(0, 3);
  return kind == 0 ? last : kind == 1 ? between(1, std::min(last, 3u)) : between(1, last);
}

uint32_t RandomLayers::prefer_rare(const LayerCoverage& coverage, const char* letter, uint32_t first, uint32_t last) {
  if (one_in(2)) {
    return between(first, last);
  }
  uint32_t rarest = first;
  for (uint32_t value = first; value <= last; ++value) {
    rarest = coverage.seen(letter, value) < coverage.seen(letter, rarest) ? value : rarest;
  }
  return rarest;
}

/// Groups of channels: depthwise, of a few channels and filters, or of any.
void RandomLayers::draw_groups(dla_shape& s) {
  s.G = between(1, 40);
  if (one_in(4)) {
    s.G = between(1, 3);
  } else {
    s.C = one_in(2) ? 1 : between(1, 4);
    s.M = one_in(2) ? s.C : between(1, 4);
  }
}

void RandomLayers::draw_requantization(dla_shape& s) {
  s.scaled = one_in(2);
  s.filter_scales = s.scaled && one_in(2);
  s.lookup = one_in(4);
}

/// A max-pool; its padding comes with that of the convolution.
void RandomLayers::draw_pool(dla_shape& s) {
  s.pool = one_in(3);
  if (!s.pool || one_in(3)) {
    return;
  }
  s.pool_size = 2 * between(0, 1) + between(0, 1);
  s.pool_size = s.pool_size == 1 ? 3 : s.pool_size;
  s.pool_stride = one_in(3) ? 1 : between(0, 3);
  const uint32_t most = dla_pool_size(&s) - 1;
  const auto draw = [&] { return one_in(3) ? 0 : one_in(2) ? most : between(0, most); };
  s.pool_top = std::min(draw(), s.pad_top / s.U);
  s.pool_left = std::min(draw(), s.pad_left / s.V);
  s.pool_bottom = std::min(draw(), s.pad_bottom / s.U);
  s.pool_right = std::min(draw(), s.pad_right / s.V);
}

/// What becomes of outputs that are not pooled.
void RandomLayers::draw_tail(dla_shape& s) {
  s.mean = !s.pool && one_in(4);
  s.lookup = s.lookup && !s.mean;
  s.residual = !s.pool && !s.mean && one_in(2);
}

/// Filter, strides and pads.
void RandomLayers::draw_window(const LayerCoverage& coverage, dla_shape& s) {
  s.R = prefer_rare(coverage, "R", DLA_SHAPE_R_MIN, DLA_SHAPE_R_MAX);
  s.S = prefer_rare(coverage, "S", DLA_SHAPE_S_MIN, DLA_SHAPE_S_MAX);
  s.U = prefer_rare(coverage, "U", DLA_SHAPE_U_MIN, DLA_SHAPE_U_MAX);
  s.pad_top = prefer_rare(coverage, "pad_top", DLA_SHAPE_PAD_TOP_MIN, DLA_SHAPE_PAD_TOP_MAX);
  if (one_in(3)) {
    s.V = s.U;
    s.pad_left = s.pad_bottom = s.pad_right = s.pad_top;
    return;
  }
  s.V = prefer_rare(coverage, "V", DLA_SHAPE_V_MIN, DLA_SHAPE_V_MAX);
  s.pad_left = prefer_rare(coverage, "pad_left", DLA_SHAPE_PAD_LEFT_MIN, DLA_SHAPE_PAD_LEFT_MAX);
  s.pad_bottom = prefer_rare(coverage, "pad_bottom", DLA_SHAPE_PAD_BOTTOM_MIN, DLA_SHAPE_PAD_BOTTOM_MAX);
  s.pad_right = prefer_rare(coverage, "pad_right", DLA_SHAPE_PAD_RIGHT_MIN, DLA_SHAPE_PAD_RIGHT_MAX);
}

dla_shape RandomLayers::draw_conv_shape(const LayerCoverage& coverage) {
  for (;;) {
    dla_shape s{};
    draw_window(coverage, s);
    draw_pool(s);
    draw_requantization(s);
    draw_tail(s);
    s.C = skewed(24);
    s.M = skewed(24);
    if (one_in(3)) {
      draw_groups(s);
    }
    // From the ofmap back to the ifmap, with a few rows and columns that no window reaches.
    const auto smallest = [&](uint32_t pads) { return std::max(dla_pool_size(&s), pads + 1); };
    const int E = static_cast<int>(smallest(s.pool_top + s.pool_bottom) + between(0, 9)),
              F = static_cast<int>(smallest(s.pool_left + s.pool_right) + between(0, one_in(8) ? 40 : 9));
    const int H = (E - 1) * static_cast<int>(s.U) + static_cast<int>(s.R + between(0, s.U - 1)) -
                  static_cast<int>(s.pad_top + s.pad_bottom);
    const int W = (F - 1) * static_cast<int>(s.V) + static_cast<int>(s.S + between(0, s.V - 1)) -
                  static_cast<int>(s.pad_left + s.pad_right);
    if (H < 1 || W < 1) {
      continue;
    }
    s.H = static_cast<uint32_t>(H);
    s.W = static_cast<uint32_t>(W);
    if (count_unpooled_macs(s) <= kMaxMacs) {
      return s;
    }
  }
}

/// Filters as large as the ifmap: 1x1, or any other factors of the inputs.
dla_shape RandomLayers::draw_linear_shape() {
  dla_shape s{};
  const bool flat = one_in(2);
  s.R = s.H = flat ? 1 : between(1, DLA_SHAPE_R_MAX);
  s.S = s.W = flat ? 1 : between(1, DLA_SHAPE_S_MAX);
  s.U = s.V = 1;
  s.C = between(1, flat ? 300 : 30);
  s.M = between(1, 40);
  draw_requantization(s);
  draw_tail(s);
  return s;
}

dla_mapping RandomLayers::draw_mapping(const dla_shape& s) {
  const uint32_t E = dla_computed_rows(&s);
  const auto whole = [&](uint32_t rows) {
    return rows < dla_pool_size(&s) ? rows : dla_pool_rows(&s, dla_pooled(&s, rows));
  };
  dla_mapping m{};
  m.n = 1;
  m.m = one_in(8) ? s.M + between(1, 9) : skewed(s.M);
  m.e = whole(std::max(skewed(std::min(E, machine_.cols)), dla_pool_size(&s)));
  m.e = s.mean ? std::min(E, machine_.cols) : m.e;
  m.e_glb = one_in(2) ? E : whole(between(m.e, E));
  m.q = skewed(std::max(1u, std::min({machine_.ifmap_spad_bytes / s.S, s.C + 1, DLA_MAPPING_Q_MAX})));
  m.p = skewed(std::max(1u, std::min({machine_.filter_spad_bytes / (m.q * s.S), machine_.max_pe_filters, s.M + 1})));
  m.fold_rows = one_in(3) ? skewed(std::min({s.R, machine_.rows, DLA_MAPPING_FOLD_ROWS_MAX})) : 0;
  const uint32_t sets_high = machine_.rows / dla_fold_rows(&machine_, &s, m.fold_rows);
  m.r = skewed(sets_high);
  m.t = skewed(std::max(1u, sets_high / m.r * (machine_.cols / m.e)));
  m.ifmap_resident = one_in(2);
  m.filter_buffers = between(2, 5);
  if (one_in(3)) {
    m.filter_buffers = between(2, 12);
    m.stay = skewed(m.filter_buffers - 1);
  }
  m.order = kDlaLoopOrderRowsFiltersChannels;
  if (s.G != 0 && !one_in(4)) {
    hold_groups(s, m, sets_high);
  }
  return m;
}

/// As many whole groups in a PE as there is room for, or fewer, and any number of PE sets: where one has room for none,
/// the mapping is not legal.
void RandomLayers::hold_groups(const dla_shape& s, dla_mapping& m, uint32_t sets_high) {
  const uint32_t by_ifmap = std::min(machine_.ifmap_spad_bytes / s.S, uint32_t{DLA_MAPPING_Q_MAX}) / s.C;
  const uint32_t by_filter = std::min(machine_.filter_spad_bytes / (s.C * s.S),
                                      std::min(machine_.max_pe_filters, uint32_t{DLA_MAPPING_P_MAX})) /
                             s.M;
  m.g = skewed(std::max(1u, std::min({by_ifmap, by_filter, s.G + 1})));
  m.p = m.g * s.M;
  m.q = m.g * s.C;
  m.r = 1;
  m.t = skewed(std::max(1u, sets_high * (machine_.cols / m.e)));
  m.m = m.p * m.t;
  m.ifmap_resident = false;
}

/// In the banks before those that are kept, or behind them, whichever are more. \return whether there is room.
bool RandomLayers::plan_regions(dla_layer& layer, const dla_region& kept) {
  const uint32_t kept_end = kept.base_bytes + kept.size_bytes, behind = machine_.glb_bytes - kept_end;
  const bool is_behind = behind >= kept.base_bytes;
  dla_machine side = machine_;
  side.glb_bytes = is_behind ? behind : kept.base_bytes;
  if (dla_plan_glb(&side, &layer.shape, &layer.mapping, &layer.glb) != kDlaErrorNone) {
    return false;
  }
  // Any order of the regions, and any gaps that the GLB has room for.
  std::array<dla_region*, 5> regions = {&layer.glb.ifmap, &layer.glb.filter, &layer.glb.psum, &layer.glb.out,
                                        &layer.glb.residual};
  uint32_t used = 0;
  for (size_t i = regions.size(); i > 0; --i) {
    std::swap(regions[i - 1], regions[between(0, static_cast<uint32_t>(i - 1))]);
    used += regions[i - 1]->size_bytes;
  }
  uint32_t spare_banks = (side.glb_bytes - used) / machine_.glb_bank_bytes;
  uint32_t end = is_behind ? kept_end : 0;
  for (dla_region* region : regions) {
    const uint32_t gap = one_in(4) ? between(0, spare_banks) : 0;
    spare_banks -= gap;
    region->base_bytes = end + gap * machine_.glb_bank_bytes;
    end = region->base_bytes + region->size_bytes;
  }
  return true;
}

/// \param kind  One of three: planes, or on chip, where those are asked for; else dense. \return whether the layer is
/// legal in its places.
bool RandomLayers::draw_places(LayerCase& test, uint32_t kind) {
  dla_layer& layer = test.layer;
  PlaceDraw places(machine_, *this);
  if (dla_check_mapping(&machine_, &layer.shape, &layer.mapping) != kDlaErrorNone) {
    return false;
  }
  if (kind == 1) {
    places.draw_planes(test);
  }
  if (kind == 2 && !places.draw_on_chip(test)) {
    return false;
  }
  if (!plan_regions(layer, places.kept())) {
    return false;
  }
  if (layer.shape.ifmap_on_chip) {
    layer.glb.ifmap = places.ifmap_region(layer);
  }
  if (kind == 0) {
    return dla_check_layer(&machine_, &layer) == kDlaErrorNone;
  }
  constexpr uint32_t kOfmap = 1u << 28, kResidual = 1u << 29;
  const OutputOffsets offsets = output_offsets(machine_, test);
  layer.ofmap_addr = layer.shape.ofmap_on_chip ? layer.ofmap_addr : kOfmap + offsets.ofmap;
  if (test.residual_in_place) {
    layer.residual_addr = layer.ofmap_addr;
  } else if (!layer.shape.residual_on_chip) {
    layer.residual_addr = kResidual + offsets.residual;
  }
  return dla_check_layer(&machine_, &layer) == kDlaErrorNone;
}

float RandomLayers::draw_scale(uint32_t usual_shift) {
  const float fraction = one_in(4) ? 1 : 1 + static_cast<float>(between(0, (1u << 23) - 1)) / (1u << 23);
  const int exponent = one_in(8) ? static_cast<int>(between(0, 253)) - 126 : -static_cast<int>(usual_shift);
  return std::ldexp(fraction, exponent);
}

dla_quant RandomLayers::draw_quant(const dla_shape& s) {
  dla_quant quant{};
  // Around the usual; sometimes anything.
  const uint32_t usual = usual_shift(s);
  quant.shift = one_in(6) ? between(0, 31) : std::min(31u, usual + between(0, 4));
  quant.rounding = one_in(2) ? kDlaFloor : kDlaNearestEven;
  quant.scale = s.filter_scales ? 0 : draw_scale(usual + between(0, 4));
  quant.ifmap_zero_point = static_cast<uint8_t>(one_in(2) ? 128 : between(0, 255));
  quant.ofmap_zero_point = static_cast<uint8_t>(one_in(2) ? 128 : between(0, 255));
  quant.headroom = static_cast<uint8_t>(one_in(4) ? between(0, 255) : 0);
  const uint32_t highest = 255u - quant.headroom;
  const uint32_t lowest = one_in(2) ? quant.ofmap_zero_point : one_in(4) ? between(0, highest) : 0;
  quant.lowest = static_cast<uint8_t>(std::min(lowest, highest));
  if (s.residual) {
    draw_sum(quant);
  }
  if (s.mean) {
    draw_mean(s, quant);
  }
  return quant;
}

/// Around 1; sometimes anything that the machine takes.
float RandomLayers::draw_sum_scale() {
  const float fraction = one_in(4) ? 1 : 1 + static_cast<float>(between(0, (1u << 23) - 1)) / (1u << 23);
  return std::ldexp(fraction, one_in(8) ? static_cast<int>(between(0, 80)) - 40 : static_cast<int>(between(0, 4)) - 3);
}

/// Of the offset, which cancels the zero points as a rule.
void RandomLayers::draw_sum(dla_quant& quant) {
  quant.residual_first = one_in(2);
  quant.conv_scale = draw_sum_scale();
  quant.residual_scale = draw_sum_scale();
  const auto zero_point = static_cast<float>(between(0, 255)), other = static_cast<float>(between(0, 255));
  quant.sum_offset = one_in(8) ? 0 : other - zero_point * (quant.conv_scale + quant.residual_scale);
  quant.sum_headroom = static_cast<uint8_t>(one_in(4) ? between(0, 255) : 0);
  quant.sum_lowest = static_cast<uint8_t>(one_in(2) ? between(0, 255u - quant.sum_headroom) : 0);
}

/// Around that which makes a mean of a sum.
void RandomLayers::draw_mean(const dla_shape& s, dla_quant& quant) {
  const uint32_t outputs = dla_unpooled_rows(&s) * dla_unpooled_cols(&s);
  quant.conv_scale = one_in(4) ? draw_scale(0) : 2 * draw_scale(0) / static_cast<float>(outputs);
  quant.mean_zero_point = static_cast<uint8_t>(one_in(2) ? 128 : between(0, 255));
  quant.sum_headroom = static_cast<uint8_t>(one_in(4) ? between(0, 255) : 0);
  quant.sum_lowest = static_cast<uint8_t>(one_in(4) ? between(0, 255u - quant.sum_headroom) : 0);
}

void RandomLayers::fill_tensors(LayerCase& test) {
  const dla_shape& s = test.layer.shape;
  const bool extreme = one_in(10);
  const size_t groups = dla_groups(&s);
  test.ifmap.resize(groups * s.C * s.H * s.W);
  test.filter.resize(groups * s.M * s.C * s.R * s.S);
  test.bias.resize(groups * s.M);
  test.scale.resize(s.filter_scales ? test.bias.size() : 0);
  for (float& scale : test.scale) {
    // Rounded down, 0 differs from the smallest scale, which the machine takes it for.
    scale = one_in(20) && test.layer.quant.rounding == kDlaNearestEven ? 0 : draw_scale(usual_shift(s) + between(0, 4));
  }
  test.table.resize(s.lookup ? DLA_TABLE_BYTES : 0);
  for (uint8_t& y : test.table) {
    y = static_cast<uint8_t>(between(0, 255));
  }
  test.residual.resize(s.residual ? ofmap_bytes(s) : 0);
  for (uint8_t& x : test.residual) {
    x = static_cast<uint8_t>(between(0, 255));
  }
  for (uint8_t& x : test.ifmap) {
    x = static_cast<uint8_t>(extreme ? 255 * between(0, 1) : between(0, 255));
  }
  for (int8_t& w : test.filter) {
    w = static_cast<int8_t>(extreme ? (one_in(2) ? -128 : 127) : static_cast<int>(between(0, 255)) - 128);
  }
  for (int32_t& b : test.bias) {
    // One layer in ten starts near the ends of int32, so that its sums wrap.
    b = extreme ? INT32_MAX - static_cast<int32_t>(between(0, 100)) : static_cast<int32_t>(between(0, 40000)) - 20000;
  }
}

LayerCase RandomLayers::draw_data(const dla_shape& shape) {
  LayerCase test;
  test.layer.shape = shape;
  test.layer.quant = draw_quant(shape);
  fill_tensors(test);
  return test;
}

bool RandomLayers::draw_mapping_of(dla_layer& layer, const dla_region& kept) {
  for (int attempt = 0; attempt < 40; ++attempt) {
    layer.mapping = draw_mapping(layer.shape);
    if (place_mapping_of(layer, kept)) {
      return true;
    }
  }
  return false;
}

bool RandomLayers::place_mapping_of(dla_layer& layer, const dla_region& kept) {
  if (dla_check_mapping(&machine_, &layer.shape, &layer.mapping) != kDlaErrorNone || !plan_regions(layer, kept)) {
    return false;
  }
  if (layer.shape.ifmap_on_chip) {
    const dla_planes ifmap = dla_planes_of(&machine_, &layer, kDlaIfmap);
    layer.glb.ifmap = dla_banks_of(&machine_, &ifmap);
  }
  return dla_check_layer(&machine_, &layer) == kDlaErrorNone;
}

LayerCase RandomLayers::draw(const LayerCoverage& coverage) {
  for (;;) {
    if (std::optional<LayerCase> test = draw_for(one_in(5) ? draw_linear_shape() : draw_conv_shape(coverage))) {
      return *test;
    }
  }
}

std::optional<LayerCase> RandomLayers::draw_for(const dla_shape& shape) {
  LayerCase test;
  test.layer.quant = draw_quant(shape);
  const uint32_t kinds = places_ == Places::kDense ? 1 : places_ == Places::kPlanes ? 2 : 3;
  const uint32_t drawn = kinds == 1 ? 0 : between(0, 2), kind = drawn < kinds ? drawn : 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    test.layer.shape = shape;
    test.layer.mapping = draw_mapping(shape);
    if (draw_places(test, kind)) {
      test.layer.shape.filters_on_chip = kinds == 3 && one_in(4) && may_have_filters_on_chip(machine_, test.layer);
      test.ifmap_offset = between(0, 4095);
      test.ofmap_offset = between(0, 4095);
      test.residual_words = between(0, 255);
      test.residual_in_place = kind == 0 ? shape.residual && one_in(3) : test.residual_in_place;
      fill_tensors(test);
      return test;
    }
  }
  return std::nullopt;
}

}  // namespace fovea
