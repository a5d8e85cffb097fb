// SPDX-License-Identifier: Apache-2.0
/// \file
/// Float32 values one behind another, which nothing quantizes.
#include "float_end.h"
#include "ir/operator.h"
#include "ops/channels.h"

namespace fovea {
namespace {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& concat = match["concat"];
  inputs = concat.inputs;
  const FloatConcat layer{read_axis(concat, concat.type.shape)};
  check_call(layer.axis != 0, concat, "joins batches; the batch is 1: join along another axis");
  return layer;
}

/// Elements that an operand gives to each run of the output.
int64_t run_of(const TensorType& type, std::size_t axis) {
  return count_elements({type.shape.begin() + static_cast<std::ptrdiff_t>(axis), type.shape.end()});
}

CallText host_call(const Layer& layer, const Places& places) {
  const std::size_t axis = std::get<FloatConcat>(layer.body).axis;
  std::string list;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    list += "\n          {" + places.float_end("x", layer.inputs[i]) +
            ", .run = " + std::to_string(run_of(layer.input_types[i], axis)) + "},";
  }
  const int64_t runs = count_elements(layer.output_type.shape) / run_of(layer.output_type, axis);
  return {
      "dla_float_concat_cpu",
      "dla_float_concat_cpu",
      {name_field(layer), places.float_end("y", layer.output), shape_fields(layer.output_type),
       ".runs = " + std::to_string(runs) + ", .inputs = (const struct dla_float_concat_input[]){" + list + "\n      }",
       ".count = " + std::to_string(layer.inputs.size())}};
}

}  // namespace

LayerKind float_concat_kind() {
  const auto is_float = [](const Match& match) { return match["concat"].type.element == ElementType::kFloat32; };
  return {"float_concat", "concat",
          true,           {{"cpu.float_concat", op_of_all("concatenate", any()).as("concat").where(is_float)}},
          make,           kFloatIsTheCpus,
          host_call};
}

}  // namespace fovea
