// SPDX-License-Identifier: Apache-2.0
/// \file
/// Designated initializers of the runtime's structs.
#include "host_fields.h"

#include "ops/channels.h"
#include "tensor/error.h"

namespace fovea {

std::string name_field(const Layer& layer) { return ".name = " + c_string(layer.name); }

std::string ifmap_ofmap_fields(const Layer& layer, const Places& places) {
  return ".ifmap = " + places.arena(layer.inputs.at(0)) + ", .ofmap = " + places.arena(layer.output);
}

std::string filter_bias_fields(const Layer& layer) {
  return ".filter = WEIGHT(" + layer.name + "_filter), .bias = WEIGHT(" + layer.name + "_bias)";
}

std::string n_field(int64_t pictures) { return pictures == 1 ? "" : ".N = " + std::to_string(pictures) + ", "; }

std::string chw_fields(const TensorType& type) {
  const Shape& shape = type.shape;
  internal_check(shape.size() == 4, "a convolution or pool reads a tensor that is not [N, C, H, W]");
  return n_field(shape[0]) + ".C = " + std::to_string(shape[1]) + ", .H = " + std::to_string(shape[2]) +
         ", .W = " + std::to_string(shape[3]);
}

std::string type_fields(const TensorType& type) {
  return ".type = \"" + std::string(to_text(type.element)) +
         "\", .element_bytes = " + std::to_string(size_bytes(type.element));
}

std::string shape_fields(const TensorType& type) {
  const auto shape = shape_without_batch(type);
  return ".rank = " + std::to_string(shape.size()) + ", .shape = " + c_list(shape);
}

std::string quantization_fields(const std::string& operand, const Quantization& quantization) {
  return "." + operand + "_scale = " + c_float(quantization.scale()) + ", ." + operand +
         "_zero_point = " + std::to_string(quantization.zero_point());
}

std::string window_field(const Window& window) {
  return ".window = {.kernel = " + c_list(window.kernel) + ", .strides = " + c_list(window.strides) +
         ", .dilations = " + c_list(window.dilations) + ", .pads = " + c_list(window.pads) + "}";
}

CallText lookup_call(const Layer& layer, const Places& places, int64_t count, int64_t run) {
  return {"dla_lookup_cpu",
          "dla_lookup_cpu",
          {name_field(layer), ifmap_ofmap_fields(layer, places), shape_fields(layer.output_type),
           ".tables = WEIGHT(" + layer.name + "_table), .count = " + std::to_string(count) +
               ", .run = " + std::to_string(run)}};
}

CallText concat_call(const Layer& layer, const Places& places, std::size_t axis,
                     const std::vector<std::string>& tables) {
  const auto* quantized = std::get_if<Qconcat>(&layer.body);
  std::string list;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const int64_t run =
        elements_from(layer.input_types[i].shape, axis) * static_cast<int64_t>(size_bytes(layer.output_type.element));
    list += "\n          {" + places.float_end("x", layer.inputs[i]) + ", .run_bytes = " + std::to_string(run) +
            (quantized != nullptr && quantized->is_in_place(i) ? ", .in_place = true" : "") +
            (tables[i].empty() ? "" : ", .has_table = true, .table = WEIGHT(" + layer.name + "_" + tables[i] + ")") +
            "},";
  }
  return {"dla_concat_cpu",
          "dla_concat_cpu",
          {name_field(layer), places.float_end("y", layer.output) + ", " + type_fields(layer.output_type),
           shape_fields(layer.output_type),
           ".runs = " + std::to_string(elements_before(layer.output_type.shape, axis)) +
               ", .inputs = (const struct dla_concat_input[]){" + list + "\n      }",
           ".count = " + std::to_string(layer.inputs.size())}};
}

}  // namespace fovea
