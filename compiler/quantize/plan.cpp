// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks at each node with what it reads and what reads it; then joins scales.
#include "plan.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string_view>

#include "ops/operator.h"
#include "ops/unary.h"
#include "tensor/error.h"

namespace fovea {
namespace {

template <std::size_t n>
bool is_one_of(const Node& node, const std::array<std::string_view, n>& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return is_call(node, name); });
}

/// Functions of one number that activations go through in networks; a table each.
constexpr std::array<std::string_view, 15> kFunctions{
    "nn.relu", "clip",       "abs",  "elu",  "gelu",    "gelu_tanh", "hard_sigmoid", "hard_swish",
    "mish",    "leaky_relu", "selu", "tanh", "sigmoid", "softplus",  "softsign"};

/// Of two activations, or one and a constant.
constexpr std::array<std::string_view, 6> kBinary{"add", "subtract", "multiply", "divide", "minimum", "maximum"};

/// Of values that keep their scale.
bool keeps_scale(const Node& node) {
  return is_call(node, "nn.max_pool2d") || is_call(node, "concatenate") || moves_elements(node);
}

/// Whether the operator can be computed on integers, whatever it reads.
bool is_on_integers(const Node& node, const QuantizeOptions& options) {
  constexpr std::array<std::string_view, 4> kOthers{"nn.avg_pool2d", "nn.global_avg_pool2d", "nn.prelu", "matmul"};
  return node.kind == NodeKind::kCall && node.type.element == ElementType::kFloat32 &&
         (is_one_of(node, kFunctions) || is_one_of(node, kBinary) || is_one_of(node, kOthers) || keeps_scale(node) ||
          (options.quantizes_softmax && is_call(node, "nn.softmax")));
}

class Planner {
 public:
  Planner(const Graph& graph, const QuantizeOptions& options) : graph_(graph), options_(options) {
    plan_.nodes.resize(graph.size());
    check_kept();
  }

  QuantizationPlan run() {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      plan_.nodes[id].is_on_integers = is_computed_on_integers(id);
    }
    find_functions();
    for (NodeId id = 0; id < graph_.size(); ++id) {
      plan_.nodes[id].is_inner = is_inner(id);
    }
    collect_floats();
    give_scales();
    return std::move(plan_);
  }

 private:
  static bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
  }

  /// A name in an ONNX file; several nodes may come from it.
  bool is_kept(const Node& node) const { return is_among(options_.kept, node.origin) || is_left_out(node); }

  bool is_left_out(const Node& node) const { return !options_.only.empty() && !is_among(options_.only, node.origin); }

  void check_kept() const {
    std::set<std::string> names;
    for (const Node& node : graph_.nodes()) {
      if (node.kind == NodeKind::kCall) {
        names.insert(node.origin);
      }
    }
    check_names("--keep-float", options_.kept, names);
    check_names("--only", options_.only, names);
  }

  static void check_names(const std::string& option, const std::vector<std::string>& asked,
                          const std::set<std::string>& names) {
    for (const std::string& name : asked) {
      if (!names.contains(name)) {
        user_error(option + " " + name + ": the simplified network has no node of that name; its first ones are " +
                   first_names(names));
      }
    }
  }

  static std::string first_names(const std::set<std::string>& names) {
    constexpr std::size_t kShown = 4;
    std::string text;
    std::size_t shown = 0;
    for (const std::string& name : names) {
      if (!name.empty() && shown++ < kShown) {
        text += (text.empty() ? "" : ", ") + name;
      }
    }
    return text;
  }

  bool is_constant_input(const Node& node, std::size_t place) const {
    return graph_[node.inputs.at(place)].kind == NodeKind::kConstant;
  }

  bool is_bias(const Node& node) const {
    if (!is_call(node, "nn.bias_add") || !is_constant_input(node, 1) || int_attribute(node, "axis", 1) != 1) {
      return false;
    }
    const NodeId product = node.inputs[0];
    return is_product(graph_[product]) && plan_.nodes[product].is_on_integers && graph_.is_read_once(product);
  }

  /// Whether what a node makes is known as integers, or will be.
  bool is_quantized(NodeId id) const { return plan_.nodes[id].is_on_integers; }

  /// Whether a product reads the network's input behind what moves its elements.
  bool moves_input_of_product(NodeId id) const {
    const Node& node = graph_[id];
    return moves_elements(node) && graph_[node.inputs[0]].kind == NodeKind::kInput && !graph_.users()[id].empty() &&
           std::all_of(graph_.users()[id].begin(), graph_.users()[id].end(), [&](NodeId reader) {
             return is_product(graph_[reader]) && !is_kept(graph_[reader]) && is_constant_input(graph_[reader], 1);
           });
  }

  bool is_computed_on_integers(NodeId id) const {
    const Node& node = graph_[id];
    if (node.kind != NodeKind::kCall || is_kept(node)) {
      return false;
    }
    if (is_product(node)) {
      return is_constant_input(node, 1);
    }
    if (is_bias(node)) {
      return true;
    }
    const auto places = activation_inputs(node);
    return fovea::is_on_integers(node, options_) &&
           (moves_input_of_product(id) || is_among(options_.only, node.origin) ||
            std::any_of(places.begin(), places.end(),
                        [&](std::size_t place) { return is_quantized(node.inputs[place]); }));
  }

  /// Whether a ReLU or clip behind it is computed with it.
  static bool takes_relu(const Node& node) {
    return is_product(node) || is_call(node, "nn.bias_add") || is_one_of(node, kBinary);
  }

  /// \name Functions of one value
  /// @{

  /// What a node that works element by element is a function of, given what its inputs are of; nothing where that is
  /// not one value, or where it is the ReLU or clip of what makes the value.
  std::optional<NodeId> argument_of(NodeId id) const {
    const Node& node = graph_[id];
    if (!is_elementwise(node) || !plan_.nodes[id].is_on_integers) {
      return std::nullopt;
    }
    std::optional<NodeId> argument;
    for (const NodeId input : node.inputs) {
      if (graph_[input].kind == NodeKind::kConstant && count_elements(graph_[input].type.shape) == 1) {
        continue;
      }
      const NodeId of = ends_function_[input] ? input : arguments_[input].value_or(input);
      if ((argument && *argument != of) || !plan_.nodes[of].is_on_integers ||
          graph_[of].type.shape != node.type.shape) {
        return std::nullopt;
      }
      argument = of;
    }
    const bool is_relu_of_it = argument && *argument == node.inputs[0] && is_relu(node) && !arguments_[*argument] &&
                               takes_relu(graph_[*argument]) && graph_.is_read_once(*argument);
    return is_relu_of_it ? std::nullopt : argument;
  }

  /// A function goes on where all that reads a value is of the same argument; where not, it ends. Ending one there may
  /// end others.
  void find_functions() {
    ends_function_.assign(graph_.size(), false);
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      arguments_.assign(graph_.size(), std::nullopt);
      for (NodeId id = 0; id < graph_.size(); ++id) {
        arguments_[id] = argument_of(id);
      }
      for (NodeId id = 0; id < graph_.size(); ++id) {
        const auto& readers = graph_.users()[id];
        const bool goes_on = !graph_.is_output(id) && std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
          return arguments_[reader] == arguments_[id];
        });
        if (arguments_[id] && !ends_function_[id] && !goes_on) {
          ends_function_[id] = is_changed = true;
        }
      }
    }
  }

  /// Whether a value lies within a function.
  bool is_within_function(NodeId id) const { return arguments_[id] && !ends_function_[id]; }

  /// Whether a node is part of a function of several operators: numbers in it stay float.
  bool is_part_of_function(NodeId id) const {
    const Node& node = graph_[id];
    return arguments_[id] &&
           (is_within_function(id) || std::any_of(node.inputs.begin(), node.inputs.end(),
                                                  [&](NodeId input) { return is_within_function(input); }));
  }

  /// @}

  static bool is_relu(const Node& node) { return is_call(node, "nn.relu") || is_call(node, "clip"); }

  bool is_inner(NodeId id) const {
    if (is_within_function(id)) {
      return true;
    }
    if (!plan_.nodes[id].is_on_integers || arguments_[id] || !graph_.is_read_once(id)) {
      return false;
    }
    const NodeId reader_id = graph_.users()[id][0];
    const Node& reader = graph_[reader_id];
    return plan_.nodes[reader_id].is_on_integers &&
           (is_bias(reader) || (takes_relu(graph_[id]) && (is_call(reader, "nn.relu") || is_call(reader, "clip"))));
  }

  std::string why_float(const Node& node) const {
    if (is_kept(node)) {
      return is_left_out(node) ? "--only leaves it out" : "as --keep-float says";
    }
    if (is_product(node)) {
      return "its weights are not constant";
    }
    if (is_call(node, "nn.softmax")) {
      return "--quantize-softmax quantizes it";
    }
    if (fovea::is_on_integers(node, options_)) {
      return "it reads float values only";
    }
    return "there is no " + std::string(operation_of(node)) + " on integers";
  }

  void collect_floats() {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (graph_[id].kind == NodeKind::kCall && !plan_.nodes[id].is_on_integers) {
        plan_.floats.push_back({id, why_float(graph_[id])});
      }
    }
  }

  /// What is made on integers, but for inner values, and all else that is read by what computes on them.
  std::vector<bool> quantized_values() const {
    std::vector<bool> quantized(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (!plan_.nodes[id].is_on_integers) {
        continue;
      }
      quantized[id] = !plan_.nodes[id].is_inner;
      for (const std::size_t place : activation_inputs(graph_[id])) {
        const NodeId input = graph_[id].inputs[place];
        const bool is_number = graph_[input].kind == NodeKind::kConstant && is_part_of_function(id);
        quantized[input] = quantized[input] || (!plan_.nodes[input].is_inner && !is_number);
      }
    }
    return quantized;
  }

  NodeId leader(NodeId id) {
    while (leaders_[id] != id) {
      id = leaders_[id] = leaders_[leaders_[id]];
    }
    return id;
  }

  void give_scales() {
    leaders_.resize(graph_.size());
    std::iota(leaders_.begin(), leaders_.end(), NodeId{0});
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (plan_.nodes[id].is_on_integers && keeps_scale(graph_[id])) {
        for (const std::size_t place : activation_inputs(graph_[id])) {
          leaders_[leader(graph_[id].inputs[place])] = leader(id);
        }
      }
    }
    const std::vector<bool> quantized = quantized_values();
    std::vector<std::optional<std::size_t>> scale_of(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (quantized[id]) {
        auto& scale = scale_of[leader(id)];
        scale = scale ? *scale : plan_.scales++;
        plan_.nodes[id].scale = scale;
      }
    }
  }

  const Graph& graph_;
  const QuantizeOptions& options_;
  QuantizationPlan plan_;
  std::vector<std::optional<NodeId>> arguments_;  ///< Of what a node is a function; nothing where it is none.
  std::vector<bool> ends_function_;
  std::vector<NodeId> leaders_;
};

}  // namespace

std::optional<NodeId> product_ending_at(const Graph& graph, const QuantizationPlan& plan, NodeId id) {
  if (!plan.nodes[id].is_on_integers) {
    return std::nullopt;
  }
  if (is_call(graph[id], "nn.bias_add")) {
    return graph[id].inputs[0];
  }
  if (!is_product(graph[id])) {
    return std::nullopt;
  }
  const bool has_bias = plan.nodes[id].is_inner && is_call(graph[graph.users()[id][0]], "nn.bias_add");
  return has_bias ? std::nullopt : std::optional(id);
}

std::vector<NodeId> parts_of(const Graph& graph, const QuantizationPlan& plan, NodeId id) {
  std::vector<NodeId> parts;
  for (const NodeId input : graph[id].inputs) {
    if (plan.nodes[input].is_inner) {
      for (const NodeId part : parts_of(graph, plan, input)) {
        if (std::ranges::find(parts, part) == parts.end()) {
          parts.push_back(part);
        }
      }
    }
  }
  parts.push_back(id);
  return parts;
}

std::vector<std::size_t> activation_inputs(const Node& node) {
  const bool reads_all = is_one_of(node, kBinary) || is_call(node, "concatenate") || is_call(node, "matmul");
  std::vector<std::size_t> places(reads_all ? node.inputs.size() : std::min<std::size_t>(node.inputs.size(), 1));
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

QuantizationPlan plan_quantization(const Graph& graph, const QuantizeOptions& options) {
  QuantizationPlan plan = Planner(graph, options).run();
  if (plan.scales == 0) {
    user_error(
        "there is nothing to quantize: no convolution or fully connected layer of constant weights, or "
        "--keep-float or --only keeps all of them float");
  }
  return plan;
}

}  // namespace fovea
