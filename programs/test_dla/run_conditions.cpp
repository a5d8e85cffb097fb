// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lists what a run's cycles follow from.
#include "run_conditions.h"

#include <cstdio>

#include "program/network_summary.h"

namespace fovea {
namespace {

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

}  // namespace

RunConditions conditions_of(const CompiledNetwork& network, const MachineFile& machine, const std::string& dram) {
  RunConditions all{{"network", network.model().name},
                    {"MACs", std::to_string(read_summary(network).macs)},
                    {"machine", machine.name}};
  for (const auto& [field, number] : timing_fields(machine)) {
    all.emplace_back("machine's " + field, text_of(number));
  }
  all.emplace_back("DRAM preset", dram);
  return all;
}

}  // namespace fovea
