// SPDX-License-Identifier: Apache-2.0
/// \file
/// What two runs must share so that the cycles of one say something of the other's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/network.h"
#include "spec/machine_json.h"

namespace fovea {

/// Name and value, in a fixed order: of the network its name and MACs, of the machine its name and each number that
/// cycles follow from, and the DRAM preset.
using RunConditions = std::vector<std::pair<std::string, std::string>>;

RunConditions conditions_of(const CompiledNetwork& network, const MachineFile& machine, const std::string& dram);

}  // namespace fovea
