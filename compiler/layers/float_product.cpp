// SPDX-License-Identifier: Apache-2.0
/// \file
/// Convolutions and fully connected layers with a float32 result, which nothing quantizes:
/// relu?(bias_add?(conv2d(x, w), b)), of values that were dequantized or never were integers.
#include "float_end.h"
#include "on_integers.h"

namespace fovea {
namespace {

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
  inputs = {product.inputs[0]};
  return layer;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& product = std::get<FloatProduct>(layer.body);
  const Shape& w = product.weight->type().shape;
  const bool is_flat = w.size() == 2;
  const std::string C = ".C = " + std::to_string(w[1]) + ", .H = 1, .W = 1";
  return {"dla_float_conv2d_cpu",
          "dla_float_conv2d_cpu",
          {name_field(layer), x_y_fields(layer, places) + ", " + filter_bias_fields(layer),
           (is_flat ? C : chw_fields(layer.input_types[0])) + ", .M = " + std::to_string(w[0]) +
               ", .groups = " + std::to_string(product.groups) + ", .relu = " + c_bool(product.relu),
           window_field(product.window)}};
}

std::vector<HostConstant> host_constants(const Layer& layer) {
  const auto& product = std::get<FloatProduct>(layer.body);
  return {{"filter", product.weight}, {"bias", product.bias}};
}

LayerKind product_kind(const std::string& op_name, const char* name) {
  const std::string composite = std::string("cpu.") + name;
  return {
      name, "product",       true,      {fusion(op_name, composite + "_relu", true), fusion(op_name, composite, false)},
      make, kFloatIsTheCpus, host_call, host_constants};
}

}  // namespace

LayerKind float_conv2d_kind() { return product_kind("nn.conv2d", "float_conv2d"); }

LayerKind float_dense_kind() { return product_kind("nn.dense", "float_dense"); }

}  // namespace fovea
