// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea lockstep: runs a network on every backend, and compares what happens there, event by event.
#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include "commands/options.h"
#include "common/backend.h"
#include "run_options.h"
#include "session/trace_comparison.h"
#include "spec/join_names.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct LockstepOptions {
  RunOptions run;
  fs::path output = "output/lockstep";
  std::vector<fs::path> traces;  ///< To compare instead of running.
};

/// \return whether nothing differs.
bool compare(const Traces& traces, bool prints_json) {
  const TraceComparison comparison = compare_traces(traces);
  (prints_json ? print_traces_json : print_traces)(std::cout, traces, comparison);
  return comparison.are_equal;
}

/// \return the trace of the run on that backend.
fs::path run_on(const std::string& backend, LockstepOptions& o, const CLI::App& app) {
  o.run.device.backend = backend;
  o.run.device.transactions.path = o.output / (backend + ".txt");
  o.run.device.last_layer = o.run.device.transactions.layer;
  prepare_run(app, o.run);
  std::ostringstream answer;  // others print it
  run_on_device(o.run.program, o.run.device, answer);
  return o.run.device.transactions.path;
}

/// Every backend beside the first one, up to the first that differs.
bool run_and_compare(LockstepOptions& o, const CLI::App& app) {
  if (o.run.network.model.empty()) {
    throw UsageError("no network given; fovea lockstep net.onnx --layer conv1 works, and --help shows more");
  }
  std::error_code error;
  fs::create_directories(o.output, error);
  if (error) {
    user_error(o.output.string() + ": " + error.message() + "; name another folder with --output");
  }
  const std::vector<std::string> names = backend_names();
  const fs::path first = run_on(names.front(), o, app);
  return std::all_of(names.begin() + 1, names.end(), [&](const std::string& name) {
    return compare({first, run_on(name, o, app)}, o.run.program.json);
  });
}

}  // namespace

Action describe_lockstep(CLI::App& app) {
  const auto o = std::make_shared<LockstepOptions>();
  CLI::Option* model = add_model_option(app, o->run.network.model);
  app.add_option("--layer", o->run.device.transactions.layer, "Only events of this layer, its cycles from 0")
      ->type_name("NAME");
  o->run.given = add_input_options(app, o->run.program, "picture,--image");
  add_building_options(app, o->run.network);
  add_dram_option(app, o->run.device);
  app.add_option("-o,--output", o->output,
                 "Folder for the events, " + join_names(backend_names(), ".txt and ") + ".txt")
      ->type_name("FOLDER")
      ->capture_default_str();
  app.add_option("--traces", o->traces, "Compare two files that --transactions wrote, and run nothing")
      ->type_name("FILE FILE")
      ->expected(2)
      ->excludes(model);
  return [o, &app] {
    const bool are_equal =
        o->traces.empty() ? run_and_compare(*o, app) : compare({o->traces[0], o->traces[1]}, o->run.program.json);
    return are_equal ? 0 : 1;
  };
}

}  // namespace fovea
