// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a larger machine would save the layers that lose most, by the mapper and the cost model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement.h"

namespace fovea {

/// A field of the machine file, made larger.
struct LargerSize {
  std::string field;
  std::uint32_t from, to;
};

/// What a larger machine makes of a layer, which is mapped anew.
struct Help {
  std::vector<LargerSize> sizes;  ///< One, or two.
  std::uint64_t cycles;           ///< Predicted.
  double gates;                   ///< What it takes more, by the area model; 1 is all of the machine's.
};

struct LayerHelp {
  std::string layer;
  std::uint64_t cycles, lost;  ///< Predicted; those in which the array does not multiply.
  std::vector<Help> helps;     ///< That take fewer cycles, the fewest first.
};

/// Layers that no single size helps by a hundredth are asked about two networks or buses at once, as weights pass both.
/// Of the layers on the accelerator, up to `most` that lose most cycles, each at least a thousandth of all layers'. The
/// mappings are those of the request, but without its records, which are of one machine. \throws as import_network().
std::vector<LayerHelp> what_helps(const NetworkRequest& request, std::size_t most);

}  // namespace fovea
