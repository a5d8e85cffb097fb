// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects the layers of a partitioned graph, region by region.
#include "composite.h"

#include "error.h"
#include "layer_name.h"
#include "read_layer.h"

namespace fovea {
namespace {

/// Follows the values of a graph, and of its regions, from layer to layer.
class Collector {
 public:
  Collector(const Graph& graph, std::string name) : graph_(graph) { network_.name = std::move(name); }

  Network run() {
    check_ends();
    const NodeId input = graph_.inputs()[0];
    network_.input = add_tensor(graph_[input].origin, graph_[input].type, {});
    std::vector<TensorId> places(graph_.size());
    places[input] = network_.input;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (graph_[id].kind != NodeKind::kInput) {
        places[id] = collect_region(graph_[id], id, places);
      }
    }
    network_.output = places[graph_.outputs()[0]];
    return std::move(network_);
  }

 private:
  void check_ends() const {
    if (graph_.inputs().size() != 1 || graph_.outputs().size() != 1) {
      user_error(network_.name + ": has " + std::to_string(graph_.inputs().size()) + " inputs and " +
                 std::to_string(graph_.outputs().size()) + " outputs; a network with one of each works");
    }
    for (NodeId end : {graph_.inputs()[0], graph_.outputs()[0]}) {
      if (graph_[end].type.element != ElementType::kFloat32) {
        user_error(describe(graph_, end) + ": the network's input and output must be float32, not " +
                   std::string(to_text(graph_[end].type.element)) +
                   "; keep the first QuantizeLinear and the last DequantizeLinear in the model");
      }
    }
  }

  TensorId add_tensor(std::string name, TensorType type, const Quantization& quant) {
    network_.tensors.push_back({std::move(name), std::move(type)});
    quants_.push_back(quant);
    return network_.tensors.size() - 1;
  }

  TensorId collect_region(const Node& node, NodeId id, const std::vector<TensorId>& places) {
    if (node.kind != NodeKind::kFunction) {
      user_error(describe(graph_, id) + ": " + std::string(operation_of(node)) +
                 " is in no pattern that the accelerator or the CPU computes; "
                 "quantized convolutions, fully connected layers, pools and rescalings between DequantizeLinear and "
                 "QuantizeLinear work");
    }
    if (!node.function->is_region) {
      return collect_layer(node, "", places[node.inputs.at(0)]);
    }
    const Graph& body = node.function->body;
    std::vector<TensorId> inner(body.size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inner[body.inputs()[i]] = places[node.inputs[i]];
    }
    for (NodeId place = 0; place < body.size(); ++place) {
      const Node& call = body[place];
      if (call.kind == NodeKind::kInput) {
        continue;
      }
      internal_check(call.kind == NodeKind::kFunction, node.function->name + " holds composites only");
      inner[place] = collect_layer(call, node.function->name, inner[call.inputs.at(0)]);
    }
    return inner[body.outputs()[0]];
  }

  TensorId collect_layer(const Node& call, const std::string& region, TensorId input) {
    Layer layer = read_layer(*call.function);
    if (layer.onnx_name.empty()) {
      layer.onnx_name = call.origin;
    }
    layer.name = name_layer(*call.function, layer);
    layer.region = region;
    layer.input = input;
    const bool has_scale = call.type.element == ElementType::kUint8;
    if (layer.kind == LayerKind::kFlatten || layer.kind == LayerKind::kMaxPool) {
      layer.input_quant = layer.output_quant = quants_[input];
    }
    layer.output = add_tensor(layer.name, call.type, has_scale ? layer.output_quant : Quantization{});
    network_.layers.push_back(std::move(layer));
    return network_.layers.back().output;
  }

  /// The name that the composite has, else one after its ONNX node; layers at the network's ends after their call.
  std::string name_layer(const Function& function, const Layer& layer) {
    if (!function.layer.empty()) {
      return names_.take(function.layer, layer.composite);
    }
    const bool has_own_name = layer.kind == LayerKind::kQconv2d || layer.kind == LayerKind::kQlinear ||
                              layer.kind == LayerKind::kMaxPool || layer.kind == LayerKind::kRequantize;
    return names_.take(has_own_name ? layer.onnx_name : "", layer.composite);
  }

  const Graph& graph_;
  Network network_;
  std::vector<Quantization> quants_;  ///< Of each tensor; float32 tensors have none.
  LayerNames names_;
};

}  // namespace

dla_shape device_shape(const Network& network, const Layer& layer) {
  const Shape& ifmap = network.tensors.at(layer.input).type.shape;
  const Shape& filter = layer.weight->type().shape;
  const auto field = [](int64_t value) { return static_cast<uint32_t>(value); };
  dla_shape shape{};
  shape.C = field(filter[1]);
  shape.H = field(ifmap[2]);
  shape.W = field(ifmap[3]);
  shape.M = field(filter[0] / layer.groups);
  shape.R = field(filter[2]);
  shape.S = field(filter[3]);
  shape.U = field(layer.window.strides[0]);
  shape.PAD = field(layer.window.pads[0]);
  shape.pool = layer.pool;
  return shape;
}

Network collect_layers(const Graph& graph, std::string name) { return Collector(graph, std::move(name)).run(); }

}  // namespace fovea
