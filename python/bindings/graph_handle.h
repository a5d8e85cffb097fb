// SPDX-License-Identifier: Apache-2.0
/// \file
/// Graphs, and those that are being built, as Python holds them.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "tensor/error.h"

namespace fovea {

/// Where a node is: a finished graph, or one that a builder makes. Nodes and arrays of constants keep it alive.
struct GraphSource {
  std::shared_ptr<const Graph> finished;
  std::optional<GraphBuilder> own;   ///< Of a Builder that Python made.
  GraphBuilder* rewriter = nullptr;  ///< Of rewrite_graph(), while it runs.

  GraphBuilder* builder() { return own ? &*own : rewriter; }

  /// \throws UsageError where there is none any more: its rewriting has failed.
  const Graph& graph() {
    if (!finished && builder() == nullptr) {
      throw UsageError("node: its graph was never finished; take one from a graph or a builder that is");
    }
    return finished ? *finished : builder()->so_far();
  }

  void finish(Graph graph) {
    finished = std::make_shared<const Graph>(std::move(graph));
    own.reset();
    rewriter = nullptr;
  }
};

/// A finished graph.
struct GraphHandle {
  std::shared_ptr<GraphSource> source;

  explicit GraphHandle(Graph graph) : source(std::make_shared<GraphSource>()) { source->finish(std::move(graph)); }
  explicit GraphHandle(std::shared_ptr<GraphSource> from) : source(std::move(from)) {}

  const Graph& graph() const { return *source->finished; }
};

struct NodeHandle {
  std::shared_ptr<GraphSource> source;
  NodeId id = 0;

  const Graph& graph() const { return source->graph(); }
  const Node& node() const { return graph()[id]; }
  bool operator==(const NodeHandle&) const = default;
};

}  // namespace fovea
