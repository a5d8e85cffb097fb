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

CallText host_call(const Layer& layer, const Places& places) {
  const std::size_t axis = std::get<FloatConcat>(layer.body).axis;
  std::string list;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    list += "\n          {" + places.float_end("x", layer.inputs[i]) +
            ", .run = " + std::to_string(elements_from(layer.input_types[i].shape, axis)) + "},";
  }
  const int64_t runs = elements_before(layer.output_type.shape, axis);
  return {
      "dla_float_concat_cpu",
      "dla_float_concat_cpu",
      {name_field(layer), places.float_end("y", layer.output), shape_fields(layer.output_type),
       ".runs = " + std::to_string(runs) + ", .inputs = (const struct dla_float_concat_input[]){" + list + "\n      }",
       ".count = " + std::to_string(layer.inputs.size())}};
}

}  // namespace

LayerKind float_concat_kind() {
  return {
      "float_concat", "concat",
      true,           {{"cpu.float_concat", op_of_all("concatenate", any()).as("concat").where(is_float32("concat"))}},
      make,           kFloatIsTheCpus,
      host_call};
}

}  // namespace fovea
