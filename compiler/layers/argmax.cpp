// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the largest of 8-bit values along an axis are, as float32 numbers: cast(argmax(x)).
#include "host_fields.h"
#include "on_integers.h"
#include "ops/channels.h"
#include "ops/operator.h"

namespace fovea {
namespace {

bool is_of_bytes_as_floats(const Match& match) {
  const Node& x = match.graph()[match["argmax"].inputs[0]];
  return match["cast"].type.element == ElementType::kFloat32 &&
         (match.has("x") || x.type.element == ElementType::kUint8);
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& argmax = match["argmax"];
  if (match.has("x")) {
    read_activation(match.graph(), match["x"]);
  }
  inputs = match.inputs();
  const ArgMax layer{read_axis(argmax, match.graph()[argmax.inputs[0]].type.shape),
                     int_attribute(argmax, "select_last", 0) != 0};
  check_call(layer.axis != 0, argmax, "is along the batch; the batch is 1: an axis behind it works");
  return layer;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& argmax = std::get<ArgMax>(layer.body);
  const Shape& shape = layer.input_types[0].shape;
  return {
      "dla_argmax_cpu",
      "dla_argmax_cpu",
      {name_field(layer), ".ifmap = " + places.arena(layer.inputs[0]) + ", " + places.float_end("output", layer.output),
       shape_fields(layer.output_type),
       ".size = " + std::to_string(shape[argmax.axis]) + ", .step = " +
           std::to_string(elements_from(shape, argmax.axis + 1)) + ", .selects_last = " + c_bool(argmax.selects_last)}};
}

}  // namespace

LayerKind argmax_kind() {
  const Pattern argmax = op("argmax", {either({activation("x"), any()})}).as("argmax");
  return {"argmax", "argmax",
          true,     {{"cpu.argmax", op("cast", {argmax}).as("cast").where(is_of_bytes_as_floats)}},
          make,     "the accelerator does not compare",
          host_call};
}

}  // namespace fovea
