// SPDX-License-Identifier: Apache-2.0
/// \file
/// Any operator on float32 values that has a definition, and which nothing quantizes: its loops, as a C function.
#include "float_end.h"
#include "ir/error.h"
#include "ir/operator.h"
#include "loops/c_nest.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"
#include "ops/definition.h"

namespace fovea {
namespace {

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

/// A fusion for each operator that has a definition.
std::vector<Fusion> fusions() {
  std::vector<Fusion> all;
  for (const Operator& row : operators()) {
    if (!row.is_variadic && (row.define != nullptr || row.unary != nullptr || row.binary != nullptr)) {
      const std::string name = row.name.substr(row.name.find('.') + 1);
      const std::vector<Pattern> inputs(row.inputs.size(), any());
      all.push_back({"cpu.nest_" + name, op(row.name, inputs).as("op").where(is_of_floats)});
    }
  }
  return all;
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& call = match["op"];
  std::vector<TensorType> types;
  LoopNest body;
  for (const NodeId input : call.inputs) {
    const Node& node = match.graph()[input];
    types.push_back(node.type);
    body.constants.push_back(node.kind == NodeKind::kConstant ? node.constant : nullptr);
    if (node.kind != NodeKind::kConstant) {
      inputs.push_back(input);
    }
  }
  body.nest = lower(call.op->name, *definition_of(call, types), call.op->inputs, call.type);
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
