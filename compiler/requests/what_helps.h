// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a larger machine would save the layers that lose most, by the mapper and the cost model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement.h"

namespace fovea {

/// One size of the machine made larger, and the layer on it, mapped anew.
struct Help {
  std::string field;  ///< Of the machine file.
  std::uint32_t from, to;
  std::uint64_t cycles;  ///< Predicted.
  double gates;          ///< What it takes more, by the area model; 1 is all of the machine's.
};

struct LayerHelp {
  std::string layer;
  std::uint64_t cycles, lost;  ///< Predicted; those in which the array does not multiply.
  std::vector<Help> helps;     ///< That take fewer cycles, the fewest first.
};

/// Of the layers on the accelerator, up to `most` that lose most cycles, each at least a thousandth of all layers'. The
/// mappings are those of the request, but without its records, which are of one machine. \throws as import_network().
std::vector<LayerHelp> what_helps(const NetworkRequest& request, std::size_t most);

}  // namespace fovea
