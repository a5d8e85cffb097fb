// SPDX-License-Identifier: Apache-2.0
/// \file
/// Activations one behind another, each at its own scale: quantize(concatenate(dequantize(x), ...)). Those that are
/// written where they belong are not copied.
#include "host_fields.h"
#include "ir/operator.h"
#include "on_integers.h"
#include "ops/channels.h"

namespace fovea {
namespace {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& concat = match["concat"];
  Qconcat layer;
  layer.axis = read_axis(concat, concat.type.shape);
  check_call(layer.axis != 0, concat, "joins batches; the batch is 1: join along another axis");
  for (const NodeId input : concat.inputs) {
    layer.xs.push_back(read_activation(graph, graph[input]));
    inputs.push_back(graph[input].inputs[0]);
  }
  layer.y = read_activation(graph, match["y"]);
  return layer;
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& concat = std::get<Qconcat>(layer.body);
  std::string list;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    list += "\n          {.ifmap = " + places.arena(layer.inputs[i]) +
            ", .run_bytes = " + std::to_string(elements_from(layer.input_types[i].shape, concat.axis)) +
            ", .scale = " + c_float(concat.xs[i].scale()) +
            ", .zero_point = " + std::to_string(concat.xs[i].zero_point()) +
            (concat.is_in_place(i) ? ", .in_place = true" : "") + "},";
  }
  const int64_t runs = elements_before(layer.output_type.shape, concat.axis);
  return {"dla_qconcat_cpu",
          "dla_qconcat_cpu",
          {name_field(layer), ".ofmap = " + places.arena(layer.output), shape_fields(layer.output_type),
           ".runs = " + std::to_string(runs) + ", .inputs = (const struct dla_qconcat_input[]){" + list + "\n      }",
           ".count = " + std::to_string(layer.inputs.size()), quantization_fields("ofmap", concat.y),
           std::string(".rounding = ") + c_rounding(places.rounding)}};
}

std::vector<OnnxCall> onnx_calls(const Layer& layer, const Graph&) {
  const auto& concat = std::get<Qconcat>(layer.body);
  OnnxCall call("com.microsoft.QLinearConcat");
  call.quantized(concat.y).set("axis", static_cast<int64_t>(concat.axis));
  for (std::size_t i = 0; i < concat.xs.size(); ++i) {
    call.reads(i, concat.xs[i]);
  }
  return {call};
}

bool is_at_shifts(const Layer& layer) {
  const auto& concat = std::get<Qconcat>(layer.body);
  return are_powers_of_two(concat.xs) && are_powers_of_two({concat.y});
}

}  // namespace

LayerKind qconcat_kind() {
  return {"qconcat",
          "concat",
          true,
          {{"dla.qconcat",
            op("qnn.quantize", {op_of_all("concatenate", activation("x")).as("concat").or_copied()}).as("y")}},
          make,
          "an input of another scale, of another join or of a slice has to be copied",
          host_call,
          nullptr,
          onnx_calls,
          is_at_shifts};
}

}  // namespace fovea
