// SPDX-License-Identifier: Apache-2.0
/// \file
/// A graph as Graphviz text.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// A graph to draw.
struct DrawnGraph {
  const Graph& graph;
  std::string title;
  std::vector<std::string> layers;  ///< Names of its composites, in order; may be fewer.
};

/// DOT text of graphs, side by side. Each value is a node with its operator, quantization, shape and type; composites
/// and regions are boxes coloured by target. Scalars are named in the nodes that read them. What follows from the
/// graph's inputs runs straight down. A layer's box has the id graph-<layer> and leads to #layer-<layer>.
std::string graphs_to_dot(const std::vector<DrawnGraph>& graphs);

}  // namespace fovea
