// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers a plan's figures.
#include "summary.h"

#include "regions.h"
#include "spec/json_file.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

Json tensor_json(const TensorType& type) {
  return {{"type", to_text(type.element)}, {"shape", shape_without_batch(type)}};
}

/// What a layer reads, by the name of who wrote it.
Json input_json(const Network& network, const Layer& layer, std::size_t at) {
  Json json = tensor_json(layer.input_types.at(at));
  json["from"] = network.tensors[layer.inputs.at(at)].name;
  return json;
}

Json inputs_json(const Network& network, const Layer& layer) {
  Json json = Json::array();
  for (std::size_t at = 0; at < layer.inputs.size(); ++at) {
    json.push_back(input_json(network, layer, at));
  }
  return json;
}

Json ends_json(const Network& network, const std::vector<NetworkEnd>& ends) {
  Json json = Json::array();
  for (const NetworkEnd& end : ends) {
    Json tensor = tensor_json(network.tensors[end.tensor].type);
    tensor["name"] = end.name;
    json.push_back(std::move(tensor));
  }
  return json;
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

Json layer_json(const Network& network, const Layer& l) {
  Json json = {{"name", l.name},     {"composite", l.composite}, {"onnx", l.onnx_name},  {"target", l.target},
               {"reason", l.reason}, {"region", l.region},       {"macs", count_macs(l)}};
  if (!l.inputs.empty()) {
    json["input"] = input_json(network, l, 0);
  }
  json["output"] = tensor_json(l.output_type);
  if (is_on_host(network, l)) {
    json["host_bytes"] = count_host_bytes(l);
  }
  if (l.inputs.size() != 1) {
    json["inputs"] = inputs_json(network, l);
  }
  return json;
}

Json regions_json(const Network& network) {
  Json json = Json::array();
  for (const RegionSummary& region : summarize_regions(network)) {
    json.push_back({{"name", region.name},
                    {"target", region.target},
                    {"layers", region.layers},
                    {"macs", region.macs},
                    {"bytes_in", region.bytes_in},
                    {"reasons", region.reasons}});
  }
  return json;
}

std::string summarize_as_json(const NetworkPlan& plan, const EmitOptions& options) {
  const Network& network = *plan.network;
  Json json;
  json["model"] = network.name;
  json["target"] = plan.target;
  json["cpu"] = plan.cpu.name;
  json["machine"] = plan.machine;
  json["mapping"] = plan.mapping_mode;
  json["rounding"] = options.rounding == kDlaFloor ? "floor" : "nearest_even";
  json["model_key"] = plan.model_key;
  if (!network.inputs.empty()) {
    json["input"] = tensor_json(network.tensors[network.inputs[0].tensor].type);
  }
  json["output"] = tensor_json(network.tensors[network.outputs.at(0).tensor].type);
  if (!has_single_ends(network)) {
    json["inputs"] = ends_json(network, network.inputs);
    json["outputs"] = ends_json(network, network.outputs);
  }
  json["batch"] = count_pictures(network);
  json["weights_bytes"] = plan.weights.payload().size();
  json["arena_bytes"] = plan.arena_bytes;
  json["naive_arena_bytes"] = plan.naive_arena_bytes;
  json["predicted_cycles"] = summarize(plan).predicted_cycles;
  json["layers"] = Json::array();
  for (const PlannedLayer& layer : plan.layers) {
    json["layers"].push_back(layer_json(network, *layer.layer));
    if (layer.own_cycles) {
      json["layers"].back()["predicted_cycles"] = *layer.own_cycles;
      json["layers"].back()["host_bytes"] = count_host_bytes(*layer.layer);
    }
    for (const Json& call : layer.json) {
      json["layers"].back()["calls"].push_back(call);
    }
  }
  json["regions"] = regions_json(network);
  if (!plan.on_chip.is_null()) {
    json["on_chip"] = plan.on_chip;
  }
  json["arena_alignment"] = plan.alignment;
  json["arena"] = Json::array();
  for (const ArenaBuffer& buffer : plan.buffers) {
    json["arena"].push_back(buffer_json(buffer));
  }
  return json_text(json);
}

EmitReport summarize(const NetworkPlan& plan) {
  EmitReport report;
  for (const PlannedLayer& layer : plan.layers) {
    const Layer& l = *layer.layer;
    EmittedLayer row;
    row.name = l.name;
    row.composite = l.composite;
    row.target = l.target;
    row.reason = l.reason;
    row.mapping = layer.mapping;
    row.predicted_cycles = layer.own_cycles.value_or(layer.predicted_cycles);
    row.dram_bytes = layer.dram_bytes;
    report.predicted_cycles += layer.predicted_cycles;
    report.layers.push_back(std::move(row));
  }
  report.weights_bytes = plan.weights.payload().size();
  report.arena_bytes = plan.arena_bytes;
  report.naive_arena_bytes = plan.naive_arena_bytes;
  return report;
}

}  // namespace fovea
