// SPDX-License-Identifier: Apache-2.0
/// \file
/// Any function of one 8-bit value as a table: quantize(f(g(... dequantize(x)))), and clips of integers.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "host_fields.h"
#include "on_integers.h"
#include "ops/channels.h"
#include "ops/operator.h"
#include "ops/unary.h"
#include "tensor/error.h"

namespace fovea {
namespace in_lookup {

constexpr int64_t kBytes = 256;

/// The constants that a chain's operators read.
std::vector<const Node*> find_operands(const Match& match) {
  std::vector<const Node*> constants;
  for (const NodeId id : match.inside()) {
    for (const NodeId input : match.graph()[id].inputs) {
      if (is_elementwise(match.graph()[id]) && match.graph()[input].kind == NodeKind::kConstant) {
        constants.push_back(&match.graph()[input]);
      }
    }
  }
  return constants;
}

/// Axes of `shape`, which all operands are broadcast to, along which one has more than one element.
std::set<std::size_t> find_axes(const Match& match, const Shape& shape) {
  std::set<std::size_t> axes;
  for (const Node* constant : find_operands(match)) {
    const Shape& operand = constant->type.shape;
    for (std::size_t i = 0; i < operand.size(); ++i) {
      if (operand[i] != 1) {
        axes.insert(shape.size() - operand.size() + i);
      }
    }
  }
  return axes;
}

/// Whether all is computed from one tensor, element by element, by one table or one for each index of an axis.
bool is_table(const Match& match) {
  const Node& f = match["f"];
  if (match.inputs().size() != 1 || match.graph()[match.inputs()[0]].type.shape != f.type.shape) {
    return false;
  }
  const std::set<std::size_t> axes = find_axes(match, f.type.shape);
  return axes.empty() || (axes.size() == 1 && !axes.contains(0));
}

/// Sums of two activations have formulas of their own, on integers.
bool is_link(const Graph& graph, const Node& node) {
  const auto is_dequantized = [&](NodeId input) { return is_call(graph[input], "qnn.dequantize"); };
  const bool is_of_activations =
      node.inputs.size() > 1 && std::all_of(node.inputs.begin(), node.inputs.end(), is_dequantized);
  return is_elementwise(node) && !is_of_activations;
}

bool is_function(const Match& match) { return is_elementwise(match["f"]) && is_table(match); }

bool is_function_of_integers(const Match& match) {
  return match["f"].type.element == ElementType::kUint8 && is_function(match);
}

/// The bytes 0 to 255 along the first axis, once for each index of the axis that the tables differ along.
Tensor all_bytes(std::size_t rank, std::optional<std::size_t> axis, int64_t count) {
  Shape shape(std::max<std::size_t>(rank, 1), 1);
  shape[0] = kBytes;
  if (axis) {
    shape[*axis] = count;
  }
  Tensor bytes({shape, ElementType::kUint8});
  for (int64_t i = 0; i < kBytes * count; ++i) {
    bytes.set_integer(i, i / count);
  }
  return bytes;
}

/// The value of the last of some nodes, which are computed from one more, for what that is.
Tensor evaluate_nodes(const Graph& graph, const std::set<NodeId>& inside, NodeId input, Tensor value) {
  std::map<NodeId, Tensor> values;
  values.emplace(input, std::move(value));
  for (const NodeId id : inside) {
    const Node& node = graph[id];
    std::vector<const Tensor*> operands;
    for (const NodeId operand : node.inputs) {
      operands.push_back(&values.at(operand));
    }
    values.emplace(id, node.kind == NodeKind::kConstant ? *node.constant : node.op->evaluate(node, operands));
  }
  return values.at(*inside.rbegin());
}

/// The nodes that a value is computed with from another; none where others than those of functions are among them.
std::set<NodeId> nodes_between(const Graph& graph, NodeId from, NodeId to) {
  std::set<NodeId> nodes;
  for (std::vector<NodeId> open{to}; !open.empty();) {
    const NodeId id = open.back();
    const Node& node = graph[id];
    open.pop_back();
    if (id == from || !nodes.insert(id).second) {
      continue;
    }
    const bool is_conversion = is_call(node, "qnn.dequantize") || is_call(node, "qnn.quantize");
    if (node.kind != NodeKind::kConstant && !is_elementwise(node) && !is_conversion) {
      return {};
    }
    open.insert(open.end(), node.inputs.begin(), node.inputs.end());
  }
  return nodes;
}

/// Whether all conversions among some nodes are of uint8 activations with constant parameters.
bool are_of_activations(const Graph& graph, const std::set<NodeId>& nodes) {
  return std::ranges::all_of(nodes, [&](NodeId id) {
    const Node& node = graph[id];
    if (!is_call(node, "qnn.dequantize") && !is_call(node, "qnn.quantize")) {
      return true;
    }
    if (!has_constant_quantization(graph, node)) {
      return false;
    }
    const Quantization q = read_quantization(graph, node);
    return q.element == ElementType::kUint8 && q.scales.size() == 1 && dla_is_scale(q.scale());
  });
}

/// Whether the constants among some nodes are the same for all elements.
bool are_of_one_number(const Graph& graph, const std::set<NodeId>& nodes) {
  return std::ranges::all_of(nodes, [&](NodeId id) {
    return graph[id].kind != NodeKind::kConstant || count_elements(graph[id].type.shape) == 1;
  });
}

/// Whether only they read what they compute, but for `result`.
bool are_private(const Graph& graph, const std::set<NodeId>& nodes, NodeId result) {
  return std::ranges::all_of(nodes, [&](NodeId id) {
    const auto is_inside = [&](NodeId reader) { return nodes.contains(reader); };
    return id == result || graph[id].kind == NodeKind::kConstant ||
           (!graph.is_output(id) && std::ranges::all_of(graph.users()[id], is_inside));
  });
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  for (const NodeId id : match.inside()) {
    if (is_call(graph[id], "qnn.dequantize") || is_call(graph[id], "qnn.quantize")) {
      read_activation(graph, graph[id]);
    }
  }
  inputs = match.inputs();
  const Shape& shape = match["f"].type.shape;
  const std::set<std::size_t> axes = find_axes(match, shape);
  const auto axis = axes.empty() ? std::nullopt : std::optional<std::size_t>(*axes.begin());
  const int64_t count = axis ? shape[*axis] : 1;
  const Tensor values = evaluate_nodes(graph, match.inside(), match.inputs()[0], all_bytes(shape.size(), axis, count));
  Tensor tables({{count, kBytes}, ElementType::kUint8});
  for (int64_t i = 0; i < kBytes * count; ++i) {
    tables.set_integer(i % count * kBytes + i / count, values.integer_at(i));
  }
  return Lookup{std::make_shared<const Tensor>(std::move(tables)), axis.value_or(0)};
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& lookup = std::get<Lookup>(layer.body);
  const int64_t count = lookup.tables->type().shape[0];
  const std::size_t behind = count == 1 ? 0 : lookup.axis + 1;
  return lookup_call(layer, places, count, elements_from(layer.output_type.shape, behind));
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  return {{"table", std::get<Lookup>(layer.body).tables}};
}

/// Its values are rounded already.
bool is_at_shifts(const Layer&) { return false; }

}  // namespace in_lookup

Pattern function_behind(const Pattern& y) {
  using namespace in_lookup;
  const Pattern values = either({y}).as("y of f");
  // A copy of what others read too would be one of what computes `y`.
  const auto has_table = [](const Match& match) {
    const NodeId from = match.place_of("y of f"), to = match.place_of("f of y");
    return are_private(match.graph(), nodes_between(match.graph(), from, to), to) &&
           tabulate(match.graph(), from, to) != nullptr;
  };
  return op("qnn.quantize", {chain(is_link, op("qnn.dequantize", {values}))}).as("f of y").where(has_table);
}

std::shared_ptr<const Tensor> tabulate(const Graph& graph, NodeId from, NodeId to) {
  using namespace in_lookup;
  const std::set<NodeId> nodes = nodes_between(graph, from, to);
  if (nodes.empty() || !are_of_activations(graph, nodes) || !are_of_one_number(graph, nodes)) {
    return nullptr;
  }
  const Tensor values = evaluate_nodes(graph, nodes, from, all_bytes(graph[from].type.shape.size(), std::nullopt, 1));
  internal_check(count_elements(values.type().shape) == kBytes, "functions of one number give a byte for each byte");
  auto table = std::make_shared<Tensor>(TensorType{{1, kBytes}, ElementType::kUint8});
  for (int64_t i = 0; i < kBytes; ++i) {
    table->set_integer(i, values.integer_at(i));
  }
  return table;
}

Pattern function_of_activation() {
  using namespace in_lookup;
  return chain(is_link, activation("x")).as("f").where(is_function);
}

LayerKind lookup_kind() {
  using namespace in_lookup;
  const Pattern function = op("qnn.quantize", {function_of_activation()});
  const Pattern clipped = chain(is_link, any()).as("f").where(is_function_of_integers);
  return {"lookup",  "f",
          true,      {{"cpu.lookup", either({function, clipped})}},
          make,      "the accelerator looks up only what it has accumulated",
          host_call, host_constants,
          nullptr,   is_at_shifts};
}

}  // namespace fovea
