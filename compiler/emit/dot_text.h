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

/// DOT text of graphs, side by side. A box is an operator, with those behind it that go on with its value alone,
/// element by element; or a composite, coloured by target. Constants are lines in the box that reads them. Conversions
/// between numbers and integers are no boxes: an edge says the type of what runs along it, its scale and its zero
/// point. Regions are frames. A layer's box has the id graph-<layer> and leads to #layer-<layer>.
std::string graphs_to_dot(const std::vector<DrawnGraph>& graphs);

}  // namespace fovea
