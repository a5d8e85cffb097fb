// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tuning records of a network: what is in the file, and what is added to it.
#pragma once

#include "layers/layer.h"
#include "placement.h"

namespace fovea {

/// A look-up in the file of records, empty where there is none. Notes on standard error where records are of another
/// version of the machine. \throws UserError where the file is not one of records.
Mapper::Recorded find_records(const Placement& placement, const MachineFile& machine);

/// Ranks the best mappings of each device layer that has no record yet for the request's memory, keeps the best in the
/// file, and makes the mapper use them. \throws UserError where the file can't be written.
void tune_network(const NetworkRequest& request, const Network& network, Mapper& mapper);

}  // namespace fovea
