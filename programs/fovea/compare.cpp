// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea compare: two runs of a network beside each other, layer by layer, and why the first layer that differs does.
#include <iostream>
#include <optional>

#include "compare/comparison.h"
#include "compare/explanation.h"
#include "compare/layer_dump_reader.h"
#include "compare/print_comparison.h"
#include "compare/run_side.h"
#include "ir/error.h"
#include "running_commands.h"
#include "store/compiled_network.h"

namespace fovea {
namespace {

/// A folder is layers to read, unless it is a compiled network whose code may run.
Side read_side(const CommandLine& line, const CompareSide& side) {
  const std::string name = side.path.string();
  const bool has_code = std::filesystem::exists(side.path / "model.so");
  if (std::filesystem::is_directory(side.path) && !(has_code && (line.compare.runs_code || is_kept(side.path)))) {
    if (has_layer_dump(side.path)) {
      return read_layer_dump(side.path, name);
    }
    user_error(name + (has_code ? ": its code (model.so) may do anything; name the network's file instead, or say "
                                  "--run-code where you trust the folder"
                                : ": neither a compiled network (model.so) nor layers (index.json or .npy files)"));
  }
  const PlacedNetwork placed = place_network(line, side.path, side.backend);
  return run_side(placed.folder, name,
                  {side.backend, line.machine, line.compare.input, placed.place.device.library_dir});
}

}  // namespace

int compare_networks(const CommandLine& line) {
  const CompareOptions& o = line.compare;
  const Side a = read_side(line, o.a), b = read_side(line, o.b);
  const Comparison comparison = compare_sides(a, b, o.tolerance);
  std::optional<Explanation> explanation;
  if (comparison.first) {
    explanation = explain(a, b, comparison, *comparison.first);
  }
  if (line.prints_json) {
    print_comparison_json(a, b, comparison, explanation ? &*explanation : nullptr, std::cout);
  } else {
    print_layers(a, b, comparison, std::cout);
    if (explanation) {
      print_explanation(*explanation, std::cout);
    }
  }
  return o.expects_equal && comparison.first ? 1 : 0;
}

}  // namespace fovea
