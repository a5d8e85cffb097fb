// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs everything up to the plan of the network, and keeps what is refused.
#include "check.h"

#include <sstream>

#include "compile.h"
#include "emit/network_plan.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// What concerns the network as a whole, a line each, behind all layers.
void add_refusals(const UserError& error, CheckedNetwork& checked) {
  std::istringstream lines(error.what());
  for (std::string line; std::getline(lines, line);) {
    checked.refusals.push_back({{"", "", line}, checked.network.layers.size(), {}});
  }
}

}  // namespace

CheckedNetwork check_network(const NetworkRequest& request) {
  CheckedNetwork checked;
  checked.network.name = request.name();
  try {
    EmitOptions options;
    options.rounding = request.placement.rounding;
    checked.network = import_layers(request, options.targets, checked.refusals);
    if (checked.refusals.empty()) {
      plan_network(checked.network, options);
    }
  } catch (const UserError& error) {
    add_refusals(error, checked);
  }
  return checked;
}

}  // namespace fovea
