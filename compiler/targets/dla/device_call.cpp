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
std::string place_of(const std::optional<std::uint32_t>& on_chip, const std::string& in_arena) {
  return on_chip ? std::to_string(*on_chip) + "u" : in_arena;
}

}  // namespace

CallText device_call_text(const Layer& layer, const DlaWork& work, const DeviceCall& call, const Places& places) {
  const DeviceForm& form = work.form;
  const Residual* residual = form.residual ? &*form.residual : nullptr;
  return {"dla_run_on_device",
          "dla_device_layer",
          {".operation = " + c_string(form.operation) + ", .name = " + c_string(call.name) +
               (form.is_product && !form.is_alike ? ", .is_flat = true" : ""),
           ".ifmap = " + place_of(call.where.ifmap, places.arena(layer.inputs.at(form.ifmap))) + ", .ofmap = " +
               place_of(call.where.ofmap, places.arena(layer.output)) + ", .filter = WEIGHT(" + call.filter + ")" +
               (residual == nullptr
                    ? ""
                    : ", .residual = " + place_of(call.where.residual, places.arena(layer.inputs.at(1 - form.ifmap)))),
           n_field(form.pictures) + c_initializer(call.shape), c_initializer(call.plan.mapping),
           c_initializer(call.plan.glb),
           quant_field(form.sum, places.rounding, residual, form.mean ? &*form.mean : nullptr),
           ".predicted_cycles = " + std::to_string(std::min<std::uint64_t>(call.plan.cost.cycles, UINT32_MAX))}};
}

}  // namespace fovea
