// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a partitioned graph to a network of layers.
#ifndef FOVEA_COMPILER_LAYERS_COLLECT_LAYERS_H_
#define FOVEA_COMPILER_LAYERS_COLLECT_LAYERS_H_

#include <string>

#include "ir/graph.h"
#include "layer.h"

namespace fovea {

/// Reads the layers off a graph of composites, or of regions of them, in their order.
/// UserError where an operator is in no composite, or the network's inputs and outputs are not float32 tensors of their
/// own.
Network collect_layers(const Graph& graph, std::string name);

}  // namespace fovea

#endif  // FOVEA_COMPILER_LAYERS_COLLECT_LAYERS_H_
