// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a machine takes on a chip, and what an access costs on it.
#pragma once

#include <filesystem>
#include <iosfwd>

namespace fovea {

/// Prints the memories, storage, gates and access energies of a machine file, as text or as one JSON object.
/// \throws MachineError
void report_machine(const std::filesystem::path& machine, bool prints_json, std::ostream& out);

}  // namespace fovea
