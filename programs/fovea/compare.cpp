// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea compare: two runs of a network beside each other, layer by layer, and why the first layer that differs does.
#include <iostream>
#include <memory>
#include <optional>

#include "backend_option.h"
#include "commands/options.h"
#include "compare/comparison.h"
#include "compare/explanation.h"
#include "compare/layer_dump_reader.h"
#include "compare/print_comparison.h"
#include "compare/run_side.h"
#include "derive_shapes.h"
#include "place_network.h"
#include "run_options.h"
#include "store/compiled_network.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// One of the two.
struct CompareSide {
  std::filesystem::path path;   ///< A network, or a folder: a compiled network's or one of layers.
  std::string backend = "cpu";  ///< Where a network runs.
  Exactness exact_to = Exactness::kIntegers;
};

struct CompareOptions {
  CompareSide a, b;
  Placement placement;
  ImportOptions import;
  std::string input;           ///< For networks: a file, or name=file,name2=file.
  double tolerance = 0;        ///< Of the largest of A's tensor.
  bool expects_equal = false;  ///< Exit status 1 where they are not.
  bool runs_code = false;      ///< Of folders that are not in the cache.
  bool prints_json = false;
};

/// A folder is layers to read, unless it is a compiled network whose code may run.
Side read_side(const CompareOptions& o, const CompareSide& side) {
  const std::string name = side.path.string();
  const bool has_code = std::filesystem::exists(side.path / "model.so");
  if (std::filesystem::is_directory(side.path) && !(has_code && (o.runs_code || is_kept(side.path)))) {
    if (has_layer_dump(side.path)) {
      return read_layer_dump(side.path, name);
    }
    user_error(name + (has_code ? ": its code (model.so) may do anything; name the network's file instead, or say "
                                  "--run-code where you trust the folder"
                                : ": neither a compiled network (model.so) nor layers (index.json or .npy files)"));
  }
  ImportOptions import = o.import;
  import.exact_to = side.exact_to;
  const NetworkRequest network = with_derived_shapes({side.path, o.placement, 0, import, {}}, o.input, "");
  const PlacedNetwork placed = place_network(network, side.backend);
  return run_side(placed.folder, name, {side.backend, o.placement.machine, o.input, placed.place.device.library_dir});
}

int compare_and_print(const CompareOptions& o) {
  const Side a = read_side(o, o.a), b = read_side(o, o.b);
  const Comparison comparison = compare_sides(a, b, o.tolerance);
  std::optional<Explanation> explanation;
  if (comparison.first) {
    explanation = explain(a, b, comparison, *comparison.first);
  }
  if (o.prints_json) {
    print_comparison_json(a, b, comparison, explanation ? &*explanation : nullptr, std::cout);
  } else {
    print_layers(a, b, comparison, std::cout);
    if (explanation) {
      print_explanation(*explanation, std::cout);
    }
  }
  return o.expects_equal && comparison.first ? kFailed : kDone;
}

}  // namespace

Action describe_compare(CLI::App& app) {
  const auto kept = std::make_shared<CompareOptions>();
  CompareOptions& o = *kept;
  const std::string side = "a network (ONNX, or an IR), its compiled folder, or a folder of layers";
  app.add_option("a", o.a.path, "One side: " + side)->type_name("FILE|FOLDER")->required();
  app.add_option("b", o.b.path, "The other side")->type_name("FILE|FOLDER")->required();
  app.add_option("--input", o.input, "The networks' input: float32, raw or .npy; of several name=FILE,name2=FILE")
      ->type_name("FILE");
  add_backend_option(app, "--backend-a", o.a.backend, "Where A runs: the CPU or a simulator");
  add_backend_option(app, "--backend-b", o.b.backend, "Where B runs");
  add_shape_option(app, o.import);
  add_batch_option(app, o.import);
  add_extern_option(app, o.import);
  add_exactness_option(app, "--exact-to-a", o.a.exact_to);
  add_exactness_option(app, "--exact-to-b", o.b.exact_to);
  add_machine_option(app, o.placement.machine);
  add_rounding_option(app, o.placement.rounding);
  app.add_option("--tolerance", o.tolerance, "Elements are equal up to this times the largest of A's tensor")
      ->type_name("NUMBER")
      ->check(CLI::NonNegativeNumber.description(""));
  app.add_flag("--run-code", o.runs_code,
               "Run compiled folders outside fovea's cache too; only those you trust, as model.so can do anything");
  app.add_flag("--expect-equal", o.expects_equal, "Exit with 1 where a layer differs");
  add_json_option(app, o.prints_json);
  return [kept] {
    settle_machine(kept->placement.machine);
    return within_memory(kept->a.path, [&] { return compare_and_print(*kept); });
  };
}

}  // namespace fovea
