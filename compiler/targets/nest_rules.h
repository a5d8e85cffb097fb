// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a target wants loops: a table of rules, each some steps of a schedule for the nests that it fits.
#pragma once

#include <string_view>
#include <vector>

#include "loops/nest.h"

namespace fovea {

struct NestRule {
  std::string_view name;
  /// The nest, scheduled by the rule; as it is where the rule does not fit. UserError where a step is refused.
  Nest (*apply)(const Nest& nest);
};

/// A nest by all rules, one after another; a rule of which a step is refused changes nothing.
Nest scheduled(const Nest& nest, const std::vector<NestRule>& rules);

/// \name The tables.
/// @{
const std::vector<NestRule>& cpu_nest_rules();
/// @}

}  // namespace fovea
