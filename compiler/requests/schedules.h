// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files of schedules: {"layer": ["tile i1 8", ...]}, a trace (loops/schedule_trace.h) for a layer that is loops.
#pragma once

#include <memory>
#include <vector>

#include "layers/collect_layers.h"
#include "loops/intrinsic.h"
#include "placement.h"
#include "targets/cpu/cpu.h"
#include "targets/target.h"
#include "tuning/records.h"

namespace fovea {

/// What a placement's files say of loops.
struct KnownSchedules {
  NestTraces traces;  ///< By layers.
  std::vector<std::shared_ptr<const Intrinsic>> intrinsics;
  std::shared_ptr<const TuningRecords> records;
  Host host;  ///< This processor and the compiler; empty where the records have no schedule.
};

/// \throws UserError where a file is none.
KnownSchedules read_known_schedules(const Placement& placement, const Cpu& cpu);

/// How nests of layers are scheduled: by their traces; by the records, where these have one of this processor and
/// compiler that is faster than the CPU's rules; else by the rules.
NestScheduler make_scheduler(const KnownSchedules& known, const Cpu& cpu);

/// Notes on standard error where all schedules of the records are of other processors or compilers.
/// \throws UserError that names a layer of the file of schedules that the network has no loops for.
void check_schedules(const KnownSchedules& known, const Placement& placement, const Network& network);

}  // namespace fovea
