// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantized fully connected layers: quantize(relu?(bias_add?(dense(dequantize(x), dequantize(w)), dequantize(b))));
/// with other bounds, clips of what it quantizes; and with a table, any other function of it.
#include "accumulation.h"
#include "host_fields.h"

namespace fovea {
namespace in_qlinear {

Fusion fusion(const std::string& composite, bool relu) { return {composite, quantized(accumulate("nn.dense", relu))}; }

Fusion bounded_fusion(const std::string& composite) { return {composite, bounded(quantized(accumulate("nn.dense")))}; }

Fusion lookup_fusion(const std::string& composite) {
  return {composite, looked_up(quantized(accumulate("nn.dense"))), true};
}

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  inputs = {match["x"].inputs[0]};
  return Qlinear{read_accumulation(match, match["nn.dense"])};
}

CallText host_call(const Layer& layer, const Places& places) {
  const Accumulation& sum = std::get<Qlinear>(layer.body).sum;
  const Shape& filter = sum.weight->type().shape;
  CallText call{"dla_qlinear_cpu",
                "dla_qlinear_cpu",
                {sum.table == nullptr ? name_field(layer) : ".name = " + c_string(layer.name + "_sum"),
                 ifmap_ofmap_fields(layer, places) + ", " + filter_bias_fields(layer),
                 n_field(layer.input_types.at(0).shape.at(0)) + ".C = " + std::to_string(filter.at(1)) +
                     ", .M = " + std::to_string(filter.at(0)),
                 quant_field(sum, places.rounding)}};
  add_scaling_field(layer, sum, call);
  return call;
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding) {
  return constants_of(std::get<Qlinear>(layer.body).sum);
}

std::shared_ptr<const Tensor> transposed(const Tensor& matrix) {
  const int64_t rows = matrix.type().shape[0], columns = matrix.type().shape[1];
  Tensor result({{columns, rows}, matrix.type().element});
  for (int64_t i = 0; i < rows * columns; ++i) {
    result.values<int8_t>()[static_cast<std::size_t>(i % columns * rows + i / columns)] =
        matrix.values<int8_t>()[static_cast<std::size_t>(i)];
  }
  return std::make_shared<const Tensor>(std::move(result));
}

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const Accumulation& sum = std::get<Qlinear>(layer.body).sum;
  if (sum.rounds_down) {
    return {};
  }
  OnnxCall call(has_biases(sum) ? "com.microsoft.QGemm" : "QLinearMatMul");
  call.reads(0, sum.x).reads("filter", transposed(*sum.weight), sum.w);
  if (has_biases(sum)) {
    call.reads("bias", sum.bias);
  }
  std::vector<OnnxCall> calls{call.quantized(sum.y)};
  if (sum.relu) {
    calls.push_back(onnx_relu(sum.y));
  }
  if (sum.is_bounded()) {
    calls.push_back(onnx_bounds(sum.lowest, sum.highest));
  }
  if (is_rescaled(sum)) {
    calls.push_back(onnx_rescaling(sum));
  }
  return calls;
}

NodeId onnx_end(const Layer& layer, const Graph& body) { return onnx_end_of(std::get<Qlinear>(layer.body).sum, body); }

std::optional<CallText> host_tail(const Layer& layer, const Places& places) {
  return lookup_tail(layer, std::get<Qlinear>(layer.body).sum, places);
}

std::optional<DeviceForm> device_form(const Layer& layer) {
  const Accumulation& sum = std::get<Qlinear>(layer.body).sum;
  DeviceForm form = product_form("qlinear" + suffix_of(sum, false), sum);
  form.pictures = layer.input_types.at(0).shape.at(0);
  return form;
}

}  // namespace in_qlinear

LayerKind qlinear_kind() {
  using namespace in_qlinear;
  return {"qlinear",
          "nn.dense",
          true,
          {bounded_fusion("dla.qlinear_clip"), lookup_fusion("dla.qlinear_lookup"), fusion("dla.qlinear_relu", true),
           fusion("dla.qlinear", false)},
          make,
          "the accelerator has no fully connected layer",
          host_call,
          host_constants,
          onnx_calls,
          accumulates_at_shifts,
          host_tail,
          onnx_end,
          device_form};
}

}  // namespace fovea
