// SPDX-License-Identifier: Apache-2.0
/// \file
/// The passes from an imported network to a partitioned one, in the order they run.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "pass_context.h"
#include "spec/dla_requant.h"
#include "targets/target.h"

namespace fovea {

/// What the passes need to know.
struct PipelineOptions {
  std::vector<NamedTarget> targets;         ///< In the order of preference; the last takes every layer.
  std::string stop_after;                   ///< Name of the last pass to run; "" for all of them.
  std::string start_after = {};             ///< Name of a pass that the graph is behind already; "" for none.
  PassContext passes = {};                  ///< Which of them run, and what a user adds.
  dla_rounding rounding = kDlaNearestEven;  ///< Of the network that is compiled.
};

/// The compiler's passes, and those that a user added, in the order that they run; those too that don't.
/// \throws UsageError for a name in the context that is unknown, with what was meant; for an added pass whose name is
/// taken; where what every network needs is disabled; and as check_fusions().
std::vector<PassInfo> list_passes(const PassContext& context = {});

/// UsageError that begins with `argument` where there is no pass of that name.
void check_pass_name(const std::string& argument, const std::string& name, const PassContext& context = {});

/// Runs the passes; the graph is verified after each. UserError where the network can't be compiled, and naming the
/// pass where one that was added breaks the graph. UsageError as list_passes(), and where `stop_after` names no pass.
Graph run_pipeline(const Graph& imported, const PipelineOptions& options);

}  // namespace fovea
