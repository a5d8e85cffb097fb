// SPDX-License-Identifier: Apache-2.0
/// \file
/// Softmax on float32 values, as networks end with it behind their last dequantize.
#include "float_end.h"
#include "ops/channels.h"

namespace fovea {
namespace {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Node& softmax = match["softmax"];
  inputs = {softmax.inputs[0]};
  return FloatSoftmax{read_axis(softmax, softmax.type.shape)};
}

CallText host_call(const Layer& layer, const Places& places) {
  const std::size_t axis = std::get<FloatSoftmax>(layer.body).axis;
  const Shape& shape = layer.output_type.shape;
  const int64_t step = elements_from(shape, axis + 1);
  return {"dla_float_softmax_cpu",
          "dla_float_softmax_cpu",
          {name_field(layer), x_y_fields(layer, places), shape_fields(layer.output_type),
           ".count = " + std::to_string(shape[axis]) + ", .step = " + std::to_string(step)}};
}

}  // namespace

LayerKind float_softmax_kind() {
  return {"float_softmax", "softmax", true, {{"cpu.float_softmax", op("nn.softmax", {any()}).as("softmax")}}, make,
          kFloatIsTheCpus, host_call};
}

}  // namespace fovea
