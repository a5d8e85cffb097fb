// SPDX-License-Identifier: Apache-2.0
/// \file
/// One command as a call of the runtime, in the paper's letters.
#include "device_call.h"

#include <algorithm>

#include "command/command_text.h"
#include "layers/accumulation.h"
#include "layers/host_fields.h"

namespace fovea {
namespace {

/// A place on chip, or in the arena.
std::string place_of(const std::optional<std::uint32_t>& on_chip, const Places& places, TensorId id) {
  return on_chip ? std::to_string(*on_chip) + "u" : places.arena(id);
}

/// `  static const struct dla_device_layer kLayer_conv1 = {...};`
std::string definition_of(const CallText& call, const std::string& name) {
  std::string text = "  static const struct " + call.type + " kLayer_" + name + " = {\n";
  for (const std::string& field : call.fields) {
    text += "      " + field + ",\n";
  }
  return text + "  };\n";
}

/// A row of the table for each slice.
CallText call_of(const DepthFirst& together) {
  std::string layers, rows;
  for (const std::string& name : together.layers) {
    layers += (layers.empty() ? "&kLayer_" : ", &kLayer_") + name;
  }
  for (std::size_t slice = 0; slice < together.slices(); ++slice) {
    for (const std::vector<std::uint32_t>& of_layer : together.rows) {
      rows += (rows.empty() ? "" : ", ") + std::to_string(of_layer.at(slice));
    }
  }
  return {"dla_run_depth_first",
          "dla_depth_first",
          {".layers = (const struct dla_device_layer *const[]){" + layers + "}",
           ".count = " + std::to_string(together.layers.size()) + ", .slices = " + std::to_string(together.slices()),
           ".rows = (const uint16_t[]){" + rows + "}"}};
}

/// How the ofmap of several pictures is shown.
std::string shown_field(const Layer& layer) {
  return ".shown = {" + shape_fields(layer.output_type) + (layer.has_stacked_output ? ", .is_stacked = true" : "") +
         "}";
}

}  // namespace

void add_calls(const CallText& call, const LayerResidency& where, std::vector<CallText>& calls) {
  if (!where.depth_first) {
    calls.push_back(call);
    return;
  }
  const DepthFirst& together = *where.depth_first;
  calls.push_back({definition_of(call, together.layers.at(where.place)), "", {}});
  if (where.place + 1 == together.layers.size()) {
    calls.push_back(call_of(together));
  }
}

CallText device_call_text(const Layer& layer, const DlaWork& work, const DeviceCall& call, const Places& places) {
  const DeviceForm& form = work.form;
  const Residual* residual = form.residual ? &*form.residual : nullptr;
  CallText text{"dla_run_on_device",
                "dla_device_layer",
                {".operation = " + c_string(form.operation) + ", .name = " + c_string(call.name) +
                     (form.is_product && !form.is_alike ? ", .is_flat = true" : ""),
                 ".ifmap = " + place_of(call.where.ifmap, places, layer.inputs.at(form.ifmap)) + ", .ofmap = " +
                     place_of(call.where.ofmap, places, layer.output) + ", .filter = WEIGHT(" + call.filter + ")" +
                     (residual == nullptr
                          ? ""
                          : ", .residual = " + place_of(call.where.residual, places, layer.inputs.at(1 - form.ifmap))),
                 n_field(static_cast<int64_t>(call.commands)) + c_initializer(call.shape),
                 c_initializer(call.plan.mapping), c_initializer(call.plan.glb),
                 quant_field(form.sum, places.rounding, residual, form.mean ? &*form.mean : nullptr),
                 ".predicted_cycles = " + std::to_string(std::min<std::uint64_t>(call.plan.cost.cycles, UINT32_MAX))}};
  if (layer.output_type.shape[0] != 1) {
    text.fields.push_back(shown_field(layer));
  }
  return text;
}

}  // namespace fovea
