// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files of schedules: {"layer": ["tile i1 8", ...]}, a trace (loops/schedule_trace.h) for a layer that is loops.
#pragma once

#include <filesystem>

#include "layers/collect_layers.h"
#include "targets/nest_rules.h"

namespace fovea {

/// The traces of a file; none where its name is "". \throws UserError where it is none.
NestTraces read_schedules(const std::filesystem::path& file);

/// \throws UserError that names a layer of the file that the network has no loops for.
void check_schedules(const std::filesystem::path& file, const Network& network);

}  // namespace fovea
