// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac map`: the mappings of layers, compared.
#pragma once

#include <iosfwd>

#include "command_line.h"

namespace fovea {

/// Prints the best mappings of the layers that the command line names, as text or as one JSON document, or the loop
/// nest of the best one.
/// \throws UserError where a layer is not there, or no mapping fits it; MachineError for the machine file.
void map_layers(const CommandLine& line, std::ostream& out);

}  // namespace fovea
