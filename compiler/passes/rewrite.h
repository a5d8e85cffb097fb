// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rebuilds a graph node by node: what most passes are made of.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace fovea {

/// Makes the value that replaces one node, or nothing where the node is copied as it is.
/// `id` is the node's place in the old graph, `inputs` are what it reads in the new one, which `builder` holds so far.
using Rewrite =
    std::function<std::optional<NodeId>(GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs)>;

/// Visits all nodes but inputs, in order. What a rewrite leaves without a reader stays, for eliminate_dead_code().
Graph rewrite_graph(const Graph& graph, const Rewrite& rewrite);

/// Whether a value is quantized, with only elementwise operators, biases and max-pools on the way, each read once.
bool is_quantized_again(const Graph& graph, NodeId id);

/// What an output, which has its id in the new graph too, is to be; the id itself leaves it.
using OutputRewrite = std::function<NodeId(GraphBuilder& builder, NodeId output)>;

/// A graph with other outputs, and all else as it is.
Graph rewrite_outputs(const Graph& graph, const OutputRewrite& rewrite);

/// Adds a cast of a value to the type that it has: a layer that copies it.
NodeId add_copy(GraphBuilder& builder, NodeId value);

}  // namespace fovea
