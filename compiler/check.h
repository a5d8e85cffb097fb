// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac check`: what of a network runs where, and what is in the way.
#pragma once

#include <iosfwd>

#include "command_line.h"

namespace fovea {

/// Prints a row a layer, and a row for each thing that can't be compiled; then the regions and the accelerator's share
/// of the MACs; or all of it as one JSON document. Writes no file. \return whether the network compiles.
/// \throws MachineError for the machine file.
bool check_network(const CommandLine& line, std::ostream& out);

}  // namespace fovea
