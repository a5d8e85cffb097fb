// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows quantizations through the graph, layer by layer.
#include "network_notes.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/read_file.h"
#include "ir/graph.h"
#include "ir/results.h"
#include "ir/text.h"
#include "layers/collect_layers.h"
#include "tensor/error.h"

namespace fovea {
namespace {

bool is_call_of(const Node& node, std::string_view op) {
  return node.kind == NodeKind::kCall && operation_of(node) == op;
}

bool is_8_bit(const TensorType& type) { return size_bytes(type.element) == 1; }

bool is_conversion(const Node& node) { return is_call_of(node, "qnn.quantize") || is_call_of(node, "qnn.dequantize"); }

/// A set of ONNX nodes.
class NodeSet {
 public:
  void add(std::size_t node) {
    bits_.resize(std::max(bits_.size(), node / 64 + 1));
    bits_[node / 64] |= uint64_t{1} << (node % 64);
  }
  void add(const NodeSet& other) {
    bits_.resize(std::max(bits_.size(), other.bits_.size()));
    for (std::size_t i = 0; i < other.bits_.size(); ++i) {
      bits_[i] |= other.bits_[i];
    }
  }
  NodeSet common(const NodeSet& other) const {
    NodeSet result;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      result.bits_.push_back(word(i) & other.word(i));
    }
    return result;
  }
  /// Whether both have the same of what is in `mask`.
  bool equals(const NodeSet& other, const NodeSet& mask) const {
    for (std::size_t i = 0; i < mask.bits_.size(); ++i) {
      if (((word(i) ^ other.word(i)) & mask.word(i)) != 0) {
        return false;
      }
    }
    return true;
  }

 private:
  uint64_t word(std::size_t i) const { return i < bits_.size() ? bits_[i] : 0; }
  std::vector<uint64_t> bits_;
};

/// What a value of a graph stands for, and which ONNX nodes have computed it.
struct ValueNotes {
  std::optional<Quantization> quantization;
  NodeSet computed;
};

/// Numbers for ONNX nodes.
using NodeNumbers = std::map<std::string, std::size_t>;

std::optional<Quantization> quantization_of(const Graph& graph, const Node& call, const std::vector<ValueNotes>& all) {
  if (!is_8_bit(call.type)) {
    return std::nullopt;
  }
  if (!is_call_of(call, "qnn.quantize")) {
    return call.inputs.empty() ? std::nullopt : all[call.inputs[0]].quantization;
  }
  if (!has_constant_quantization(graph, call)) {
    return std::nullopt;
  }
  const Quantization quantization = read_quantization(graph, call);
  return quantization.is_per_tensor() ? std::optional(quantization) : std::nullopt;
}

/// Follows the values of a graph into its composites.
class NoteTaker {
 public:
  explicit NoteTaker(const NodeNumbers& numbers) : numbers_(numbers) {}

  /// Notes of each value. \param arguments  Those of the graph's inputs.
  std::vector<ValueNotes> visit(const Graph& graph, const std::vector<ValueNotes>& arguments) {
    std::vector<ValueNotes> all(graph.size());
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
      all[graph.inputs()[i]] = arguments.at(i);
    }
    std::map<NodeId, std::vector<ValueNotes>> results;  // Of functions.
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph[id];
      if (node.kind == NodeKind::kFunction) {
        results[id] = visit_function(node, all);
        all[id] = results[id].at(0);
        all[id].quantization = results[id].size() == 1 ? all[id].quantization : std::nullopt;
      } else if (const auto result = result_read(graph, id)) {
        all[id] = results[node.inputs[0]].at(*result);
      } else if (node.kind == NodeKind::kCall) {
        all[id] = visit_call(graph, node, all);
      }
    }
    return all;
  }

  /// Of the results of composites, in the order in which collect_layers() makes layers of them.
  const std::vector<ValueNotes>& layers() const { return layers_; }
  /// All nodes that were met.
  const NodeSet& met() const { return met_; }

 private:
  ValueNotes visit_call(const Graph& graph, const Node& call, const std::vector<ValueNotes>& all) {
    ValueNotes notes{quantization_of(graph, call, all), {}};
    for (const NodeId input : call.inputs) {
      notes.computed.add(all[input].computed);
    }
    // A dequantized value is the same value; equal ones are shared by ONNX nodes.
    const auto number = numbers_.find(call.origin);
    if (number != numbers_.end() && !is_call_of(call, "qnn.dequantize")) {
      notes.computed.add(number->second);
      met_.add(number->second);
    }
    return notes;
  }

  /// Notes of its results.
  std::vector<ValueNotes> visit_function(const Node& node, const std::vector<ValueNotes>& all) {
    std::vector<ValueNotes> arguments;
    for (const NodeId input : node.inputs) {
      arguments.push_back(all[input]);
    }
    const Graph& body = node.function->body;
    const std::vector<ValueNotes> inside = visit(body, arguments);
    std::vector<ValueNotes> results;
    for (const NodeId output : body.outputs()) {
      results.push_back(inside.at(output));
    }
    if (!node.function->is_region) {
      layers_.push_back(results.at(0));
    }
    return results;
  }

  const NodeNumbers& numbers_;
  NodeSet met_;
  std::vector<ValueNotes> layers_;
};

/// The network as it was imported.
class ImportedNetwork {
 public:
  explicit ImportedNetwork(Graph graph) : graph_(std::move(graph)) {
    std::map<std::string, bool> is_only_conversion;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_[id];
      if (node.kind == NodeKind::kCall && !node.origin.empty()) {
        last_[node.origin] = id;
        numbers_.emplace(node.origin, numbers_.size());
        is_only_conversion.try_emplace(node.origin, true).first->second &= is_conversion(node);
      }
    }
    for (const auto& [origin, is_it] : is_only_conversion) {
      if (!is_it) {
        operators_.add(numbers_.at(origin));
      }
    }
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      inputs_.emplace_back().computed.add(numbers_.size() + i);
      operators_.add(numbers_.size() + i);
      all_inputs_.add(numbers_.size() + i);
    }
    values_ = NoteTaker(numbers_).visit(graph_, inputs_);
  }

  const NodeNumbers& numbers() const { return numbers_; }
  /// Notes of the network's inputs, each of which counts as a node.
  const std::vector<ValueNotes>& inputs() const { return inputs_; }

  /// The nodes whose value is that of a layer: for which the same nodes were computed, of those that passes have left.
  /// First those where all are the same, then those where all but conversions from and to integers are; of the layer's
  /// element type first, the last of them first.
  std::vector<std::string> find_nodes(const ValueNotes& layer, ElementType element, NodeSet left) const {
    left.add(all_inputs_);
    const NodeSet operators = left.common(operators_);
    std::vector<std::pair<std::size_t, std::string>> found;  // By a number that is small for what is sure.
    for (const auto& [origin, id] : last_) {
      const NodeSet& computed = values_[id].computed;
      const bool is_same = computed.equals(layer.computed, left);
      if (is_same || computed.equals(layer.computed, operators)) {
        const std::size_t unsure = (is_same ? 0 : 2) + (graph_[id].type.element == element ? 0 : 1);
        found.emplace_back(unsure * graph_.size() + (graph_.size() - id), origin);
      }
    }
    std::ranges::sort(found);
    std::vector<std::string> nodes;
    for (const auto& [unsure, origin] : found) {
      nodes.push_back(origin);
    }
    return nodes;
  }

 private:
  Graph graph_;
  NodeNumbers numbers_;
  std::map<std::string, NodeId> last_;  ///< The value that an ONNX node gives.
  NodeSet operators_;                   ///< Nodes that are more than conversions from and to integers.
  NodeSet all_inputs_;
  std::vector<ValueNotes> inputs_, values_;
};

Graph read_graph(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path path = folder / name;
  return parse_graph(read_file(path, "a compiled network"), path.string(), folder);
}

/// Gives the layers the names that they have in the emitted code, which the text of a graph does not keep.
void read_names(Network& network, const std::filesystem::path& path) {
  const std::string text = read_file(path, "a compiled network");
  const nlohmann::json summary = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  const nlohmann::json layers =
      summary.is_object() ? summary.value("layers", nlohmann::json::array()) : nlohmann::json();
  const auto is_named = [](const nlohmann::json& layer) {
    return layer.is_object() && layer.contains("name") && layer["name"].is_string();
  };
  if (layers.size() != network.layers.size() || !std::ranges::all_of(layers, is_named)) {
    user_error(path.string() + ": not of the network beside it; compile it again");
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Layer& layer = network.layers[i];
    layer.name = layers[i]["name"];
    network.tensors[layer.output].name = layer.name;
  }
}

}  // namespace

NetworkNotes read_network_notes(const std::filesystem::path& folder, const std::string& name) {
  const ImportedNetwork imported(read_graph(folder, "ir_before.txt"));
  const Graph graph = read_graph(folder, "ir_after.txt");
  NetworkNotes notes;
  notes.network = collect_layers(graph, name);
  read_names(notes.network, folder / (name + ".json"));
  NoteTaker taker(imported.numbers());
  internal_check(graph.inputs().size() == imported.inputs().size(), "passes keep the network's inputs");
  taker.visit(graph, imported.inputs());
  for (const Layer& layer : notes.network.layers) {
    LayerNotes& added = notes.layers.emplace_back();
    added.names = {layer.onnx_name, layer.name};
    std::erase(added.names, "");
    const std::size_t place = notes.layers.size() - 1;
    if (place < taker.layers().size()) {  // One that is there twice, for two outputs, is behind all.
      added.nodes = imported.find_nodes(taker.layers()[place], layer.output_type.element, taker.met());
      added.quantization = taker.layers()[place].quantization;
    }
  }
  return notes;
}

}  // namespace fovea
