// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scale and zero point that depend on the values to quantize, as DynamicQuantizeLinear chooses them.
#include "float_end.h"

namespace fovea {
namespace {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {match["range"].inputs[0]};
  return DynamicRange{};
}

CallText host_call(const Layer& layer, const Places& places) {
  const bool is_scale = layer.output_type.element == ElementType::kFloat32;
  return {is_scale ? "dla_dynamic_scale_cpu" : "dla_dynamic_zero_point_cpu",
          "dla_dynamic_range_cpu",
          {name_field(layer),
           places.float_end("x", layer.inputs[0]) + ", " +
               (is_scale ? places.float_end("y", layer.output) : ".y = " + places.arena(layer.output)),
           shape_fields(layer.input_types[0])}};
}

}  // namespace

LayerKind dynamic_range_kind() {
  return {"dynamic_range",
          "range",
          false,
          {{"cpu.dynamic_range_scale", op("qnn.dynamic_scale", {any()}).as("range")},
           {"cpu.dynamic_range_zero_point", op("qnn.dynamic_zero_point", {any()}).as("range")}},
          make,
          kFloatIsTheCpus,
          host_call};
}

}  // namespace fovea
