// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs everything up to the plan of the network, and keeps what is refused.
#include "check.h"

#include <map>
#include <sstream>

#include "compile.h"
#include "emit/network_plan.h"
#include "extern_files.h"
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

/// \param why  Of each ONNX node that it computes in float32.
void add_float_in_onnx_runtime(const std::map<std::string, std::string>& why, CheckedNetwork& checked) {
  for (const Layer& layer : checked.network.layers) {
    if (const auto found = why.find(layer.onnx_name);
        found != why.end() && layer.output_type.element != ElementType::kFloat32) {
      checked.float_in_onnx_runtime.push_back({layer.name, layer.onnx_name, found->second});
    }
  }
}

}  // namespace

CheckedNetwork check_network(const NetworkRequest& request) {
  CheckedNetwork checked;
  checked.network.name = request.name();
  try {
    NetworkRequest of_shapes = request;
    of_shapes.import.on_missing_data = [&](const std::string& line) { checked.missing_data = line; };
    EmitOptions options;
    options.rounding = request.placement.rounding;
    std::map<std::string, std::string> why_float;
    of_shapes.import.on_kept_in_float = [&](const std::string& node, const std::string& why) { why_float[node] = why; };
    checked.network = import_layers(of_shapes, options.targets, checked.refusals);
    add_float_in_onnx_runtime(why_float, checked);
    if (checked.refusals.empty()) {
      plan_network(checked.network, options);
      extern_files(checked.network, request.import.externs, options.cpu.compiler);
    }
  } catch (const UserError& error) {
    add_refusals(error, checked);
  }
  return checked;
}

}  // namespace fovea
