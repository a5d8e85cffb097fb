// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized fully connected layers: quantize(relu?(bias_add?(dense(dequantize(x), dequantize(w)), dequantize(b)))).
#include "accumulation.h"
#include "host_fields.h"

namespace fovea {
namespace {

Fusion fusion(const std::string& composite, bool relu) {
  return {composite, op("qnn.quantize", {accumulate("nn.dense", relu)}).as("y")};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {match["x"].inputs[0]};
  return Qlinear{read_accumulation(match, match["nn.dense"])};
}

CallText host_call(const Layer& layer, const Places& places) {
  const Accumulation& sum = std::get<Qlinear>(layer.body).sum;
  const Shape& filter = sum.weight->type().shape;
  CallText call{sum.relu ? "dla_qlinear_relu_cpu" : "dla_qlinear_cpu",
                "dla_qlinear_cpu",
                {name_field(layer), ifmap_ofmap_fields(layer, places) + ", " + filter_bias_fields(layer),
                 ".C = " + std::to_string(filter.at(1)) + ", .M = " + std::to_string(filter.at(0))}};
  if (shift_of(sum)) {
    call.fields.push_back(quant_field(sum, places.rounding));
  } else {
    call.function = call.type = "dla_qlinear_scaled_cpu";
    call.fields.push_back(scaling_field(layer, sum));
  }
  return call;
}

std::vector<HostConstant> host_constants(const Layer& layer) { return constants_of(std::get<Qlinear>(layer.body).sum); }

}  // namespace

LayerKind qlinear_kind() {
  return {"qlinear", "nn.dense",
          true,      {fusion("dla.qlinear_relu", true), fusion("dla.qlinear", false)},
          make,      "the accelerator has no fully connected layer",
          host_call, host_constants};
}

}  // namespace fovea
