// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps of schedules as text, a line each: "tile i1 8", "reorder i1 i2 k0". A trace is such lines, which can be kept
/// and applied again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nest.h"

namespace fovea {

/// What a step is called with.
struct StepRow {
  std::string_view name;
  std::string_view arguments;  ///< "loop size": what each word is, a number where it is "size" or "parts"; the last,
                               ///< where it is "loops", as many as there are.
  Nest (*apply)(const Nest& nest, const std::vector<std::string>& words);
};

/// All steps, as schedule.h has them.
const std::vector<StepRow>& schedule_steps();

/// A nest after a step. \throws UserError "nest <name>: <step>: <problem>" also where there is no such step.
Nest apply_step(const Nest& nest, const std::string& step);

/// A nest after all of them. \throws UserError that names the step by its number too.
Nest apply_trace(const Nest& nest, const std::vector<std::string>& trace);

}  // namespace fovea
