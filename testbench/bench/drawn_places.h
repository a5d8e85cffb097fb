// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws where a layer's tensors lie: planes with other rows between them, and places on chip.
#pragma once

#include <cstdint>
#include <vector>

#include "device_bench.h"

namespace fovea {

class RandomLayers;

/// Where the tensors of drawn layers lie.
enum class Places {
  kDense,   ///< In DRAM, planes one behind another.
  kPlanes,  ///< ... or, in one layer of three, planes that have other rows too.
  kAny,     ///< ... or, in another one of three, some tensors on chip, or all.
};

/// Draws planes, rows and places such that a layer stays legal. Numbers come from a RandomLayers.
class PlaceDraw {
 public:
  /// \param random  Outlives the draw.
  PlaceDraw(const dla_machine& machine, RandomLayers& random) : machine_(machine), random_(random) {}

  /// Planes of tensors in DRAM. \pre the shape has none yet, here and below.
  void draw_planes(LayerCase& test);

  /// Tensors on chip, and the planes of all. \return whether the GLB has room for them.
  bool draw_on_chip(LayerCase& test);

  /// The banks that draw_on_chip() has chosen.
  const dla_region& kept() const { return kept_; }

  /// The ifmap's region, where the ifmap is on chip: its banks, or all that are kept.
  dla_region ifmap_region(const dla_layer& layer);

 private:
  /// Rows of a plane, and the one that a tensor begins with.
  struct Rows {
    uint32_t plane = 0, first = 0;
  };

  void draw_tensors(LayerCase& test);
  Rows draw_ring(uint32_t rows);
  Rows draw_output_ring(uint32_t rows, uint32_t step);
  uint32_t draw_plane_rows(uint32_t rows);
  void draw_ifmap_rows(dla_shape& s);
  void draw_output_rows(const LayerCase& test, dla_shape& s);
  uint32_t draw_residual_rows(const dla_shape& s, uint32_t rows, uint32_t step);
  void match_rings(dla_shape& s, uint32_t rows, uint32_t step);
  bool lay_out(LayerCase& test);
  uint32_t put(dla_layer& layer, dla_layer_tensor tensor, uint32_t end);

  const dla_machine& machine_;
  RandomLayers& random_;
  dla_region kept_{};
};

}  // namespace fovea
