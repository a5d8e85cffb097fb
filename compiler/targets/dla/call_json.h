// SPDX-License-Identifier: Apache-2.0
/// \file
/// One device call as JSON, for the summary.
#pragma once

#include <nlohmann/json.hpp>

#include "device_call.h"

namespace fovea {

/// Its shape and mapping in the paper's letters; "array": how often each loop runs and where the PE sets stand; "glb":
/// base and bytes of each region; "accesses": at each level, by tensor; and the predicted cycles, by
/// cause too, and DRAM bytes.
nlohmann::ordered_json call_json(const dla_machine& machine, const DeviceCall& call);

}  // namespace fovea
