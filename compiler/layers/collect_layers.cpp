// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects the layers of a partitioned graph, region by region.
#include "collect_layers.h"

#include <algorithm>
#include <map>

#include "fuse.h"
#include "ir/error.h"
#include "layer_kind.h"
#include "layer_name.h"

namespace fovea {
namespace {

/// Follows the values of a graph, and of its regions, from layer to layer.
class Collector {
 public:
  Collector(const Graph& graph, std::string name) : graph_(graph) { network_.name = std::move(name); }

  Network run() {
    for (const NodeId input : graph_.inputs()) {
      check_end(input);
    }
    for (const NodeId output : graph_.outputs()) {
      check_end(output);
    }
    std::vector<TensorId> places(graph_.size());
    for (const NodeId input : graph_.inputs()) {
      check_shape(describe(graph_, input), graph_[input].type);
      places[input] = add_tensor(graph_[input].origin, graph_[input].type);
      network_.inputs.push_back({graph_[input].origin, places[input]});
    }
    collect(graph_, "", places);
    collect_outputs(places);
    return std::move(network_);
  }

 private:
  void check_end(NodeId end) const {
    if (graph_[end].type.element != ElementType::kFloat32) {
      user_error(describe(graph_, end) + ": the network's input and output must be float32, not " +
                 std::string(to_text(graph_[end].type.element)) +
                 "; keep the first QuantizeLinear and the last DequantizeLinear in the model");
    }
  }

  /// The runtime's tensors have a batch of 1 and up to four dimensions behind it.
  static void check_shape(const std::string& place, const TensorType& type) {
    if (type.shape.size() < 2 || type.shape.size() > 5 || type.shape[0] != 1) {
      user_error(place + ": its result has the shape " + to_text(type.shape) +
                 "; a batch of 1 and one to four dimensions behind it work");
    }
  }

  TensorId add_tensor(std::string name, TensorType type) {
    network_.tensors.push_back({std::move(name), std::move(type)});
    return network_.tensors.size() - 1;
  }

  /// What an output is called: by the network, else as the layer that writes it.
  void collect_outputs(const std::vector<TensorId>& places) {
    std::map<TensorId, std::string> seen;
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      TensorId tensor = places[graph_.outputs()[i]];
      const std::string& given = graph_.output_names()[i];
      const std::string name = given.empty() ? network_.tensors[tensor].name : given;
      const auto [other, is_new] = seen.emplace(tensor, name);
      if (!is_new) {
        tensor = write_again(tensor, other->second, name);
      }
      network_.outputs.push_back({name, tensor});
    }
  }

  /// A tensor of its own for the second output of one value: the layer that writes the first is there twice.
  TensorId write_again(TensorId tensor, const std::string& first, const std::string& second) {
    const auto writer = std::find_if(network_.layers.begin(), network_.layers.end(),
                                     [&](const Layer& layer) { return layer.output == tensor; });
    if (writer == network_.layers.end()) {
      user_error(network_.name + ": the outputs " + first + " and " + second +
                 " are one input of the network; a network that gives it once works");
    }
    Layer again = *writer;
    again.name = names_.take(again.kind->has_own_name ? again.onnx_name : "", again.composite);
    again.output = add_tensor(again.name, network_.tensors[tensor].type);
    network_.layers.push_back(std::move(again));
    return network_.layers.back().output;
  }

  void collect(const Graph& graph, const std::string& region, std::vector<TensorId>& places) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph[id];
      if (node.kind == NodeKind::kInput) {
        continue;
      }
      if (node.kind != NodeKind::kFunction) {
        refuse_operator(graph, id);
      }
      std::vector<TensorId> arguments;
      for (const NodeId input : node.inputs) {
        arguments.push_back(places[input]);
      }
      places[id] =
          node.function->is_region ? collect_region(*node.function, arguments) : collect_layer(node, region, arguments);
    }
  }

  [[noreturn]] static void refuse_operator(const Graph& graph, NodeId id) {
    user_error(describe(graph, id) + ": " + std::string(operation_of(graph[id])) +
               " is in no pattern that the accelerator or the CPU computes; "
               "quantized convolutions, fully connected layers, pools, sums, joins and rescalings between "
               "DequantizeLinear and QuantizeLinear work");
  }

  TensorId collect_region(const Function& region, const std::vector<TensorId>& arguments) {
    const Graph& body = region.body;
    std::vector<TensorId> inner(body.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      inner[body.inputs()[i]] = arguments[i];
    }
    collect(body, region.name, inner);
    return inner[body.outputs()[0]];
  }

  TensorId collect_layer(const Node& call, const std::string& region, const std::vector<TensorId>& arguments) {
    const Function& composite = *call.function;
    Layer layer = *layer_of(composite);
    if (layer.onnx_name.empty()) {
      layer.onnx_name = call.origin;
    }
    for (TensorId& input : layer.inputs) {
      input = arguments[input];
    }
    check_shape(layer.onnx_name.empty() ? composite.name : layer.onnx_name, call.type);
    layer.name = name_layer(composite, layer);
    layer.target = composite.target.empty() ? "cpu" : composite.target;
    layer.reason = composite.reason;
    layer.region = region;
    layer.output = add_tensor(layer.name, call.type);
    network_.layers.push_back(std::move(layer));
    return network_.layers.back().output;
  }

  /// The name that the composite has, else one after its ONNX node; layers at the network's ends after their call.
  std::string name_layer(const Function& composite, const Layer& layer) {
    if (!composite.layer.empty()) {
      return names_.take(composite.layer, layer.composite);
    }
    return names_.take(layer.kind->has_own_name ? layer.onnx_name : "", layer.composite);
  }

  const Graph& graph_;
  Network network_;
  LayerNames names_;
};

}  // namespace

Network collect_layers(const Graph& graph, std::string name) { return Collector(graph, std::move(name)).run(); }

}  // namespace fovea
