// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tensors of a network stay in the GLB between layers, where they lie there, and what they leave of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layers/layer.h"
#include "mapping/mapper.h"

namespace fovea {

/// Layers that run depth first: each slice of the first, the second, ..., then the next slice of each.
struct DepthFirst {
  std::vector<std::string> layers;
  std::vector<std::vector<std::uint32_t>> rows;  ///< By layer and slice: of its ofmap; 0 where it has none.

  std::size_t slices() const { return rows.front().size(); }
};

/// Where a layer's tensors lie on chip (spec/dla_planes.h has the addresses); nothing of one in DRAM.
struct LayerResidency {
  std::optional<std::uint32_t> ifmap, ofmap, residual;
  std::uint32_t ifmap_channels = 0;  ///< Of an ifmap on chip: a product's channels are these.
  /// Rows of each plane on chip, where it is a ring; 0: all rows.
  std::uint32_t ifmap_plane_rows = 0, ofmap_plane_rows = 0, residual_plane_rows = 0;
  /// Bytes of the GLB in front of, and behind, what the layer's regions may take: whole banks.
  std::uint32_t kept_front_bytes = 0, kept_back_bytes = 0;
  /// Where its filter region begins, if it keeps its filters from its first slice on; behind the front.
  std::optional<std::uint32_t> filters;
  std::uint32_t filters_bytes = 0;                ///< Of all layers that keep theirs meanwhile,
  std::uint32_t other_filters_bytes = 0;          ///< and of those but this one what was planned for them.
  std::shared_ptr<const DepthFirst> depth_first;  ///< The layers that it runs depth first with, if any,
  std::size_t place = 0;                          ///< and its place among them.

  bool is_any() const { return ifmap || ofmap || residual || depth_first || kept_front_bytes + kept_back_bytes != 0; }
};

/// By the layer's name; a layer that is not in it runs as if nothing stayed.
using ResidencyPlan = std::map<std::string, LayerResidency>;

/// Chooses which tensors stay, whole or as rings between layers that run depth first, by a dynamic program over the
/// layers. Its states are the sets of whole tensors that stay; a step is a layer, or several that run depth first.
/// What is least in sum is the goal's cycles with a cycle for each bus word from or to DRAM, bytes, or energy. Steps
/// depth first are estimated until one is taken; then it is mapped, and the program runs again.
/// \param seed  If not 0, prices are drawn, so that tests see plans that no goal would choose.
ResidencyPlan plan_residency(const Network& network, Mapper& mapper, std::uint32_t seed = 0);

}  // namespace fovea
