// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac --tune` and `--records`: what of the command line concerns tuning records.
#pragma once

#include "command_line.h"
#include "layers/layer.h"
#include "mapping/mapper.h"

namespace fovea {

/// A look-up in the file that the command line names, empty where it names none. Notes on standard error where records
/// are of another version of the machine. \throws UserError where the file is not one of records.
Mapper::Recorded find_records(const CommandLine& line, const MachineFile& machine);

/// Measures the best mappings of each device layer that has no record yet, keeps the fastest in the file after each
/// layer, and makes the mapper use them. \throws UserError where a layer can't be measured or the file not be written.
void tune_network(const CommandLine& line, const Network& network, Mapper& mapper);

}  // namespace fovea
