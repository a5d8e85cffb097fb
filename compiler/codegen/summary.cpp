// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers a plan's figures.
#include "summary.h"

#include <nlohmann/json.hpp>

#include "call_json.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

Json tensor_json(const Network& network, TensorId id) {
  const TensorType& type = network.tensors[id].type;
  return {{"type", to_text(type.element)}, {"shape", shape_without_batch(type)}};
}

Json layer_json(const NetworkPlan& plan, const LayerPlan& layer, const EmitOptions& options) {
  const Layer& l = *layer.layer;
  Json json = {{"name", l.name},
               {"composite", l.composite},
               {"onnx", l.onnx_name},
               {"target", to_text(l.target)},
               {"reason", l.reason},
               {"region", l.region},
               {"input", tensor_json(*plan.network, l.input)},
               {"output", tensor_json(*plan.network, l.output)}};
  for (const DeviceCall& call : layer.device_calls) {
    json["calls"].push_back(call_json(options.mapper->machine().geometry, call));
  }
  return json;
}

/// How the inputs of a fully connected layer were factored; a convolution's shape is its own.
std::string describe_factors(const dla_shape& s) {
  return "C=" + std::to_string(s.C) + " R=" + std::to_string(s.R) + " S=" + std::to_string(s.S) + " ";
}

/// A buffer of the arena: written by layer `first`, last read by layer `last`, both counted in "layers".
Json buffer_json(const ArenaBuffer& buffer) {
  return {{"name", buffer.name},
          {"offset", buffer.offset},
          {"bytes", buffer.life.bytes},
          {"first", buffer.life.first},
          {"last", buffer.life.last}};
}

}  // namespace

std::string summarize_as_json(const NetworkPlan& plan, const EmitOptions& options) {
  const Network& network = *plan.network;
  const bool on_device = !plan.machine.empty();
  Json json;
  json["model"] = network.name;
  json["target"] = on_device ? "dla" : "cpu";
  json["machine"] = plan.machine;
  json["mapping"] = on_device ? (options.mapper->mode() == MappingMode::kLab ? "lab" : "search") : "";
  json["rounding"] = options.rounding == kDlaFloor ? "floor" : "nearest_even";
  json["model_key"] = plan.model_key;
  json["input"] = tensor_json(network, network.input);
  json["output"] = tensor_json(network, network.output);
  json["weights_bytes"] = plan.weights.payload().size();
  json["arena_bytes"] = plan.arena_bytes;
  json["naive_arena_bytes"] = plan.naive_arena_bytes;
  json["predicted_cycles"] = summarize(plan).predicted_cycles;
  json["layers"] = Json::array();
  for (const LayerPlan& layer : plan.layers) {
    json["layers"].push_back(layer_json(plan, layer, options));
  }
  json["arena_alignment"] = kArenaAlignment;
  json["arena"] = Json::array();
  for (const ArenaBuffer& buffer : plan.buffers) {
    json["arena"].push_back(buffer_json(buffer));
  }
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

EmitReport summarize(const NetworkPlan& plan) {
  EmitReport report;
  for (const LayerPlan& layer : plan.layers) {
    const Layer& l = *layer.layer;
    EmittedLayer row;
    row.name = l.name;
    row.composite = l.composite;
    row.target = to_text(l.target);
    row.reason = l.reason;
    for (const DeviceCall& call : layer.device_calls) {
      row.mapping = (l.kind == LayerKind::kQlinear ? describe_factors(call.shape) : "") + to_text(call.plan.mapping) +
                    (call.is_recorded ? ", recorded" : "");
      row.predicted_cycles += call.plan.cost.cycles;
      row.dram_bytes += call.plan.cost.dram_bytes.read() + call.plan.cost.dram_bytes.ofmap;
    }
    report.predicted_cycles += row.predicted_cycles;
    report.layers.push_back(std::move(row));
  }
  report.weights_bytes = plan.weights.payload().size();
  report.arena_bytes = plan.arena_bytes;
  report.naive_arena_bytes = plan.naive_arena_bytes;
  return report;
}

}  // namespace fovea
