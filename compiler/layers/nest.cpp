// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators that have a definition, on values that nothing quantizes, one or several: their loops, as a C function.
#include <algorithm>

#include "float_end.h"
#include "loops/c_nest.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"
#include "move_definition.h"
#include "nest_group.h"
#include "on_integers.h"
#include "ops/definition.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

bool is_8_bit(const TensorType& type) { return type.element != ElementType::kBool && size_bytes(type.element) == 1; }

/// Whether a call reads and gives no 8-bit integers, which are activations with kinds of their own; but what compares,
/// chooses and casts takes them for the numbers that they are.
bool is_of_numbers(const Match& match) {
  const Node& call = match["op"];
  if (call.op->name.starts_with("qnn.")) {
    return false;
  }
  bool any = is_8_bit(call.type);
  for (const NodeId input : call.inputs) {
    any = any || is_8_bit(match.graph()[input].type);
  }
  return !any || call.type.element == ElementType::kBool || is_call(call, "cast") || is_call(call, "where");
}

/// A fusion for each operator that has a definition; of two operands it takes along what dequantizes them.
std::vector<Fusion> single_fusions() {
  std::vector<Fusion> all;
  for (const Operator& row : operators()) {
    if (!row.is_variadic && (row.define != nullptr || row.unary != nullptr || row.binary != nullptr)) {
      const std::string name = row.name.substr(row.name.find('.') + 1);
      std::vector<Pattern> inputs(row.inputs.size(), either({any(), constant()}));
      if (row.binary != nullptr) {
        inputs = {either({activation("a"), any(), constant()}), either({activation("b"), any(), constant()})};
      }
      all.push_back({"cpu.nest_" + name, op(row.name, inputs).as("op").where(is_of_numbers)});
    }
  }
  return all;
}

/// Calls of a match as one definition.
struct Joined {
  Definition definition;
  std::vector<NodeId> reads;  ///< What its inputs are, in order.
  std::string name;
};

Joined join(const Match& match, const Node& call) {
  const Graph& graph = match.graph();
  Joined joined{definition_of_call(graph, call), call.inputs, call.op->name};
  for (std::size_t i = call.inputs.size(); i-- > 0;) {
    const Node& input = graph[call.inputs[i]];
    if (input.kind == NodeKind::kCall && match.inside().count(call.inputs[i]) != 0) {
      const Joined inner = join(match, input);
      joined.definition = composed(joined.definition, i, inner.definition);
      const auto place = joined.reads.erase(joined.reads.begin() + static_cast<std::ptrdiff_t>(i));
      joined.reads.insert(place, inner.reads.begin(), inner.reads.end());
      joined.name = inner.name + "." + joined.name;
    }
  }
  return joined;
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& call = match["op"];
  const Joined joined = join(match, call);
  const std::vector<std::string> names = call.op->inputs;
  const bool is_single = joined.name == call.op->name;
  LoopNest body;
  std::vector<std::string> own_names;
  for (std::size_t i = 0; i < joined.reads.size(); ++i) {
    const Node& node = graph[joined.reads[i]];
    body.constants.push_back(node.kind == NodeKind::kConstant ? node.constant : nullptr);
    own_names.push_back(is_single ? names[i] : "x" + std::to_string(i));
    if (node.kind != NodeKind::kConstant) {
      inputs.push_back(joined.reads[i]);
    }
  }
  body.nest = lower(joined.name, joined.definition, own_names, call.type);
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
         "(const void *const *inputs, void *y) { nest_" + layer.name + "(" + arguments + "y); }\n";
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
    list += "\n          {" + place + ", .bytes = " + std::to_string(size_bytes(buffer)) + "},";
  }
  CallText call{"dla_nest_cpu",
                "dla_nest_cpu",
                {name_field(layer) + ", .run = run_" + layer.name, places.float_end("y", layer.output),
                 type_fields(layer.output_type), shape_fields(layer.output_type),
                 ".inputs = (const struct dla_nest_input[]){" + list + "\n      }",
                 ".count = " + std::to_string(body.constants.size())}};
  call.definition = definition_text(layer, body);
  return call;
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  const auto& body = std::get<LoopNest>(layer.body);
  std::vector<HostConstant> constants;
  for (std::size_t i = 0; i < body.constants.size(); ++i) {
    if (body.constants[i] != nullptr) {
      constants.push_back({body.nest.buffers[i].name, body.constants[i]});
    }
  }
  return constants;
}

Calls nest_calls(const Graph& graph, NodeId root) { return {nest_group(graph, root), {}}; }

}  // namespace

LayerKind nest_group_kind() {
  const std::vector<Fusion> all{{"cpu.nest_group", group(nest_calls).as("op")}};
  return {"nest_group", "op", true, all, make, kFloatIsTheCpus, host_call, host_constants};
}

LayerKind nest_kind() {
  return {"nest", "op", true, single_fusions(), make, kFloatIsTheCpus, host_call, host_constants};
}

}  // namespace fovea
