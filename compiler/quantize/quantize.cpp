// SPDX-License-Identifier: Apache-2.0
/// \file
/// The order of it all.
#include "quantize.h"

#include "calibrate.h"
#include "choose_scales.h"
#include "compare.h"
#include "equalize_layers.h"
#include "hoist_relu.h"
#include "insert_quantization.h"
#include "ir/verify.h"
#include "ops/operator.h"
#include "passes/eliminate_common_subexpressions.h"
#include "passes/eliminate_dead_code.h"
#include "passes/fold_batch_norm.h"
#include "passes/fold_constants.h"
#include "passes/move_layout.h"
#include "passes/remove_redundant_casts.h"
#include "passes/tokens_to_pixels.h"
#include "tensor/error.h"

namespace fovea {
namespace {

void refuse_quantized(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (operation_of(graph[id]).starts_with("qnn.")) {
      user_error(describe(graph, id) + ": the network is quantized already; give the float network");
    }
  }
}

std::vector<QuantizedPart> name_parts(const QuantizedNetwork& network, NodeId id) {
  const Graph& graph = network.graph();
  std::vector<QuantizedPart> parts;
  if (graph[id].kind == NodeKind::kCall) {
    for (const NodeId part : parts_of(graph, network.plan(), id)) {
      parts.push_back({graph[part].origin, std::string(operation_of(graph[part]))});
    }
  }
  return parts;
}

QuantizationReport report_on(const QuantizedNetwork& network, const FloatComparison& comparison,
                             const std::vector<Calibration>& methods, std::size_t inputs) {
  const Graph& graph = network.graph();
  QuantizationReport report;
  report.inputs = inputs;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const NodePlan& plan = network.plan().nodes[id];
    if (plan.scale && (plan.is_on_integers || graph[id].kind == NodeKind::kInput)) {
      report.layers.push_back({describe(graph, id), std::string(operation_of(graph[id])), name_parts(network, id),
                               moves_elements(graph[id]), methods[*plan.scale], network.scales()[*plan.scale],
                               comparison.nodes[id].decibels()});
    }
  }
  for (const FloatNode& node : network.plan().floats) {
    report.floats.push_back({describe(graph, node.id), std::string(operation_of(graph[node.id])), node.why});
  }
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const TensorType& type = graph[graph.outputs()[i]].type;
    report.outputs.push_back({graph.output_names()[i], comparison.outputs[i].noise.decibels(),
                              comparison.outputs[i].same_largest,
                              static_cast<std::size_t>(count_elements(type.shape))});
  }
  return report;
}

Graph equalized(const Graph& network, const std::vector<CalibrationInput>& inputs, const QuantizeOptions& options,
                const SayProgress& progress) {
  const QuantizationPlan plan = plan_quantization(network, options);
  return equalize_layers(network, find_channel_maxima(network, plan, inputs, progress));
}

}  // namespace

Graph simplify_float_network(const Graph& imported) {
  refuse_unsupported(imported);
  refuse_quantized(imported);
  Graph graph = imported;
  for (Graph (*pass)(const Graph&) :
       {fold_constants, remove_redundant_casts, float_tokens_to_pixels, move_layout, eliminate_common_subexpressions,
        fold_batch_norm, hoist_relu, eliminate_dead_code}) {
    graph = pass(graph);
  }
  verify(graph, "simplify_float_network");
  return graph;
}

QuantizationResult quantize_network(const Graph& network, const std::vector<CalibrationInput>& inputs,
                                    const QuantizeOptions& options, const SayProgress& progress) {
  const Graph graph = options.equalizes ? equalized(network, inputs, options, progress) : network;
  const QuantizationPlan plan = plan_quantization(graph, options);
  const std::vector<Histogram> seen = calibrate(graph, plan, inputs, progress);
  QuantizedNetwork quantized(graph, plan, options);
  const std::vector<Calibration> methods = choose_scales(quantized, seen, inputs, options, progress);
  const FloatComparison comparison = compare_with_float(quantized, inputs, options.corrects_bias, progress);
  QuantizationResult result{eliminate_dead_code(insert_quantization(quantized)),
                            report_on(quantized, comparison, methods, inputs.size())};
  verify(result.graph, "quantize_network");
  return result;
}

}  // namespace fovea
