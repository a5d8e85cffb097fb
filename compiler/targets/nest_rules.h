// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a target wants loops: a table of rules, each some steps of a schedule for the nests that it fits.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "loops/nest.h"

namespace fovea {

struct NestRule {
  std::string_view name;
  /// Steps (loops/schedule_trace.h) for the nest; none where the rule does not fit.
  std::vector<std::string> (*steps)(const Nest& nest);
};

struct ScheduledNest {
  Nest nest;
  std::vector<std::string> trace;  ///< The steps that led to it.
};

/// A nest by all rules, one after another; a rule of which a step is refused takes none.
ScheduledNest scheduled(const Nest& nest, const std::vector<NestRule>& rules);

/// Steps of schedules (loops/schedule_trace.h) by the names of layers.
using NestTraces = std::map<std::string, std::vector<std::string>>;

/// A layer's nest for the CPU: by its trace where there is one, else by the CPU's rules. \throws UserError that names
/// the layer and the step where a trace does not fit.
Nest scheduled_for_cpu(const Nest& nest, const std::string& layer, const NestTraces& traces, bool has_short_stack);

/// \name The tables.
/// @{
/// \param has_short_stack  Leaves out arrays of more than a few KiB.
const std::vector<NestRule>& cpu_nest_rules(bool has_short_stack = false);
/// @}

}  // namespace fovea
