// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects the layers of a partitioned graph, region by region.
#include "collect_layers.h"

#include <algorithm>
#include <map>

#include "codegen/c_text.h"
#include "fuse.h"
#include "ir/results.h"
#include "layer_kind.h"
#include "layer_name.h"
#include "spec/shown_text.h"
#include "stack_pictures.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Follows the values of a graph, and of its regions, from layer to layer.
class Collector {
 public:
  Collector(const Graph& graph, std::string name, std::vector<PlacedRefusal>& refusals)
      : graph_(graph), refusals_(refusals) {
    network_.name = std::move(name);
  }

  Network run() {
    for (const NodeId input : graph_.inputs()) {
      check_end(input);
    }
    for (const NodeId output : graph_.outputs()) {
      check_end(output);
    }
    std::vector<TensorId> places(graph_.size());
    for (const NodeId input : graph_.inputs()) {
      check_shape(describe(graph_, input), "input", graph_[input].type);
      places[input] = add_tensor(graph_[input].origin, graph_[input].type);
      network_.inputs.push_back({graph_[input].origin, places[input]});
    }
    collect(graph_, "", places);
    collect_outputs(places);
    stack_pictures(network_);
    return std::move(network_);
  }

 private:
  void refuse(Refusal refusal, const TensorType& type) {
    refusal.message = shown_text(refusal.message);
    refusals_.push_back({std::move(refusal), network_.layers.size(), type});
  }

  void check_end(NodeId end) {
    if (graph_[end].type.element != ElementType::kFloat32) {
      refuse({describe(graph_, end), std::string(operation_of(graph_[end])),
              describe(graph_, end) + ": a network's inputs and outputs are float32, not " +
                  std::string(to_text(graph_[end].type.element)) + "; a cast there, or what quantizes, works"},
             graph_[end].type);
    }
  }

  void check_shape(const std::string& place, std::string operation, const TensorType& type) {
    if (!is_tensor_shape(type.shape)) {
      refuse({place, std::move(operation),
              place + ": has the shape " + to_text(type.shape) + "; up to " + std::to_string(kMostDimensions) +
                  " dimensions, and behind a batch of 1 too, work"},
             type);
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
      const auto [other, is_new] = seen.emplace(viewed_by(tensor), name);
      const NodeId output = graph_.outputs()[i];
      if (!is_new && (graph_[output].kind != NodeKind::kCall || result_read(graph_, output))) {
        tensor = write_again(tensor, other->second, name);
      }
      network_.outputs.push_back({name, tensor});
    }
  }

  std::vector<Layer>::const_iterator find_writer(TensorId tensor) const {
    return std::find_if(network_.layers.begin(), network_.layers.end(),
                        [&](const Layer& layer) { return layer.output == tensor; });
  }

  /// The tensor whose bytes a tensor is.
  TensorId viewed_by(TensorId tensor) const {
    const auto writer = find_writer(tensor);
    return writer != network_.layers.end() && writer->is_view() ? viewed_by(writer->inputs.at(0)) : tensor;
  }

  /// A tensor of its own for the second output of the same bytes: the layer that writes the first is there twice.
  TensorId write_again(TensorId tensor, const std::string& first, const std::string& second) {
    const auto writer = find_writer(viewed_by(tensor));
    if (writer == network_.layers.end()) {
      refuse({first, "output",
              network_.name + ": the outputs " + first + " and " + second +
                  " are one input of the network; a network that gives it once works"},
             network_.tensors[tensor].type);
      return tensor;
    }
    Layer again = *writer;
    again.name = names_.take(again.kind->has_own_name ? again.onnx_name : "", again.composite);
    again.output = add_tensor(again.name, network_.tensors[tensor].type);
    network_.layers.push_back(std::move(again));
    return network_.layers.back().output;
  }

  void collect(const Graph& graph, const std::string& region, std::vector<TensorId>& places) {
    const std::map<NodeId, Refusal> refusals = find_refusals(graph);
    std::map<NodeId, std::vector<TensorId>> results;  // Of regions.
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph[id];
      if (node.kind == NodeKind::kInput) {
        continue;
      }
      if (const auto result = result_read(graph, id); result && results.contains(node.inputs[0])) {
        places[id] = results.at(node.inputs[0])[*result];
        continue;
      }
      if (node.kind != NodeKind::kFunction) {
        if (const auto refusal = refusals.find(id); refusal != refusals.end()) {
          refuse(refusal->second, node.type);
        }
        places[id] = add_tensor(node.origin, node.type);
        continue;
      }
      std::vector<TensorId> arguments;
      for (const NodeId input : node.inputs) {
        arguments.push_back(places[input]);
      }
      if (node.function->is_region) {
        places[id] = results.emplace(id, collect_region(*node.function, arguments)).first->second.at(0);
      } else {
        places[id] = collect_layer(node, region, arguments);
      }
    }
  }

  /// Its results.
  std::vector<TensorId> collect_region(const Function& region, const std::vector<TensorId>& arguments) {
    const Graph& body = region.body;
    std::vector<TensorId> inner(body.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      inner[body.inputs()[i]] = arguments[i];
    }
    collect(body, region.name, inner);
    std::vector<TensorId> results;
    for (const NodeId output : body.outputs()) {
      results.push_back(inner[output]);
    }
    return results;
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
    const bool reads_what_is_taken = std::all_of(layer.input_types.begin(), layer.input_types.end(),
                                                 [](const TensorType& type) { return is_tensor_shape(type.shape); });
    if (reads_what_is_taken) {
      check_shape(layer.onnx_name.empty() ? composite.name : layer.onnx_name, layer.composite, call.type);
    }
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
  std::vector<PlacedRefusal>& refusals_;
  Network network_;
  LayerNames names_;
};

}  // namespace

Network collect_layers(const Graph& graph, std::string name, std::vector<PlacedRefusal>& refusals) {
  return Collector(graph, std::move(name), refusals).run();
}

Network collect_layers(const Graph& graph, std::string name) {
  std::vector<PlacedRefusal> refusals;
  Network network = collect_layers(graph, std::move(name), refusals);
  refuse_all(refusals);
  return network;
}

void refuse_all(const std::vector<PlacedRefusal>& refusals) {
  std::vector<std::string> messages;
  for (const PlacedRefusal& refusal : refusals) {
    messages.push_back(refusal.message);
  }
  refuse_all(messages);
}

}  // namespace fovea
