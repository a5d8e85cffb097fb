// SPDX-License-Identifier: Apache-2.0
/// \file
/// Activations one behind another, each at its own scale: quantize(concatenate(dequantize(x), ...)). Those that are
/// written where they belong are not copied.
#include "host_fields.h"
#include "on_integers.h"
#include "ops/channels.h"
#include "ops/operator.h"

namespace fovea {
namespace in_qconcat {

LayerBody make(const Match& match, std::vector<NodeId>& inputs) {
  const Graph& graph = match.graph();
  const Node& concat = match["concat"];
  Qconcat layer;
  layer.axis = read_axis(concat, concat.type.shape);
  for (const NodeId input : concat.inputs) {
    layer.xs.push_back(read_activation(graph, graph[input]));
    inputs.push_back(graph[input].inputs[0]);
  }
  layer.y = read_activation(graph, match["y"]);
  return layer;
}

/// What the constant is called that input i's elements go through; "" where they have the output's scale.
std::string table_name(const Qconcat& concat, std::size_t i) {
  const Quantization &x = concat.xs[i], &y = concat.y;
  const bool is_same = x.scale() == y.scale() && x.zero_point() == y.zero_point();
  return is_same || concat.is_in_place(i) ? "" : "table" + std::to_string(i);
}

CallText host_call(const Layer& layer, const Places& places) {
  const auto& concat = std::get<Qconcat>(layer.body);
  std::vector<std::string> tables;
  for (std::size_t i = 0; i < concat.xs.size(); ++i) {
    tables.push_back(table_name(concat, i));
  }
  return concat_call(layer, places, concat.axis, tables);
}

std::vector<HostConstant> host_constants(const Layer& layer, dla_rounding rounding) {
  const auto& concat = std::get<Qconcat>(layer.body);
  std::vector<HostConstant> tables;
  for (std::size_t i = 0; i < concat.xs.size(); ++i) {
    if (const std::string name = table_name(concat, i); !name.empty()) {
      tables.push_back({name, rescaling_table(concat.xs[i], concat.y, false, rounding)});
    }
  }
  return tables;
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

}  // namespace in_qconcat

LayerKind qconcat_kind() {
  using namespace in_qconcat;
  return {"qconcat",
          "concat",
          true,
          {{"dla.qconcat",
            op("qnn.quantize", {op_of_all("concatenate", activation("x")).as("concat").or_copied()}).as("y")}},
          make,
          "an input of another scale, of another join or of a slice has to be copied",
          host_call,
          host_constants,
          onnx_calls,
          is_at_shifts};
}

}  // namespace fovea
