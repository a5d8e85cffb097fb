// SPDX-License-Identifier: Apache-2.0
/// \file
/// ONNX nodes that C functions of the user's compute, and the parts of what such a function makes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "host_fields.h"
#include "tensor/error.h"

namespace fovea {
namespace in_extern_call {

using Json = nlohmann::ordered_json;

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& call = match["op"];
  ExternCall body{text_attribute(call, "op", ""),          call_name(call), {}, {}, extern_outputs(call),
                  text_attribute(call, "attributes", "{}")};
  std::size_t next = 0;
  for (const int64_t is_given : ints_attribute(call, "inputs", {})) {
    body.inputs.emplace_back();
    if (is_given != 0) {
      const Node& input = graph[call.inputs[next]];
      body.inputs.back() = input.type;
      body.constants.push_back(input.constant);
      if (input.constant == nullptr) {
        inputs.push_back(call.inputs[next]);
      }
      ++next;
    }
  }
  return body;
}

LayerBody make_output(const Match& match, std::vector<NodeId>& inputs) {
  const Node& output = match["op"];
  inputs = output.inputs;
  return View{int_attribute(output, "offset", 0)};
}

std::string constant_name(std::size_t place) { return "x" + std::to_string(place); }

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  const auto& body = std::get<ExternCall>(layer.body);
  std::vector<HostConstant> constants;
  for (std::size_t i = 0; i < body.constants.size(); ++i) {
    if (body.constants[i] != nullptr) {
      constants.push_back({constant_name(i), body.constants[i]});
    }
  }
  return constants;
}

/// A tensor, its memory still unknown.
std::string tensor_text(const OptionalType& type) {
  if (!type) {
    return "\n          {.data = NULL},";
  }
  constexpr const char* kElements[] = {"kDlaFloat32", "kDlaUint8", "kDlaInt8", "kDlaInt32", "kDlaInt64", "kDlaBool"};
  return std::string("\n          {.type = ") + kElements[static_cast<std::size_t>(type->element)] +
         ", .rank = " + std::to_string(type->shape.size()) + ", .dims = (const int64_t[])" +
         (type->shape.empty() ? "{1}" : c_list(type->shape)) +
         ", .elements = " + std::to_string(count_elements(type->shape)) + "},";
}

std::string list_field(const std::string& field, const std::string& type, const std::string& items) {
  return items.empty() ? "." + field + " = NULL" : "." + field + " = (" + type + "[]){" + items + "\n      }";
}

std::string places_text(const Layer& layer, const Places& places) {
  const auto& body = std::get<ExternCall>(layer.body);
  std::string text;
  std::size_t next = 0, given = 0;
  for (const OptionalType& input : body.inputs) {
    if (!input) {
      continue;
    }
    const std::string place = body.constants[given] != nullptr
                                  ? ".x = WEIGHT(" + layer.name + "_" + constant_name(given) + "), .is_constant = true"
                                  : places.float_end("x", layer.inputs[next++]);
    text += "\n          {" + place + ", .bytes = " + std::to_string(size_bytes(*input)) + "},";
    ++given;
  }
  return text;
}

/// An attribute's elements: {1, 2}.
std::string elements_text(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& element : list) {
    texts.push_back(element.is_string()           ? c_string(element.get<std::string>())
                    : element.is_number_integer() ? std::to_string(element.get<int64_t>())
                                                  : c_float(element.get<float>()));
  }
  return c_list(texts);
}

std::string attributes_text(const Json& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes.items()) {
    const Json list = value.is_array() ? value : Json::array({value});
    text += "\n          {.name = " + c_string(name) + ", .count = " + std::to_string(list.size());
    if (!list.empty()) {
      const bool are_integers = std::ranges::all_of(list, [](const Json& each) { return each.is_number_integer(); });
      text += list[0].is_string() ? ", .texts = (const char* const[])"
              : are_integers      ? ", .ints = (const int64_t[])"
                                  : ", .floats = (const float[])";
      text += elements_text(list);
    }
    text += "},";
  }
  return text;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& body = std::get<ExternCall>(layer.body);
  std::string inputs, outputs;
  std::vector<int64_t> offsets;
  for (const OptionalType& input : body.inputs) {
    inputs += tensor_text(input);
  }
  for (const ExternOutput& output : body.outputs) {
    outputs += tensor_text(output.type);
    offsets.push_back(output.offset);
  }
  const Json attributes = Json::parse(body.attributes);
  const std::string symbol = extern_symbol(body.op);
  CallText call{
      "dla_extern_cpu",
      "dla_extern_cpu",
      {name_field(layer) + ", .run = " + symbol, ".op = " + c_string(body.op) + ", .node = " + c_string(body.node),
       list_field("inputs", "struct dla_extern_tensor", inputs) +
           ", .input_count = " + std::to_string(body.inputs.size()),
       list_field("places", "const struct dla_nest_input", places_text(layer, places)) +
           ", .place_count = " + std::to_string(body.constants.size()),
       list_field("outputs", "struct dla_extern_tensor", outputs) +
           ", .output_count = " + std::to_string(body.outputs.size()),
       ".offsets = (const uint32_t[])" + c_list(offsets),
       list_field("attributes", "const struct dla_extern_attribute", attributes_text(attributes)) +
           ", .attribute_count = " + std::to_string(attributes.size()),
       places.float_end("y", layer.output), type_fields(layer.output_type), shape_fields(layer.output_type)}};
  call.definition = "extern int (*const " + symbol + ")(const struct dla_extern_call* call);\n";
  return call;
}

Pattern called() { return op_of_all("extern", either({any(), constant()})).as("op"); }

}  // namespace in_extern_call

LayerKind extern_call_kind() {
  using namespace in_extern_call;
  LayerKind kind{"extern",  "op",          true, {{"cpu.extern", called()}}, make, "it is a C function of yours",
                 host_call, host_constants};
  kind.composite = [](const Match& match) {
    const std::string op = text_attribute(match["op"], "op", "");
    return "extern_" + op.substr(op.rfind('.') + 1);
  };
  return kind;
}

LayerKind extern_output_kind() {
  using namespace in_extern_call;
  return {"extern_output", "op", true, {{"dla.extern_output", op("extern_output", {any()}).as("op")}}, make_output, ""};
}

}  // namespace fovea
