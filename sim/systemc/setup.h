// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks a layer command, and says how many cycles the checks take.
#ifndef FOVEA_SIM_SYSTEMC_SETUP_H_
#define FOVEA_SIM_SYSTEMC_SETUP_H_

#include "clock.h"
#include "layer_plan.h"

namespace fovea {

/// What came of the checks.
struct SetupOutcome {
  dla_error cause;  ///< kDlaErrorNone: the layer may run.
  Cycle cycles;     ///< Of the steps up to the one that found the cause, or of all.
};

/// The checks of dla_check_layer(), in the steps of dla_setup: a cycle each, but a division takes kDlaDivisionCycles.
SetupOutcome check_command(const dla_machine& machine, const LayerWords& words);

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_SETUP_H_
