// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac machine`: what a machine takes on a chip, and what an access costs on it.
#pragma once

#include <iosfwd>

#include "command_line.h"

namespace fovea {

/// Prints the memories, storage, gates and access energies of the command line's machine, as text or as one JSON
/// object. \throws MachineError
void report_machine(const CommandLine& line, std::ostream& out);

}  // namespace fovea
