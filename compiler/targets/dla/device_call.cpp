// SPDX-License-Identifier: Apache-2.0
/// \file
/// One command as a call of the runtime, in the paper's letters.
#include "device_call.h"

#include <algorithm>

#include "command/command_text.h"
#include "layers/accumulation.h"

namespace fovea {
namespace {

/// What reports call the command: what follows the multiplication.
std::string operation_of(const Layer& layer, const Accumulation& sum) {
  if (std::holds_alternative<GlobalAvgPool>(layer.body)) {
    return "global_avg_pool";
  }
  if (std::holds_alternative<MaxPool>(layer.body)) {
    return "qconv2d_maxpool";
  }
  if (std::holds_alternative<AvgPool>(layer.body)) {
    return "avgpool";
  }
  if (const auto* binary = std::get_if<Qbinary>(&layer.body)) {
    return binary->relu ? "qadd_relu" : "qadd";
  }
  const auto* conv = std::get_if<Qconv2d>(&layer.body);
  const std::string sum_suffix = conv == nullptr || !conv->residual ? "" : conv->residual->relu ? "_add_relu" : "_add";
  const std::string mean_suffix = conv != nullptr && conv->mean ? "_mean" : "";
  return (conv != nullptr ? "qconv2d" : "qlinear") + suffix_of(sum, conv != nullptr && conv->pool) + sum_suffix +
         mean_suffix;
}

}  // namespace

CallText device_call_text(const Layer& layer, const DlaWork& work, const DeviceCall& call, const Places& places) {
  const Residual* residual = work.residual ? &*work.residual : nullptr;
  return {"dla_run_on_device",
          "dla_device_layer",
          {".operation = " + c_string(operation_of(layer, work.sum)) + ", .name = " + c_string(call.name) +
               (std::holds_alternative<Qlinear>(layer.body) ? ", .is_flat = true" : ""),
           ".ifmap = " + places.arena(layer.inputs.at(work.ifmap)) + ", .ofmap = " + places.arena(layer.output) +
               ", .filter = WEIGHT(" + call.filter + ")" +
               (residual == nullptr ? "" : ", .residual = " + places.arena(layer.inputs.at(1 - work.ifmap))),
           c_initializer(call.shape), c_initializer(call.plan.mapping), c_initializer(call.plan.glb),
           quant_field(work.sum, places.rounding, residual, work.mean ? &*work.mean : nullptr),
           ".predicted_cycles = " + std::to_string(std::min<std::uint64_t>(call.plan.cost.cycles, UINT32_MAX))}};
}

}  // namespace fovea
