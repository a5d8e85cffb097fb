// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows the values of a graph, and of its composites, under names.
#include "export_graph.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "layers/fuse.h"
#include "layers/layer_kind.h"
#include "onnx_writer.h"
#include "operator_calls.h"
#include "ops/broadcast.h"
#include "ops/operator.h"

namespace fovea {
namespace {

bool is_conversion(const Node& node) { return is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize"); }

/// Whether another from the same ONNX node goes on with its result, quantized or not, as each axis of a Pad does; but
/// what only moves elements does not go on with what computes them.
bool is_continued(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  if (node.kind != NodeKind::kCall || node.origin.empty() || is_conversion(node)) {
    return false;
  }
  NodeId reader = id;
  do {
    if (!graph.is_read_once(reader)) {
      return false;
    }
    reader = graph.users()[reader][0];
  } while (is_conversion(graph[reader]) && graph[reader].origin == node.origin);
  return graph[reader].kind == NodeKind::kCall && graph[reader].origin == node.origin &&
         (moves_elements(node) || !moves_elements(graph[reader]));
}

/// Where several share the name of the ONNX node that they came from, layers are named after operators rather than
/// conversions, and after the last of a row.
int naming_order(const Graph& graph, NodeId id) {
  return is_continued(graph, id)                ? 3
         : is_call(graph[id], "qnn.dequantize") ? 2
         : is_call(graph[id], "qnn.quantize")   ? 1
                                                : 0;
}

/// What ops.def calls an input: "scale".
std::string input_name(const Node& node, std::size_t place) {
  return node.kind == NodeKind::kCall ? node.op->inputs[std::min(place, node.op->inputs.size() - 1)] : "operand";
}

/// Writes the nodes of one graph: the network's, or a composite's body.
class GraphExport {
 public:
  /// \param results  Names that values are to have; "" where any will do.
  /// \param first  Nodes before it are written already.
  GraphExport(const Graph& graph, OnnxWriter& writer, std::vector<std::string> results, NodeId first = 0)
      : graph_(graph), writer_(writer), results_(std::move(results)), first_(first), values_(graph.size()) {
    name_nodes();
  }

  std::string& value(NodeId id) { return values_[id]; }

  void run() {
    for (NodeId id = first_; id < graph_.size(); ++id) {
      const Node& node = graph_[id];
      switch (node.kind) {
        case NodeKind::kInput:
        case NodeKind::kConstant:
          break;
        case NodeKind::kCall:
          write_operator(id);
          break;
        case NodeKind::kFunction:
          write_composite(id);
          break;
      }
    }
  }

 private:
  void name_nodes() {
    names_.resize(graph_.size());
    std::map<int, std::vector<NodeId>> in_order;
    for (NodeId id = first_; id < graph_.size(); ++id) {
      const Node& node = graph_[id];
      const bool is_node =
          node.kind == NodeKind::kFunction ? !composite_calls(node).empty() : node.kind == NodeKind::kCall;
      if (is_node && !is_with_bias(id)) {
        in_order[naming_order(graph_, id)].push_back(id);
      }
    }
    for (const auto& [order, ids] : in_order) {
      for (const NodeId id : ids) {
        const Node& named = graph_[is_bias(id) ? graph_[id].inputs[0] : id];
        names_[id] = writer_.take_node_name(named.origin.empty() ? short_operation_of(named) : named.origin);
      }
    }
  }

  /// Without its dialect, as a layer without a name is called too: "qconv2d" of "dla.qconv2d".
  static std::string short_operation_of(const Node& node) {
    const std::string_view operation = operation_of(node);
    return std::string(operation.substr(operation.rfind('.') + 1));
  }

  /// What a composite is on 8-bit values; none where its operators are written.
  static std::vector<OnnxCall> composite_calls(const Node& composite) {
    const auto layer = layer_of(*composite.function);
    const auto calls = layer->kind->onnx_calls;
    return calls == nullptr ? std::vector<OnnxCall>() : calls(*layer, composite.function->body);
  }

  /// A multiplication whose bias alone reads it is one ONNX operator with it.
  bool is_with_bias(NodeId id) const {
    const bool multiplies = is_product(graph_[id]);
    if (!multiplies || !graph_.is_read_once(id)) {
      return false;
    }
    const Node& reader = graph_[graph_.users()[id][0]];
    return is_call(reader, "nn.bias_add") && int_attribute(reader, "axis", 1) == 1;
  }

  /// The bias of such a multiplication.
  bool is_bias(NodeId id) const { return is_call(graph_[id], "nn.bias_add") && is_with_bias(graph_[id].inputs[0]); }

  /// Name of a value that a node reads. A constant is written where it is read. \param place  Among the node's inputs.
  std::string read(const Node& reader, std::size_t place, const std::string& name) {
    const Node& node = graph_[reader.inputs.at(place)];
    if (node.kind != NodeKind::kConstant) {
      return values_[reader.inputs[place]];
    }
    const bool has_own_name = !node.origin.empty() && !node.type.shape.empty();
    return writer_.constant(has_own_name ? node.origin : name + "_" + input_name(reader, place), *node.constant);
  }

  std::vector<std::string> read_all(const Node& reader, const std::string& name) {
    std::vector<std::string> inputs;
    for (std::size_t place = 0; place < reader.inputs.size(); ++place) {
      inputs.push_back(read(reader, place, name));
    }
    return inputs;
  }

  const std::string& name_result(NodeId id) {
    return values_[id] = results_[id].empty() ? writer_.take_value_name(names_[id]) : results_[id];
  }

  void write_operator(NodeId id) {
    const Node& node = graph_[id];
    if (is_with_bias(id)) {
      return;
    }
    if (is_bias(id)) {
      const Node& product = graph_[node.inputs[0]];
      std::vector<OnnxCall> calls = operator_calls(product);
      calls[0].reads(2);
      std::vector<std::string> inputs = read_all(product, names_[id]);
      inputs.push_back(read(node, 1, names_[id]));
      writer_.write(calls, names_[id], inputs, name_result(id));
    } else {
      std::vector<std::string> inputs = read_all(node, names_[id]);
      if (is_call(node, "add") &&
          is_first_broadcast(graph_[node.inputs[0]].type.shape, graph_[node.inputs[1]].type.shape)) {
        std::swap(inputs[0], inputs[1]);  // As they come back.
      }
      std::vector<OnnxCall> calls = operator_calls(node);
      if (ends_row_of_pairs(node)) {
        calls[0].operands[0] = OnnxOperand();
        calls.insert(calls.begin(), OnnxCall("Concat").reads(0).set("axis", int64_t{0}));
      }
      writer_.write(calls, names_[id], inputs, name_result(id), calls.size() - 1);
    }
  }

  /// Whether it quantizes what was quantized and dequantized alone, of which ONNX Runtime and the import would make one
  /// quantization; a Concat of one value between them prevents that.
  bool ends_row_of_pairs(const Node& node) const {
    if (!is_call(node, "qnn.quantize") || !graph_.is_read_once(node.inputs[0]) || node.type.shape.empty()) {
      return false;
    }
    const Node& dequantize = graph_[node.inputs[0]];
    return is_call(dequantize, "qnn.dequantize") && is_call(graph_[dequantize.inputs[0]], "qnn.quantize") &&
           graph_.is_read_once(dequantize.inputs[0]);
  }

  void write_composite(NodeId id) {
    const Node& node = graph_[id];
    const std::vector<OnnxCall> calls = composite_calls(node);
    if (calls.empty()) {
      write_body(id, 0, "");
      return;
    }
    const auto layer = layer_of(*node.function);
    std::vector<std::string> inputs;
    for (const std::size_t input : layer->inputs) {
      inputs.push_back(read(node, input, names_[id]));
    }
    const Graph& body = node.function->body;
    const NodeId last = body.outputs()[0], end = layer->kind->onnx_end ? layer->kind->onnx_end(*layer, body) : last;
    if (end == last) {
      writer_.write(calls, names_[id], inputs, name_result(id));
    } else {
      const std::string value = writer_.take_value_name(names_[id]);
      writer_.write(calls, names_[id], inputs, value);
      write_body(id, end + 1, value);
    }
  }

  /// The operators of a composite. \param first  Where they begin, behind a value of that name.
  void write_body(NodeId id, NodeId first, const std::string& before) {
    const Node& node = graph_[id];
    const Graph& body = node.function->body;
    std::vector<std::string> results(body.size());
    results[body.outputs()[0]] = results_[id];
    GraphExport inside(body, writer_, std::move(results), first);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inside.value(body.inputs()[i]) = read(node, i, node.origin);
    }
    if (first != 0) {
      inside.value(first - 1) = before;
    }
    inside.run();
    values_[id] = inside.value(body.outputs()[0]);
  }

  const Graph& graph_;
  OnnxWriter& writer_;
  const std::vector<std::string> results_;
  const NodeId first_;
  std::vector<std::string> names_;   ///< Of nodes.
  std::vector<std::string> values_;  ///< Of their results.
};

/// Names that are the network's own.
std::vector<std::string> names_of_ends(const Graph& graph) {
  std::vector<std::string> names = graph.output_names();
  for (const NodeId input : graph.inputs()) {
    names.push_back(graph[input].origin);
  }
  return names;
}

/// For each node the name that the network first gives to its result; "" where it gives none.
std::vector<std::string> names_of_results(const Graph& graph) {
  std::vector<std::string> results(graph.size());
  for (std::size_t i = graph.outputs().size(); i-- > 0;) {
    const NodeId output = graph.outputs()[i];
    if (graph[output].kind == NodeKind::kCall || graph[output].kind == NodeKind::kFunction) {
      results[output] = graph.output_names()[i];
    }
  }
  return results;
}

}  // namespace

std::string export_graph(const Graph& graph, const std::string& name) {
  OnnxWriter writer(name, names_of_ends(graph));
  GraphExport whole(graph, writer, names_of_results(graph));
  for (const NodeId input : graph.inputs()) {
    const std::string& given = graph[input].origin;
    whole.value(input) = given.empty() ? writer.take_value_name("input") : given;
    writer.input(whole.value(input), graph[input].type);
  }
  whole.run();
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const NodeId output = graph.outputs()[i];
    const std::string& given = graph.output_names()[i];
    const bool is_constant = graph[output].kind == NodeKind::kConstant;
    const std::string made =
        is_constant ? writer.constant(given + "_value", *graph[output].constant) : whole.value(output);
    if (!given.empty() && given != made) {
      writer.write({OnnxCall("Identity").reads(0)}, writer.take_node_name(given), {made}, given);
    }
    writer.output(given.empty() ? made : given, graph[output].type);
  }
  return writer.finish();
}

}  // namespace fovea
