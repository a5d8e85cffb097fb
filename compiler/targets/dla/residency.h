// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tensors of a network stay in the GLB between layers, where they lie there, and what they leave of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "layers/layer.h"
#include "mapping/mapper.h"

namespace fovea {

/// Where a layer's tensors lie on chip (spec/dla_planes.h has the addresses); nothing of one in DRAM.
struct LayerResidency {
  std::optional<std::uint32_t> ifmap, ofmap, residual;
  std::uint32_t ifmap_channels = 0;  ///< Of an ifmap on chip: a product's channels are these.
  /// Bytes of the GLB in front of, and behind, what the layer's regions may take: whole banks.
  std::uint32_t kept_front_bytes = 0, kept_back_bytes = 0;

  bool is_any() const { return ifmap || ofmap || residual || kept_front_bytes + kept_back_bytes != 0; }
};

/// By the layer's name; a layer that is not in it runs as if nothing stayed.
using ResidencyPlan = std::map<std::string, LayerResidency>;

/// Chooses tensors by a dynamic program over the layers, whose states are the sets of tensors that stay: of the goal's
/// cycles with a cycle for each bus word from or to DRAM, bytes or energy, the least in sum. A tensor may stay if
/// commands alone write and read it, one picture at a time, and none of them sees it in other rows and columns.
ResidencyPlan plan_residency(const Network& network, Mapper& mapper);

}  // namespace fovea
