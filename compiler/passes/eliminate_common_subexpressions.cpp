// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks each value up among those before it.
#include "eliminate_common_subexpressions.h"

#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "rewrite.h"

namespace fovea {
namespace {

/// Values so far, by what makes them.
class KnownValues {
 public:
  /// The value equal to this node, if there is one.
  std::optional<NodeId> find(const GraphBuilder& builder, const Node& node, const std::vector<NodeId>& inputs) const {
    if (node.kind == NodeKind::kCall) {
      const auto found = calls_.find({node.op, inputs, node.attributes});
      return found == calls_.end() ? std::nullopt : std::optional<NodeId>(found->second);
    }
    const auto [first, last] = constants_.equal_range(digest(*node.constant));
    for (auto entry = first; entry != last; ++entry) {
      if (*builder[entry->second].constant == *node.constant) {
        return entry->second;
      }
    }
    return std::nullopt;
  }

  void add(const Node& node, const std::vector<NodeId>& inputs, NodeId id) {
    if (node.kind == NodeKind::kCall) {
      calls_.emplace(std::make_tuple(node.op, inputs, node.attributes), id);
    } else {
      constants_.emplace(digest(*node.constant), id);
    }
  }

 private:
  static std::size_t digest(const Tensor& tensor) {
    const auto bytes = tensor.bytes();
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  std::map<std::tuple<const Operator*, std::vector<NodeId>, Attributes>, NodeId> calls_;
  std::multimap<std::size_t, NodeId> constants_;
};

}  // namespace

Graph eliminate_common_subexpressions(const Graph& graph) {
  KnownValues known;
  return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
    const Node& node = graph[id];
    if (node.kind == NodeKind::kFunction) {
      return std::optional<NodeId>();
    }
    std::optional<NodeId> value = known.find(builder, node, inputs);
    if (!value) {
      value = builder.copy(node, inputs);
      known.add(node, inputs, *value);
    }
    return value;
  });
}

}  // namespace fovea
