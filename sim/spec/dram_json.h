// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory of a machine file. For sources that include nlohmann/json.hpp anyway.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "dram_preset.h"

namespace fovea {

/// Reads a preset's name, or an object of a preset's numbers, which may name a preset as the "base" for those that it
/// leaves out. What has the numbers of a preset is that preset; another memory is called by a digest of its numbers.
/// \param place  What errors call the machine.   \throws MachineError
DramPreset read_dram(const std::string& place, const nlohmann::json& dram);

}  // namespace fovea
