// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files of schedules: {"layer": ["tile i1 8", ...]}, a trace (loops/schedule_trace.h) for a layer that is loops.
#pragma once

#include <filesystem>

#include "layers/collect_layers.h"
#include "placement.h"
#include "targets/cpu/cpu.h"
#include "targets/target.h"

namespace fovea {

/// The traces of a file; none where its name is "". \throws UserError where it is none.
NestTraces read_schedules(const std::filesystem::path& file);

/// How nests of layers are scheduled: by the traces of the placement's file; by its tuning records, where these have
/// one of this processor and compiler that is faster than the CPU's rules; else by the rules. \throws UserError where a
/// file is none.
NestScheduler read_scheduler(const Placement& placement, const Cpu& cpu);

/// Notes on standard error where all schedules of the records are of other processors or compilers.
/// \throws UserError that names a layer of the file of schedules that the network has no loops for.
void check_schedules(const Placement& placement, const std::string& compiler, const Network& network);

}  // namespace fovea
