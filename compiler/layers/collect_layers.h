// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a partitioned graph to a network of layers.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "layer.h"
#include "refusals.h"

namespace fovea {

/// Reads the layers off a graph of composites, or of regions of them, in their order.
/// UserError, with a line each, where operators are in no composite, or the network's inputs and outputs are not
/// float32 tensors of their own.
Network collect_layers(const Graph& graph, std::string name);

/// A refusal among the layers.
struct PlacedRefusal : Refusal {
  std::size_t before_layer = 0;  ///< Place in Network::layers of the layer behind it.
  TensorType output_type;
};

/// refuse_all() of their messages.
void refuse_all(const std::vector<PlacedRefusal>& refusals);

/// The same, but what is refused is left out of the network and listed; the network is for looking at, then.
Network collect_layers(const Graph& graph, std::string name, std::vector<PlacedRefusal>& refusals);

}  // namespace fovea
