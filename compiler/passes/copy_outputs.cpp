// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds casts at the graph's end.
#include "copy_outputs.h"

#include <algorithm>

#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

/// Whether nothing computes a value alone: it is a constant's or an input's bytes, or some of what a C function makes.
bool is_given(const Graph& graph, NodeId id) {
  while (is_call(graph[id], "reshape")) {
    id = graph[id].inputs[0];
  }
  return graph[id].kind == NodeKind::kConstant || graph[id].kind == NodeKind::kInput ||
         is_call(graph[id], "extern_output");
}

}  // namespace

Graph copy_outputs(const Graph& graph) {
  return rewrite_outputs(graph, [&](GraphBuilder& builder, NodeId output) {
    const Node& node = graph[output];
    if (!is_given(graph, output)) {
      return output;
    }
    if (node.kind == NodeKind::kConstant && node.type.shape.size() > 1 && node.type.shape[0] != 1) {
      TensorType type = node.type;
      type.shape.insert(type.shape.begin(), 1);
      Tensor batch(type);
      std::ranges::copy(node.constant->bytes(), batch.bytes().begin());
      output = builder.constant(std::move(batch), node.origin);
    }
    return add_copy(builder, output);
  });
}

}  // namespace fovea
