// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks at operators that hang together, in no composite, at once.
#include "refusals.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ops/operator.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

bool is_operator(const Node& node) { return node.kind == NodeKind::kCall; }

/// The operators around one that read each other's values, in the graph's order.
std::set<NodeId> find_group(const Graph& graph, NodeId start) {
  std::set<NodeId> group{start};
  std::vector<NodeId> open{start};
  const auto visit = [&](const std::vector<NodeId>& ids) {
    for (const NodeId id : ids) {
      if (is_operator(graph[id]) && group.insert(id).second) {
        open.push_back(id);
      }
    }
  };
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    visit(graph[id].inputs);
    visit(graph.users()[id]);
  }
  return group;
}

Refusal refuse_operator(const Graph& graph, NodeId id) {
  const TensorType& read = graph[id].inputs.empty() ? graph[id].type : graph[graph[id].inputs[0]].type;
  return {graph[id].origin, std::string(operation_of(graph[id])),
          describe(graph, id) + ": no layer computes it on " + type_text(read) +
              "; between DequantizeLinear and QuantizeLinear, or on float32, it works"};
}

/// Of operators that no pattern takes, each ONNX node once; parameters only where there is nothing else.
void refuse_group(const Graph& graph, const std::set<NodeId>& group, std::map<NodeId, Refusal>& refusals) {
  const auto is_parameter = [&](NodeId id) { return is_call(graph[id], "qnn.dequantize"); };
  const bool has_parameters_only = std::all_of(group.begin(), group.end(), is_parameter);
  std::set<std::string> named;
  for (const NodeId id : group) {
    const bool is_new = graph[id].origin.empty() || named.count(graph[id].origin) == 0;
    if (is_new && (has_parameters_only || !is_parameter(id))) {
      named.insert(graph[id].origin);
      refusals[id] = refuse_operator(graph, id);
    }
  }
}

}  // namespace

std::map<NodeId, Refusal> find_refusals(const Graph& graph) {
  std::map<NodeId, Refusal> refusals;
  std::set<NodeId> visited;
  std::set<std::string> said;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!is_operator(graph[id]) || visited.count(id) != 0) {
      continue;
    }
    const std::set<NodeId> group = find_group(graph, id);
    visited.insert(group.begin(), group.end());
    const auto is_unsupported = [&](NodeId member) { return is_call(graph[member], "unsupported"); };
    if (std::none_of(group.begin(), group.end(), is_unsupported)) {
      refuse_group(graph, group, refusals);
      continue;
    }
    for (const NodeId member : group) {
      const std::string why = text_attribute(graph[member], "why", "");
      if (!why.empty() && said.insert(why).second) {
        refusals[member] = {graph[member].origin, text_attribute(graph[member], "op", ""), why};
      }
    }
  }
  return refusals;
}

}  // namespace fovea
