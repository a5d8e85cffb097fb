// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device call's shape, mapping, array, GLB and prices.
#include "call_json.h"

#include "array_layout.h"
#include "command/command_json.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

/// What follows from a mapping: how often each loop runs, and where its PE sets stand.
Json array_json(const dla_machine& machine, const DeviceCall& call) {
  const dla_passes passes = dla_derive_passes(&machine, &call.shape, &call.plan.mapping);
  Json json = {{"E", passes.E},
               {"F", passes.F},
               {"folds", passes.folds},
               {"fold_rows", passes.fold_rows},
               {"e_tiles", passes.e_tiles},
               {"m_tiles", passes.m_tiles},
               {"c_chunks", passes.c_chunks},
               {"sets", Json::array()}};
  for (const PeSet& set : place_sets(machine, call.shape, call.plan.mapping)) {
    json["sets"].push_back(
        {{"row", set.row}, {"col", set.col}, {"filter_set", set.filter_set}, {"channel_set", set.channel_set}});
  }
  return json;
}

Json causes_json(const CyclesByCause& causes) {
  return {{"compute", causes.compute}, {"psum", causes.psum},     {"filter", causes.filter},  {"ifmap", causes.ifmap},
          {"dram", causes.dram},       {"output", causes.output}, {"control", causes.control}};
}

Json tensors_json(const TensorCounts& counts) {
  Json json = {{"ifmap", counts.ifmap}, {"filter", counts.filter}, {"psum", counts.psum}, {"output", counts.ofmap}};
  if (counts.residual != 0) {
    json["residual"] = counts.residual;
  }
  return json;
}

Json accesses_json(const AccessCounts& counts) {
  return {{"mac", counts.macs},
          {"spad", tensors_json(counts.spad)},
          {"pe", tensors_json(counts.pe)},
          {"glb_reads", tensors_json(counts.glb_reads)},
          {"glb_writes", tensors_json(counts.glb_writes)}};
}

}  // namespace

Json call_json(const dla_machine& machine, const DeviceCall& call) {
  Json json;
  json["name"] = call.name;
  json["filter"] = call.filter;
  if (call.commands != 1) {
    json["commands"] = call.commands;
  }
  json["shape"] = to_json(call.shape);
  json["mapping"] = to_json(call.plan.mapping);
  json["array"] = array_json(machine, call);
  json["glb"] = to_json(call.plan.glb);
  json["accesses"] = accesses_json(call.plan.accesses);
  json["mapping_is_recorded"] = call.is_recorded;
  if (const DepthFirst* together = call.where.depth_first.get(); together != nullptr) {
    json["depth_first"] = {{"layers", together->layers}, {"rows", together->rows.at(call.where.place)}};
  }
  json["predicted_cycles"] = call.plan.cost.cycles;
  json["predicted_causes"] = causes_json(call.plan.cost.causes);
  json["predicted_dram_read_bytes"] = call.plan.cost.dram_bytes.read();
  json["predicted_dram_write_bytes"] = call.plan.cost.dram_bytes.ofmap;
  return json;
}

}  // namespace fovea
