// SPDX-License-Identifier: Apache-2.0
/// \file
/// Any operator on float32 values that has a definition, and which nothing quantizes: its loops, as a C function.
#include <algorithm>

#include "float_end.h"
#include "ir/error.h"
#include "ir/operator.h"
#include "loops/c_nest.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"
#include "ops/definition.h"

namespace fovea {
namespace {

constexpr std::size_t kMostInputs = 8;  ///< That dla_nest_cpu() takes.

bool is_float(const TensorType& type) { return type.element == ElementType::kFloat32; }

/// Whether a call's result is float32, and all that it reads.
bool is_of_floats(const Match& match) {
  const Node& call = match["op"];
  bool all = is_float(call.type);
  for (const NodeId input : call.inputs) {
    all = all && is_float(match.graph()[input].type);
  }
  return all;
}

bool has_definition(const Node& node) {
  return node.kind == NodeKind::kCall && !node.op->is_variadic &&
         (node.op->define != nullptr || node.op->unary != nullptr || node.op->binary != nullptr);
}

/// Whether each element of a call's float32 result is computed from that of its first input at the same place, and
/// from constants.
bool is_link(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  const bool is_of_places =
      has_definition(node) && (node.op->unary != nullptr || node.op->binary != nullptr || is_call(node, "nn.prelu") ||
                               is_call(node, "nn.bias_add") || is_call(node, "nn.batch_norm"));
  const auto is_constant = [&](NodeId input) {
    return graph[input].kind == NodeKind::kConstant && is_float(graph[input].type);
  };
  return is_of_places && is_float(node.type) && node.type == graph[node.inputs[0]].type &&
         graph[node.inputs[0]].kind != NodeKind::kConstant &&
         std::all_of(node.inputs.begin() + 1, node.inputs.end(), is_constant);
}

/// How many such calls from `root` down only the next one reads; 0 where that is but one.
std::size_t count_links(const Graph& graph, NodeId root) {
  const std::vector<NodeId>& outputs = graph.outputs();
  std::size_t count = 0, constants = 0;
  for (NodeId id = root; is_link(graph, id); id = graph[id].inputs[0]) {
    const bool is_shared = graph.users()[id].size() != 1 || std::count(outputs.begin(), outputs.end(), id) != 0;
    constants += graph[id].inputs.size() - 1;
    if ((id != root && is_shared) || constants + 1 > kMostInputs) {
      break;
    }
    ++count;
  }
  return count > 1 ? count : 0;
}

/// A fusion for each operator that has a definition, and one for those in a row that need no buffer between.
std::vector<Fusion> fusions() {
  std::vector<Fusion> all{{"cpu.nest_chain", in_a_row(has_definition, count_links, any()).as("op")}};
  for (const Operator& row : operators()) {
    if (!row.is_variadic && (row.define != nullptr || row.unary != nullptr || row.binary != nullptr)) {
      const std::string name = row.name.substr(row.name.find('.') + 1);
      const std::vector<Pattern> inputs(row.inputs.size(), either({any(), constant()}));
      all.push_back({"cpu.nest_" + name, op(row.name, inputs).as("op").where(is_of_floats)});
    }
  }
  return all;
}

std::vector<TensorType> input_types(const Graph& graph, const Node& call) {
  std::vector<TensorType> types;
  for (const NodeId input : call.inputs) {
    types.push_back(graph[input].type);
  }
  return types;
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node* call = &match["op"];
  Definition definition = *definition_of(*call, input_types(graph, *call));
  std::vector<NodeId> reads = call->inputs;
  std::vector<std::string> names = call->op->inputs;
  std::string name = call->op->name;
  const auto is_inside = [&](NodeId id) {
    return std::find(match.inside().begin(), match.inside().end(), id) != match.inside().end() && is_link(graph, id);
  };
  while (is_inside(reads[0])) {
    call = &graph[reads[0]];
    definition = composed(definition, 0, *definition_of(*call, input_types(graph, *call)));
    reads.erase(reads.begin());
    reads.insert(reads.begin(), call->inputs.begin(), call->inputs.end());
    name = call->op->name + "." + name;
  }
  LoopNest body;
  std::vector<std::string> own_names;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const Node& node = graph[reads[i]];
    body.constants.push_back(node.kind == NodeKind::kConstant ? node.constant : nullptr);
    own_names.push_back(reads.size() == names.size() ? names[i] : "x" + std::to_string(i));
    if (node.kind != NodeKind::kConstant) {
      inputs.push_back(reads[i]);
    }
  }
  body.nest = lower(name, definition, own_names, match["op"].type);
  verify_nest(body.nest);
  return body;
}

/// The nest, and a function that hands it its pointers.
std::string definition_text(const Layer& layer, const LoopNest& body) {
  std::string arguments;
  for (std::size_t i = 0; i < body.constants.size(); ++i) {
    arguments += "inputs[" + std::to_string(i) + "], ";
  }
  return c_function(body.nest, "nest_" + layer.name) + "static void run_" + layer.name +
         "(const float *const *inputs, float *y) { nest_" + layer.name + "(" + arguments + "y); }\n";
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& body = std::get<LoopNest>(layer.body);
  std::string list;
  std::size_t next = 0;
  for (std::size_t i = 0; i < body.constants.size(); ++i) {
    const NestBuffer& buffer = body.nest.buffers[i];
    const std::string place = body.constants[i] != nullptr
                                  ? ".x = WEIGHT(" + layer.name + "_" + buffer.name + "), .is_constant = true"
                                  : places.float_end("x", layer.inputs[next++]);
    list += "\n          {" + place + ", .elements = " + std::to_string(count_elements(buffer.shape)) + "},";
  }
  CallText call{"dla_nest_cpu",
                "dla_nest_cpu",
                {name_field(layer) + ", .run = run_" + layer.name, places.float_end("y", layer.output),
                 shape_fields(layer.output_type), ".inputs = (const struct dla_nest_input[]){" + list + "\n      }",
                 ".count = " + std::to_string(body.constants.size())}};
  call.definition = definition_text(layer, body);
  return call;
}

std::vector<HostConstant> host_constants(const Layer& layer) {
  const auto& body = std::get<LoopNest>(layer.body);
  std::vector<HostConstant> constants;
  for (std::size_t i = 0; i < body.constants.size(); ++i) {
    if (body.constants[i] != nullptr) {
      constants.push_back({body.nest.buffers[i].name, body.constants[i]});
    }
  }
  return constants;
}

}  // namespace

LayerKind nest_kind() { return {"nest", "op", true, fusions(), make, kFloatIsTheCpus, host_call, host_constants}; }

}  // namespace fovea
