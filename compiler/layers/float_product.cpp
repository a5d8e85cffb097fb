// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions and fully connected layers with a float32 result, which nothing quantizes:
/// end?(relu?(bias_add?(conv2d(x, w), b))), of values that were dequantized or never were integers; its end is
/// elementwise operators.
#include "accumulation.h"
#include "float_end.h"
#include "on_integers.h"
#include "product_end.h"

namespace fovea {
namespace in_float_product {

Fusion fusion(const std::string& op_name, const std::string& composite, bool relu) {
  const Pattern product = op(op_name, {any(), either({parameter("w"), constant()})}).as("product");
  const Pattern biased = op("nn.bias_add", {product, either({parameter("b"), constant()})}).as("bias");
  const Pattern sum = either({biased, product});
  return {composite, relu ? op("nn.relu", {sum}).as("relu") : sum};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& product = match["product"];
  FloatProduct layer;
  layer.weight = constant_value(graph, product.inputs[1]);
  const Shape& w = layer.weight->type().shape;
  if (match.has("bias")) {
    layer.bias = constant_value(graph, match["bias"].inputs[1]);
  } else {
    layer.bias = std::make_shared<Tensor>(TensorType{{w[0]}, ElementType::kFloat32});
  }
  if (w.size() == 4) {
    layer.window = read_window(product, {w[2], w[3]});
    layer.groups = int_attribute(product, "groups", 1);
  }
  layer.relu = match.has("relu");
  layer.why_float = why_float(graph, product, match.has("bias") ? &match["bias"] : nullptr).value_or("");
  inputs = {product.inputs[0]};
  if (match.has("end")) {
    layer.end = std::make_shared<ProductEnd>(make_product_end(match, match.place_of("end"), inputs));
  }
  return layer;
}

/// ".end = {...}" of what a layer reads behind its first input.
std::string end_field(const Layer& layer, const ProductEnd& end, const Places& places) {
  std::string list;
  std::size_t next = 1, count = 0;
  for (std::size_t i = 0; i < end.is_result.size(); ++i) {
    if (!end.is_result[i]) {
      const NestBuffer& buffer = end.loops.nest.buffers[i];
      const bool is_constant = end.loops.constants[i] != nullptr;
      list += "{" +
              (is_constant ? ".x = WEIGHT(" + layer.name + "_" + buffer.name + "), .is_constant = true"
                           : places.float_end("x", layer.inputs[next++])) +
              ", .bytes = " + std::to_string(size_bytes(buffer)) + "}, ";
      ++count;
    }
  }
  const std::string inputs = count == 0 ? ""
                                        : ", .inputs = (const struct dla_nest_input[]){" +
                                              list.substr(0, list.size() - 2) + "}, .count = " + std::to_string(count);
  return ".end = {.run = run_" + layer.name + inputs + "}";
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& product = std::get<FloatProduct>(layer.body);
  const Shape& w = product.weight->type().shape;
  const bool is_flat = w.size() == 2;
  const std::string C = n_field(layer.input_types[0].shape[0]) + ".C = " + std::to_string(w[1]) + ", .H = 1, .W = 1";
  CallText call{"dla_float_conv2d_cpu",
                "dla_float_conv2d_cpu",
                {name_field(layer), x_y_fields(layer, places) + ", " + filter_bias_fields(layer),
                 (is_flat ? C : chw_fields(layer.input_types[0])) + ", .M = " + std::to_string(w[0]) +
                     ", .groups = " + std::to_string(product.groups) + ", .relu = " + c_bool(product.relu),
                 window_field(product.window)}};
  if (product.end != nullptr) {
    call.fields.push_back(end_field(layer, *product.end, places));
    call.definition = product_end_text(*product.end, layer.name);
  }
  return call;
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  const auto& product = std::get<FloatProduct>(layer.body);
  std::vector<HostConstant> constants{{"filter", product.weight}, {"bias", product.bias}};
  for (std::size_t i = 0; product.end != nullptr && i < product.end->loops.constants.size(); ++i) {
    if (product.end->loops.constants[i] != nullptr) {
      constants.push_back({product.end->loops.nest.buffers[i].name, product.end->loops.constants[i]});
    }
  }
  return constants;
}

/// No command: only why.
std::optional<DeviceForm> device_form(const Layer& layer) {
  const std::string& why = std::get<FloatProduct>(layer.body).why_float;
  return why.empty() ? std::nullopt : std::optional<DeviceForm>(DeviceForm{.refusal = why});
}

LayerKind product_kind(const std::string& op_name, const char* name) {
  const std::string composite = std::string("cpu.") + name;
  const auto with_end = [op_name](const Graph& graph, NodeId root) { return product_end_calls(graph, root, op_name); };
  LayerKind kind{name,
                 "product",
                 true,
                 {{composite + "_end", group(with_end).as("end")},
                  fusion(op_name, composite + "_relu", true),
                  fusion(op_name, composite, false)},
                 make,
                 kFloatIsTheCpus,
                 host_call,
                 host_constants};
  kind.device_form = device_form;
  return kind;
}

}  // namespace in_float_product

LayerKind float_conv2d_kind() { return in_float_product::product_kind("nn.conv2d", "float_conv2d"); }

LayerKind float_dense_kind() { return in_float_product::product_kind("nn.dense", "float_dense"); }

}  // namespace fovea
