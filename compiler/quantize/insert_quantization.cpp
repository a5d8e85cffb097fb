// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the graph anew, with two forms of each value: as float, and dequantized.
#include "insert_quantization.h"

#include <algorithm>
#include <limits>

#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

class Inserter {
 public:
  explicit Inserter(const QuantizedNetwork& network)
      : network_(network), graph_(network.graph()), values_(graph_.size()) {}

  Graph run() {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      insert(id);
    }
    std::vector<NodeId> outputs;
    for (const NodeId output : graph_.outputs()) {
      outputs.push_back(as_float(output));
    }
    return builder_.finish(std::move(outputs), graph_.output_names());
  }

 private:
  struct Value {
    std::optional<NodeId> plain, dequantized;
  };

  bool is_on_integers(NodeId id) const { return network_.plan().nodes[id].is_on_integers; }

  /// What a float operator reads.
  NodeId as_float(NodeId id) {
    Value& value = values_[id];
    if (!value.plain && graph_[id].kind == NodeKind::kConstant) {
      value.plain = builder_.constant(graph_[id].constant, graph_[id].origin);
    }
    return is_on_integers(id) && value.dequantized ? *value.dequantized : value.plain.value();
  }

  /// What an operator on integers reads.
  NodeId as_integers(NodeId id) {
    Value& value = values_[id];
    const Quantization* quantization = network_.quantization_of(id);
    if (quantization == nullptr) {
      return as_float(id);
    }
    if (!value.dequantized && graph_[id].kind == NodeKind::kConstant) {
      value.dequantized = dequantize(quantized_constant(id, *quantization), *quantization, graph_[id].origin);
    }
    return value.dequantized.value();
  }

  NodeId scalar(const Quantization& quantization, bool is_scale) {
    Tensor tensor({{}, is_scale ? ElementType::kFloat32 : quantization.element});
    is_scale ? tensor.set(0, quantization.scale()) : tensor.set_integer(0, quantization.zero_point());
    return builder_.constant(std::move(tensor));
  }

  NodeId dequantize(NodeId integers, const Quantization& quantization, const std::string& origin) {
    return builder_.call("qnn.dequantize", {integers, scalar(quantization, true), scalar(quantization, false)},
                         {{"axis", int64_t{0}}}, origin);
  }

  NodeId quantize_and_back(NodeId id, NodeId value, const Quantization& quantization) {
    const std::string& origin = graph_[id].origin;
    const NodeId scale = scalar(quantization, true), zero_point = scalar(quantization, false);
    const Attributes axis{{"axis", int64_t{0}}};
    const NodeId integers = builder_.call("qnn.quantize", {value, scale, zero_point}, axis, origin);
    return builder_.call("qnn.dequantize", {integers, scale, zero_point}, axis, origin);
  }

  NodeId quantized_constant(NodeId id, const Quantization& quantization) {
    const Tensor steps = to_steps(*graph_[id].constant, quantization);
    Tensor integers({steps.type().shape, quantization.element});
    for (std::size_t i = 0; i < steps.values<float>().size(); ++i) {
      integers.set_integer(i, static_cast<int64_t>(steps.values<float>()[i]) + quantization.zero_point());
    }
    return builder_.constant(std::move(integers), graph_[id].origin);
  }

  /// Integers of weights or a bias behind their dequantize, at one scale or one a filter.
  NodeId parameter(Tensor integers, const std::vector<float>& scales, const std::string& origin) {
    const bool is_one = scales.size() == 1;
    const Shape shape = is_one ? Shape{} : Shape{static_cast<int64_t>(scales.size())};
    const ElementType element = integers.type().element;
    const NodeId values = builder_.constant(std::move(integers), origin);
    const NodeId scale = builder_.constant(Tensor::of<float>(shape, scales));
    const NodeId zero_point = builder_.constant(Tensor({shape, element}));
    return builder_.call("qnn.dequantize", {values, scale, zero_point}, {{"axis", int64_t{0}}}, origin);
  }

  void insert_product(NodeId end, const QuantizedProduct& product) {
    const Node& multiply = graph_[product.product];
    const Node& weight = graph_[multiply.inputs[1]];
    const NodeId w = parameter(Tensor::of<int8_t>(weight.type.shape, product.weights), product.scales, weight.origin);
    NodeId sum = builder_.copy(multiply, {as_integers(multiply.inputs[0]), w});
    if (product.has_bias || std::ranges::any_of(product.bias_steps, [](int32_t bias) { return bias != 0; })) {
      std::vector<float> scales;
      for (std::size_t filter = 0; filter < product.scales.size(); ++filter) {
        scales.push_back(network_.bias_scale(product, filter));
      }
      const Shape shape{static_cast<int64_t>(product.bias_steps.size())};
      const std::string origin = product.has_bias ? graph_[graph_[end].inputs[1]].origin : "";
      const NodeId b = parameter(Tensor::of<int32_t>(shape, product.bias_steps), scales, origin);
      sum = builder_.call("nn.bias_add", {sum, b}, {{"axis", int64_t{1}}}, graph_[end].origin);
    }
    finish(end, sum);
  }

  /// Whether quantizing does what a ReLU or clip does.
  bool is_needless(NodeId id) const {
    const Node& node = graph_[id];
    const Quantization* to = network_.quantization_of(id);
    if (to == nullptr || !is_on_integers(id) || (!is_call(node, "nn.relu") && !is_call(node, "clip"))) {
      return false;
    }
    const auto ends = range_of(to->element);
    const double scale = to->scale();
    const double least = static_cast<double>(ends.first - to->zero_point()) * scale;
    const double most = static_cast<double>(ends.second - to->zero_point()) * scale;
    constexpr double kMost = std::numeric_limits<double>::infinity();
    return float_attribute(node, "min", 0) <= least && float_attribute(node, "max", kMost) >= most;
  }

  void insert_call(NodeId id) {
    const Node& node = graph_[id];
    const auto places = is_on_integers(id) ? activation_inputs(node) : std::vector<std::size_t>();
    std::vector<NodeId> inputs;
    for (std::size_t place = 0; place < node.inputs.size(); ++place) {
      const bool is_activation = std::find(places.begin(), places.end(), place) != places.end();
      inputs.push_back(is_activation ? as_integers(node.inputs[place]) : as_float(node.inputs[place]));
    }
    finish(id, is_needless(id) ? inputs[0] : builder_.copy(node, inputs));
  }

  void finish(NodeId id, NodeId value) {
    values_[id].plain = value;
    if (const Quantization* quantization = network_.quantization_of(id)) {
      values_[id].dequantized = quantize_and_back(id, value, *quantization);
    }
  }

  void insert(NodeId id) {
    const Node& node = graph_[id];
    const auto product = network_.products().find(id);
    if (product != network_.products().end()) {
      insert_product(id, product->second);
    } else if (node.kind == NodeKind::kInput) {
      finish(id, builder_.input(node.origin, node.type));
    } else if (node.kind == NodeKind::kCall && !is_under_bias(id)) {
      insert_call(id);
    }
  }

  /// Whether a node is a product that is written with its bias.
  bool is_under_bias(NodeId id) const { return is_product(graph_[id]) && is_on_integers(id); }

  const QuantizedNetwork& network_;
  const Graph& graph_;
  GraphBuilder builder_;
  std::vector<Value> values_;
};

}  // namespace

Graph insert_quantization(const QuantizedNetwork& network) { return Inserter(network).run(); }

}  // namespace fovea
