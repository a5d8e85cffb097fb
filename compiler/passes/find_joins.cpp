// SPDX-License-Identifier: Apache-2.0
/// \file
/// Promises each tensor's bytes to the first join that can have them.
#include "find_joins.h"

#include <algorithm>
#include <map>
#include <set>

#include "layers/fuse.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Follows a graph's composites in order.
class JoinFinder {
 public:
  JoinFinder(const Graph& graph, std::uint64_t alignment) : graph_(graph), word_bytes_(alignment) {}

  std::vector<std::shared_ptr<const Layer>> run() {
    std::vector<std::shared_ptr<const Layer>> layers;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const bool adds = is_composite(graph_[id]) && adds_residual(*layer_of(*graph_[id].function));
      alignment_ = adds ? word_bytes_ : alignment_;
    }
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (is_composite(graph_[id])) {
        std::shared_ptr<const Layer> layer = layer_of(*graph_[id].function);
        if (std::holds_alternative<Qconcat>(layer->body)) {
          layer = place_inputs(graph_[id], *layer);
        } else if (std::holds_alternative<Qbinary>(layer->body)) {
          layer = find_slices(graph_[id], *layer);
        }
        by_node_[id] = layer;
        layers.push_back(std::move(layer));
      }
    }
    return layers;
  }

 private:
  std::shared_ptr<const Layer> place_inputs(const Node& node, Layer layer) {
    auto& concat = std::get<Qconcat>(layer.body);
    const Shape& shape = layer.output_type.shape;
    const bool is_one_run = std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(concat.axis),
                                        [](int64_t size) { return size == 1; });
    concat.in_place.assign(layer.inputs.size(), false);
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const bool is_aligned = offset % alignment_ == 0;
      offset += static_cast<std::uint64_t>(size_bytes(layer.input_types[i]));
      const auto writer = find_writer(node.inputs[layer.inputs[i]]);
      concat.in_place[i] =
          is_one_run && is_aligned && concat.xs[i] == concat.y && writer && promised_.insert(*writer).second;
    }
    return std::make_shared<const Layer>(std::move(layer));
  }

  /// The composite that writes all of a value's bytes and no others; nothing where there is none.
  std::optional<NodeId> find_writer(NodeId id) const {
    if (!is_composite(graph_[id])) {
      return std::nullopt;
    }
    const Node& node = graph_[id];
    if (!std::holds_alternative<View>(by_node_.at(id)->body)) {
      return id;
    }
    const NodeId viewed = node.inputs[by_node_.at(id)->inputs[0]];
    return size_bytes(graph_[viewed].type) == size_bytes(node.type) ? find_writer(viewed) : std::nullopt;
  }

  std::shared_ptr<const Layer> find_slices(const Node& node, Layer layer) {
    auto& q = std::get<Qbinary>(layer.body);
    const auto is_slice = [&](const Operand& operand, std::size_t input) {
      return operand.constant == nullptr && offset_of(node.inputs[layer.inputs[input]]) % word_bytes_ != 0;
    };
    q.a.is_slice = is_slice(q.a, 0);
    q.b.is_slice = is_slice(q.b, layer.inputs.size() - 1);
    return std::make_shared<const Layer>(std::move(layer));
  }

  /// Where a value begins in what it is a view of.
  std::uint64_t offset_of(NodeId id) const {
    const auto* view = is_composite(graph_[id]) ? std::get_if<View>(&by_node_.at(id)->body) : nullptr;
    return view == nullptr
               ? 0
               : static_cast<std::uint64_t>(view->offset) + offset_of(graph_[id].inputs[by_node_.at(id)->inputs[0]]);
  }

  static bool adds_residual(const Layer& layer) {
    const auto* conv = std::get_if<Qconv2d>(&layer.body);
    const auto* binary = std::get_if<Qbinary>(&layer.body);
    return (conv != nullptr && conv->residual) || (binary != nullptr && binary->op == kDlaAdd);
  }

  const Graph& graph_;
  const std::uint64_t word_bytes_;
  /// Of places in a join: where a residual is added, it and its sum lie alike in their words.
  std::uint64_t alignment_ = 1;
  std::map<NodeId, std::shared_ptr<const Layer>> by_node_;
  std::set<NodeId> promised_;
};

}  // namespace

std::vector<std::shared_ptr<const Layer>> layers_with_joins(const Graph& graph, std::uint64_t alignment) {
  return JoinFinder(graph, alignment).run();
}

}  // namespace fovea
