// SPDX-License-Identifier: Apache-2.0
/// \file
/// The passes from an imported network to a partitioned one, in the order they run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "spec/dla_requant.h"
#include "targets/target.h"

namespace fovea {

/// What the passes need to know.
struct PipelineOptions {
  std::vector<NamedTarget> targets;  ///< In the order of preference; the last takes every layer.
  std::string stop_after;            ///< Name of the last pass to run; "" for all of them.
  /// Called after each pass with its name, the graph, and whether the pass changed it. May be empty.
  std::function<void(std::string_view pass, const Graph& graph, bool changed)> on_pass;
  dla_rounding rounding = kDlaNearestEven;  ///< Of the network that is compiled.
};

/// Names of the passes, in order, with one sentence each.
struct PassInfo {
  std::string_view name, summary;
};
const std::vector<PassInfo>& list_passes();

/// Runs the passes; the graph is verified after each. UserError where the network can't be compiled, or where
/// `stop_after` names no pass.
Graph run_pipeline(const Graph& imported, const PipelineOptions& options);

}  // namespace fovea
