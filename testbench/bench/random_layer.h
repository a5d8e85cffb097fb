// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws random layers with random mappings that fit a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "device_bench.h"
#include "drawn_places.h"
#include "layer_coverage.h"

namespace fovea {

/// Multiplications of a convolution of which every output is computed, also those that no window takes.
uint64_t count_unpooled_macs(const dla_shape& shape);

/// Draws from one seeded source, so that a seed repeats a run.
class RandomLayers {
 public:
  RandomLayers(const dla_machine& machine, uint64_t seed, Places places = Places::kDense)
      : machine_(machine), places_(places), source_(seed) {}

  /// A layer that dla_check_layer() accepts (addresses in DRAM are not filled in), with its data. Small: some 10^5 MACs
  /// at most. One in five is fully connected; convolutions prefer the values of R, S, strides and pads that `coverage`
  /// has seen least; one in three has one stride and the same padding on all sides.
  LayerCase draw(const LayerCoverage& coverage);

  /// A layer of this shape; nothing where no mapping was found that fits.
  std::optional<LayerCase> draw_for(const dla_shape& shape);

  /// A layer of this shape, tensors on chip included, without a mapping.
  LayerCase draw_data(const dla_shape& shape);

  /// Draws a mapping, and GLB regions beside the banks that are kept, for a layer whose addresses are known. \return
  /// whether one was found that is legal.
  bool draw_mapping_of(dla_layer& layer, const dla_region& kept);

  /// The same with the mapping that the layer has.
  bool place_mapping_of(dla_layer& layer, const dla_region& kept);

  /// Uniform in first to last.
  uint32_t between(uint32_t first, uint32_t last);
  bool one_in(uint32_t n) { return between(1, n) == 1; }

  /// By a shift or by scales, one for all filters or one each; one in four behind that by a table.
  void draw_requantization(dla_shape& shape);

 private:
  /// The value of `letter` seen least, or, every other time, any.
  uint32_t prefer_rare(const LayerCoverage& coverage, const char* letter, uint32_t first, uint32_t last);

  /// 1 to `last`, small values and `last` itself more often.
  uint32_t skewed(uint32_t last);

  void draw_window(const LayerCoverage& coverage, dla_shape& shape);
  dla_shape draw_conv_shape(const LayerCoverage& coverage);
  dla_shape draw_linear_shape();
  dla_mapping draw_mapping(const dla_shape& shape);
  bool draw_places(LayerCase& test, uint32_t kind);
  bool plan_regions(dla_layer& layer, const dla_region& kept);
  void draw_pool(dla_shape& s);
  void draw_tail(dla_shape& s);
  void draw_groups(dla_shape& shape);
  void hold_groups(const dla_shape& shape, dla_mapping& mapping, uint32_t sets_high);
  float draw_scale(uint32_t usual_shift);
  dla_quant draw_quant(const dla_shape& shape);
  float draw_sum_scale();
  void draw_sum(dla_quant& quant);
  void draw_mean(const dla_shape& s, dla_quant& quant);
  void fill_tensors(LayerCase& test);

  dla_machine machine_;
  Places places_;
  std::mt19937_64 source_;
};

}  // namespace fovea
