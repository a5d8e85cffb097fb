// SPDX-License-Identifier: Apache-2.0
/// \file
/// What was compiled and how, as JSON for other programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "network_plan.h"

namespace fovea {

/// <model>.json: network, machine, memory, for each layer its ONNX node, target, reason, tensors and mapping, what
/// stays on chip, and the arena's buffers.
std::string summarize_as_json(const NetworkPlan& plan, const EmitOptions& options);

/// The network's layers without what is planned of them, and its regions.
nlohmann::ordered_json layer_json(const Network& network, const Layer& layer);
nlohmann::ordered_json regions_json(const Network& network);

/// The same for a person.
EmitReport summarize(const NetworkPlan& plan);

}  // namespace fovea
