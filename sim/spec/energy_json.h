// SPDX-License-Identifier: Apache-2.0
/// \file
/// The energies of a machine file, in pJ. For sources that include nlohmann/json.hpp anyway.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "energy_table.h"

namespace fovea {

/// Reads "energy_pj": a table of energy_tables.json, by its name, and what is said beside it. \param place  What errors
/// call the machine.   \throws MachineError where something is bad, or lacks for the machine
EnergyTable read_energy_table(const std::string& place, const nlohmann::json& given, const dla_machine& machine);

/// \throws MachineError where something that the machine accesses is not in the table.
void check_energy_table(const std::string& place, const EnergyTable& table, const dla_machine& machine);

}  // namespace fovea
