// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a machine file: one JSON object with the fields of dla_machine, a name, a clock and energy costs.
#ifndef FOVEA_SIM_SPEC_MACHINE_JSON_H_
#define FOVEA_SIM_SPEC_MACHINE_JSON_H_

#include <filesystem>
#include <stdexcept>
#include <string>

#include "access_energy.h"

namespace fovea {

/// A machine file, read and checked.
struct MachineFile {
  std::string name;
  dla_machine geometry{};
  double clock_mhz = 200;
  EnergyCosts energy;

  AccessEnergy access_energy() const { return price_accesses(energy, geometry); }
};

/// A machine file that cannot be used; what() names the file, the field and what would work.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads `path`. \throws MachineError for a missing, unknown, negative or impossible field.
MachineFile read_machine(const std::filesystem::path& path);

/// The same of a machine file's text. \param place  What errors call it.
MachineFile parse_machine(const std::string& text, const std::string& place);

}  // namespace fovea

#endif  // FOVEA_SIM_SPEC_MACHINE_JSON_H_
