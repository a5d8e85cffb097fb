// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random layers on model and RTL, one after another.
#ifndef FOVEA_TESTBENCH_LOCKSTEP_LOCKSTEP_LAYERS_H_
#define FOVEA_TESTBENCH_LOCKSTEP_LOCKSTEP_LAYERS_H_

#include <cstdint>

#include "lockstep_bench.h"

namespace fovea {

/// Runs `cases` layers drawn from a seed on both and expects that nothing differs, that outputs are a direct loop
/// nest's and bytes the expected ones; ends at the first layer that fails, and says on one line what ran. Small layers,
/// and one in 20, the third the first of them, of a size that networks' have, at most 5 M MACs.
void expect_lockstep(const LockstepScenario& scenario, uint64_t seed, uint64_t cases);

}  // namespace fovea

#endif  // FOVEA_TESTBENCH_LOCKSTEP_LOCKSTEP_LAYERS_H_
