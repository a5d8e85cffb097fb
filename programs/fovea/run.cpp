// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea run: compiles a network where that is not done yet, builds its device likewise, runs it, and prints the
/// answer.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/backend.h"
#include "files/file_tree.h"
#include "ir/error.h"
#include "run_options.h"
#include "store/compiled_network.h"
#include "store/device_library.h"
#include "store/samples.h"
#include "subcommand.h"
#include "test_cpu/host_run.h"

namespace fovea {

RunOptions::RunOptions() : building("fovea") {}

void add_run_options(CLI::App& app, RunOptions& o) {
  app.add_option("model", o.model, "The network: ONNX, or the text of an IR (.txt, .fovea)")
      ->type_name("FILE")
      ->required();
  std::vector<std::string> places = backend_names();
  places.emplace_back("cpu");
  o.given = add_input_options(app, o.program, "picture,--image");
  app.add_option("--backend", o.device.backend, "what carries the accelerator, or cpu")
      ->check(CLI::IsMember(places))
      ->capture_default_str();
  o.building.add_building(app);
  o.device_options_from = app.get_options().size();
  add_device_options(app, o.device);
}

void prepare_run(const CLI::App& app, RunOptions& o) {
  check_input_options(o.program);
  CommandLine line = o.building.building();
  const bool is_on_cpu = o.device.backend == "cpu";
  const Say say = o.program.quiet ? Say() : Say(say_line);
  if (is_on_cpu) {
    const std::vector<const CLI::Option*> all = app.get_options();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(o.device_options_from);
    const auto given = std::find_if(first, all.end(), [](const CLI::Option* option) { return option->count() > 0; });
    if (given != all.end()) {
      throw UsageError((*given)->get_name() + ": only the accelerator has it; leave --backend cpu or this out");
    }
  }
  line.model = o.model;
  line.target = is_on_cpu ? "cpu" : "dla";
  o.program.model = o.model;
  o.program.net = compiled_network(line, say);
  if (!is_on_cpu) {
    BackendOptions options;
    o.device.machine = line.machine;
    options.machine = read_machine(line.machine);
    options.waves.path = o.device.vcd;
    options.checked = o.device.checked;
    o.device.library_dir = device_library_folder(o.device.backend, line.machine, options, say);
  }
  if (std::none_of(o.given.begin(), o.given.end(), [](const CLI::Option* option) { return option->count() > 0; })) {
    o.program.input = samples_file(say);
  }
}

Action describe_run(CLI::App& app) {
  const auto o = std::make_shared<RunOptions>();
  add_run_options(app, *o);
  return [o, &app] {
    prepare_run(app, *o);
    if (o->device.backend == "cpu") {
      run_on_host(o->program);
    } else {
      run_on_device(o->program, o->device);
    }
    return 0;
  };
}

}  // namespace fovea
