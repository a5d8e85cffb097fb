// SPDX-License-Identifier: Apache-2.0
/// \file
/// A user's choice among the passes, and passes and fusions of a user.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "layers/added_fusion.h"

namespace fovea {

/// From which level on a pass runs. No network is compiled without those of kRequired.
enum PassLevel { kRequired = 0, kSimpler = 1, kFaster = 2, kMostLevel = kFaster };

/// What a pass is called, one sentence about it, and its level.
struct PassInfo {
  std::string name, summary;
  int level = kRequired;
};

/// A user's pass. What it makes is verified; it has the inputs and outputs that there were.
struct AddedPass {
  PassInfo info;
  std::string after;  ///< The pass that it runs behind; "import" for the first.
  std::string place;  ///< Where it is written, for messages: "mine.py:12". May be "".
  std::function<Graph(const Graph& graph)> run;
};

/// A pass that has run.
struct PassReport {
  const PassInfo& pass;
  const Graph& graph;        ///< That it made.
  bool changed;              ///< Whether it is another one than there was.
  std::size_t nodes_before;  ///< Of the graph that it took.
  double milliseconds;       ///< Of the pass alone.
};

/// Called after each pass that has run.
using PassListener = std::function<void(const PassReport& report)>;

/// Called for each match of a user's fusion: those that became layers, then those that were left out.
using FusionListener = std::function<void(const FusionReport& report)>;

struct PassContext {
  int level = kMostLevel;             ///< Passes of higher levels don't run.
  std::vector<std::string> required;  ///< Those that run at any level.
  std::vector<std::string> disabled;  ///< Those that don't run.
  std::vector<AddedPass> added;       ///< In the order given where several are behind one pass.
  PassListener on_pass;               ///< May be empty.
  std::vector<AddedFusion> fusions;   ///< In the order in which they are tried.
  FusionListener on_fusion;           ///< May be empty.

  /// Whether a pass is to run.
  bool runs(const PassInfo& pass) const;

  /// By what the compiler's own passes are chosen, for a key; "" where all run.
  std::string choice() const;
};

}  // namespace fovea
