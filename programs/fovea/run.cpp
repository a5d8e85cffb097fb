// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea run: compiles a network where that is not done yet, builds its device likewise, runs it, and prints the
/// answer.
#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include "backend_option.h"
#include "baseline.h"
#include "commands/options.h"
#include "derive_shapes.h"
#include "files/file_tree.h"
#include "run_options.h"
#include "store/compiled_network.h"
#include "store/device_library.h"
#include "store/samples.h"
#include "subcommand.h"
#include "tensor/error.h"
#include "test_cpu/host_run.h"
#include "test_dla/device_json.h"
#include "test_dla/host_runs.h"
#include "test_dla/layer_table.h"

namespace fovea {

void add_run_options(CLI::App& app, RunOptions& o) {
  add_model_option(app, o.network.model)->required();
  o.given = add_input_options(app, o.program, "picture,--image");
  add_backend_option(app, "--backend", o.device.backend, "the simulator, or the CPU");
  add_building_options(app, o.network);
  app.add_option("--net", o.net, "The model's compiled network, where fovea.compile made it with targets of your own")
      ->type_name("FOLDER");
  o.device_options_from = app.get_options().size();
  add_device_options(app, o.device);
}

void prepare_run(const CLI::App& app, RunOptions& o) {
  check_input_options(o.program);
  o.network = with_derived_shapes(std::move(o.network), o.program.input_raw, images_of(o.program.image).front());
  NetworkRequest network = settled(o.network);
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
  network.placement.target = is_on_cpu ? "cpu" : "dla";
  network.placement.dram = o.device.dram;
  o.program.model = network.model;
  if (!o.net.empty() && !std::filesystem::exists(o.net / (network.name() + ".json"))) {
    user_error(o.net.string() + ": no compiled " + network.name() +
               " there; give a folder that fovea.compile or fovea compile wrote");
  }
  o.program.net = o.net.empty() ? compiled_network(network, say) : o.net;
  if (!is_on_cpu) {
    BackendOptions options;
    const std::filesystem::path& machine = network.placement.machine;
    o.device.machine = machine;
    options.machine = read_machine(machine);
    options.waves.path = o.device.vcd;
    options.checked = o.device.checked;
    o.device.library_dir = device_library_folder(o.device.backend, machine, options, say);
  }
  if (std::none_of(o.given.begin(), o.given.end(), [](const CLI::Option* option) { return option->count() > 0; })) {
    o.program.samples = samples_file(say);
  }
}

namespace {

/// What a run is held against.
struct BaselineOptions {
  std::filesystem::path path;
  std::string max_cycles = "+0%", max_dram = "+0%";
};

void add_baseline_options(CLI::App& app, BaselineOptions& b) {
  auto* given = app.add_option("--baseline", b.path,
                               "An earlier run's --json, or a report's folder; exit 1 if this run took more")
                    ->type_name("FILE|FOLDER");
  app.add_option("--max-cycles", b.max_cycles, "Most cycles allowed above it")->capture_default_str()->needs(given);
  app.add_option("--max-dram", b.max_dram, "Most DRAM bytes allowed above it")->capture_default_str()->needs(given);
}

/// Only the accelerator's layers are held against a baseline, and those that one process saw.
void check_baseline_options(const BaselineOptions& b, const RunOptions& o) {
  if (!b.path.empty() && o.device.backend == "cpu") {
    throw UsageError("--baseline: only the accelerator has it; leave --backend cpu or this out");
  }
  if (!b.path.empty() && o.program.jobs > 1) {
    throw UsageError("--jobs " + std::to_string(o.program.jobs) + ": --baseline is of one process; leave one out");
  }
}

/// Also what each layer took.
void run_on_cpu(const ProgramOptions& o) {
  std::ostream& out = beside({o.output_raw}, std::cout);
  std::ostringstream answer;
  run_on_host(o, o.json ? answer : out);
  if (o.quiet && !o.json) {
    return;
  }
  const HostTimes times = time_on_host(o.net);
  if (o.json) {
    out << add_host(answer.str(), times);
  } else {
    print_host_table(out, times);
  }
}

}  // namespace

Action describe_run(CLI::App& app) {
  const auto o = std::make_shared<RunOptions>();
  const auto baseline = std::make_shared<BaselineOptions>();
  add_run_options(app, *o);
  add_baseline_options(app, *baseline);
  return [o, baseline, &app] {
    const Allowed allowed{parse_percent("--max-cycles", baseline->max_cycles),
                          parse_percent("--max-dram", baseline->max_dram)};
    check_baseline_options(*baseline, *o);
    const Baseline before = baseline->path.empty() ? Baseline() : read_baseline(baseline->path);
    prepare_run(app, *o);
    if (o->device.backend == "cpu") {
      run_on_cpu(o->program);
      return 0;
    }
    if (baseline->path.empty()) {
      run_on_device(o->program, o->device);
      return 0;
    }
    const MachineFile machine = read_machine(o->device.machine);
    check_conditions(before,
                     conditions_of(CompiledNetwork(o->program.net), machine, memory_of(machine, o->device.dram).name));
    std::ostringstream answer;
    const DeviceRun run = run_on_device(o->program, o->device, o->program.json ? answer : std::cout);
    check_runs(before, run.runs);
    const BaselineComparison comparison = compare_with_baseline(before.layers, layers_taken(run), allowed);
    if (o->program.json) {
      std::cout << add_comparison(answer.str(), comparison, allowed);
    } else {
      print_comparison(comparison, allowed, std::cout);
    }
    return comparison.complaints.empty() ? 0 : 1;
  };
}

}  // namespace fovea
