// SPDX-License-Identifier: Apache-2.0
/// \file
/// Applies rules.
#include "nest_rules.h"

#include "loops/schedule_trace.h"
#include "tensor/error.h"

namespace fovea {

ScheduledNest scheduled(const Nest& nest, const std::vector<NestRule>& rules) {
  ScheduledNest result{nest, {}};
  for (const NestRule& rule : rules) {
    try {
      const std::vector<std::string> steps = rule.steps(result.nest);
      result.nest = apply_trace(result.nest, steps);
      result.trace.insert(result.trace.end(), steps.begin(), steps.end());
    } catch (const UserError&) {  // The nest is as it was.
    }
  }
  return result;
}

Nest scheduled_for_cpu(const Nest& nest, const std::string& layer, const NestTraces& traces, bool has_short_stack) {
  const auto trace = traces.find(layer);
  if (trace == traces.end()) {
    return scheduled(nest, cpu_nest_rules(has_short_stack)).nest;
  }
  try {
    return apply_trace(nest, trace->second);
  } catch (const UserError& error) {
    user_error("schedule of the layer " + layer + ": " + error.what());
  }
}

}  // namespace fovea
