// SPDX-License-Identifier: Apache-2.0
/// \file
/// One command as a call of the runtime, in the paper's letters.
#include "device_call.h"

#include <algorithm>

#include "command/command_text.h"
#include "layers/accumulation.h"

namespace fovea {
namespace {

/// The runtime's function for what follows the multiplication.
std::string function_of(const Layer& layer, const Accumulation& sum) {
  if (std::holds_alternative<GlobalAvgPool>(layer.body)) {
    return "dla_global_avg_pool";
  }
  if (std::holds_alternative<MaxPool>(layer.body)) {
    return "dla_qconv2d_maxpool";
  }
  const auto* conv = std::get_if<Qconv2d>(&layer.body);
  const std::string sum_suffix = conv == nullptr || !conv->residual ? "" : conv->residual->relu ? "_add_relu" : "_add";
  return (conv != nullptr ? "dla_qconv2d" : "dla_qlinear") + suffix_of(sum, conv != nullptr && conv->pool) + sum_suffix;
}

/// What is added behind the multiplication; null where nothing is.
const Residual* residual_of(const Layer& layer) {
  const auto* conv = std::get_if<Qconv2d>(&layer.body);
  return conv == nullptr || !conv->residual ? nullptr : &*conv->residual;
}

}  // namespace

CallText device_call_text(const Layer& layer, const Accumulation& sum, const DeviceCall& call, const Places& places) {
  const Residual* residual = residual_of(layer);
  return {function_of(layer, sum),
          "dla_qconv2d",
          {".name = " + c_string(call.name),
           ".ifmap = " + places.arena(layer.inputs.at(0)) + ", .ofmap = " + places.arena(layer.output) +
               ", .filter = WEIGHT(" + call.filter + ")" +
               (residual == nullptr ? "" : ", .residual = " + places.arena(layer.inputs.at(1))),
           c_initializer(call.shape), c_initializer(call.plan.mapping), c_initializer(call.plan.glb),
           quant_field(sum, places.rounding, residual),
           ".predicted_cycles = " + std::to_string(std::min<std::uint64_t>(call.plan.cost.cycles, UINT32_MAX))}};
}

}  // namespace fovea
