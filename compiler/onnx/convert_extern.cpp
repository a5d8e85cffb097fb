// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nodes of operators that the user bound to C functions.
#include <algorithm>
#include <cmath>

#include "converters.h"
#include "extern.h"
#include "files/read_file.h"
#include "ir/evaluate.h"
#include "onnx_tensor.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

Json tensor_json(const OnnxNode& node, const onnx::TensorProto& proto) {
  const Tensor tensor = to_tensor(proto, node.name());
  Json list = Json::array();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(tensor.type().shape)); ++i) {
    tensor.type().element == ElementType::kFloat32 ? list.push_back(tensor.at(i))
                                                   : list.push_back(tensor.integer_at(i));
  }
  return list;
}

Json attribute_json(const OnnxNode& node, const onnx::AttributeProto& attribute) {
  using Type = onnx::AttributeProto;
  switch (attribute.type()) {
    case Type::INT:
      return attribute.i();
    case Type::FLOAT:
      return attribute.f();
    case Type::STRING:
      return attribute.s();
    case Type::INTS:
      return std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end());
    case Type::FLOATS:
      return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case Type::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case Type::TENSOR:
      return tensor_json(node, attribute.t());
    default:
      node.refuse("attribute " + attribute.name() + " of " + node.op() +
                  " is no number, text or tensor, nor a list of these; a C function can't be given it");
  }
}

bool is_finite(const Json& value) {
  return value.is_array() ? std::ranges::all_of(value, is_finite)
                          : !value.is_number_float() || std::isfinite(value.get<double>());
}

/// What is known of the node, before its outputs are.
ExternNode describe_node(ImportContext& context, const OnnxNode& node, const onnx::NodeProto& proto,
                         std::vector<NodeId>& inputs) {
  ExternNode about{node.op(), node.name(), {}, nullptr, Json::object(), 0};
  std::vector<NodeId> places;
  for (int place = 0; place < proto.input_size(); ++place) {
    const auto input = context.optional_input(node, place);
    about.inputs.push_back(input ? OptionalType(context.type(*input)) : std::nullopt);
    places.push_back(input.value_or(0));
    if (input) {
      inputs.push_back(*input);
    }
  }
  about.constant = [&context, places](std::size_t input) {
    return evaluate_constant(context.builder.so_far(), places.at(input));
  };
  for (const onnx::AttributeProto& attribute : proto.attribute()) {
    about.attributes[attribute.name()] = attribute_json(node, attribute);
    node.check(is_finite(about.attributes[attribute.name()]),
               "attribute " + attribute.name() + " of " + node.op() + " is not finite");
  }
  const std::vector<std::string> outputs = node.outputs();
  const auto last =
      std::find_if(outputs.rbegin(), outputs.rend(), [](const std::string& name) { return !name.empty(); });
  about.outputs = static_cast<std::size_t>(outputs.rend() - last);
  return about;
}

/// By the user's function, else the rule in the C file, else the model.
std::vector<OptionalType> find_types(const ImportContext& context, const OnnxNode& node, const Extern& binding,
                                     const ExternNode& about) {
  const auto ruled = binding.types ? std::optional(binding.types(about)) : types_by_rule(binding, about);
  std::vector<OptionalType> types;
  for (std::size_t i = 0; i < about.outputs; ++i) {
    const std::string name = node.outputs()[i];
    if (name.empty()) {
      types.emplace_back();
      continue;
    }
    types.push_back(!ruled              ? context.declared_type(name)
                    : i < ruled->size() ? OptionalType((*ruled)[i])
                                        : std::nullopt);
    node.check(types.back().has_value(), "the shape of output " + std::to_string(i + 1) + " of " + node.op() +
                                             " is not known; a line such as \"// output: float32 [x0[0], 4]\" in " +
                                             binding.file.string() + " says it");
    check_shape(types.back()->shape, node.name());
    node.check(std::ranges::all_of(types.back()->shape, [](int64_t size) { return size > 0; }),
               "output " + std::to_string(i + 1) + " of " + node.op() + " has no elements");
  }
  return types;
}

}  // namespace

Extern read_extern(const std::string& op, const std::filesystem::path& file) {
  Extern binding{op, file, "", nullptr};
  if (!is_c_identifier(binding.function())) {
    throw UsageError("extern " + op + "=" + file.string() +
                     ": no operator that a C function can be called after; TopK2=my_topk.c works");
  }
  if (find_converter(op) != nullptr) {
    throw UsageError("extern " + op + "=" + file.string() +
                     ": the operator is built in; only others are bound to C functions");
  }
  try {
    binding.source = read_file(file, "a C file");
  } catch (const UserError& error) {
    throw UsageError("extern " + op + ": " + error.what());
  }
  return binding;
}

const Extern* find_extern(const std::vector<Extern>& externs, const std::string& op) {
  const auto found = std::ranges::find(externs, op, &Extern::op);
  return found == externs.end() ? nullptr : &*found;
}

void convert_extern(ImportContext& context, const OnnxNode& node, const onnx::NodeProto& proto, const Extern& binding) {
  std::vector<NodeId> inputs;
  const ExternNode about = describe_node(context, node, proto, inputs);
  const std::vector<OptionalType> types = find_types(context, node, binding, about);
  std::vector<int64_t> given;
  for (const OptionalType& input : about.inputs) {
    given.push_back(input ? 1 : 0);
  }
  if (inputs.empty()) {  // The graph's operators read something.
    inputs = {context.builder.constant(Tensor({{1}, ElementType::kUint8}), node.name())};
  }
  const NodeId made = context.call(
      node, "extern", inputs,
      extern_attributes(node.op(), given, types, about.attributes.dump(-1, ' ', true, Json::error_handler_t::replace)));
  const std::vector<ExternOutput> outputs = extern_outputs(context.builder[made]);
  const auto count = std::ranges::count_if(outputs, [](const ExternOutput& output) { return output.type.has_value(); });
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].type) {
      context.define(
          node.outputs()[i],
          count == 1 ? made : context.call(node, "extern_output", {made}, extern_output_attributes(outputs[i])));
    }
  }
}

}  // namespace fovea
