// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tuning records of a network: what is in the file, and what is measured.
#pragma once

#include "layers/layer.h"
#include "placement.h"

namespace fovea {

/// A look-up in the file of records, empty where there is none. Notes on standard error where records are of another
/// version of the machine. \throws UserError where the file is not one of records.
Mapper::Recorded find_records(const Placement& placement, const MachineFile& machine);

/// Measures the best mappings of each device layer that has no record yet, keeps the fastest in the file after each
/// layer, and makes the mapper use them. \throws UserError where a layer can't be measured or the file not be written.
void tune_network(const NetworkRequest& request, const Network& network, Mapper& mapper);

}  // namespace fovea
