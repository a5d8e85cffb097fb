// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the PE array computes, a pass at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "filter_feed.h"
#include "layer_plan.h"
#include "spec/dla_schedule.h"

namespace fovea {

/// The arithmetic of a layer. A pass is a product of two matrices: its filters, [filters][K], and the windows of its
/// output pixels, [K][e * F], where K runs over the PE rows of a segment and in each over q * S; or one a group.
class Convolution {
 public:
  /// \param glb    The GLB's bytes.
  /// \param table  Those of the table; read where the layer has lookup, after its load.
  void start_layer(const LayerPlan& plan, const uint8_t* glb, const uint8_t* table);

  /// Takes the weights, biases and scales of the passes to come. \param pass  The first that uses them.
  void load_filters(const dla_pass& pass, const FedSet& set);

  /// Adds the pass's products to its psums, and where it is the last for them, writes the output tile:
  /// [filters][rows][ofmap_cols] uint8.
  void compute(const dla_pass& pass, std::vector<uint8_t>& tile);

 private:
  static uint32_t window_blocks(const dla_pass& pass);
  void load_window(const dla_pass& pass);
  void multiply(const dla_pass& pass, int32_t* psums) const;
  void load_channel_row(const dla_pass& pass, uint32_t channel, uint32_t row, int16_t* window);
  const uint8_t* pixels_of(const dla_pass& pass, uint32_t channel, int32_t y);
  void requantize(uint32_t filter, const int32_t* psums, size_t count);
  void clear_padding(const dla_pass& pass);
  void finish(const dla_pass& pass, const std::vector<int32_t>& psums, std::vector<uint8_t>& tile);

  /// What the window was loaded for; the same until one of these changes.
  struct WindowKey {
    uint32_t load, channel, fold_row0;
    int32_t y;
    bool operator==(const WindowKey& o) const {
      return load == o.load && channel == o.channel && fold_row0 == o.fold_row0 && y == o.y;
    }
  };

  const uint8_t* glb_ = nullptr;
  const uint8_t* table_ = nullptr;
  LayerPlan plan_;
  size_t depth_ = 0;   ///< K of the filters loaded.
  size_t stride_ = 0;  ///< Pixels of a row of the window or of psums: e * F, rounded up for the vector loops.
  std::vector<int16_t> weights_, window_;
  std::vector<int32_t> biases_;
  std::vector<float> scales_;
  std::vector<std::vector<int32_t>> psums_;  ///< A block each: [filters][stride_].
  std::vector<uint8_t> activations_;
  std::vector<uint8_t> row_;  ///< Of an ifmap on chip.
  WindowKey window_key_{};
  bool has_window_ = false;
};

}  // namespace fovea
