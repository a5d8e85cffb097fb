// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network on a simulated device.
#include "device_run.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "common/backend.h"
#include "common/dla_info_csv.h"
#include "device_json.h"
#include "files/output_folder.h"
#include "host_runs.h"
#include "layer_table.h"
#include "program/layer_dump.h"
#include "program/network_summary.h"
#include "program/progress.h"
#include "session/session.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// What the observer of a run fills.
struct Watch {
  Backend& backend;
  std::vector<LayerInfo> layers;
  std::optional<LayerDump> dump;
  HostTimes times;
  std::vector<HostLayer> on_host;  ///< What the compiler says of them.
  std::string last_layer;          ///< The run ends behind it.
  bool& is_over;
};

void add_cpu_layer(Watch& watch, const dla_tensor& tensor) {
  const auto found = std::find_if(watch.on_host.begin(), watch.on_host.end(),
                                  [&](const HostLayer& layer) { return layer.name == tensor.name; });
  if (found != watch.on_host.end()) {
    CpuWork work{.macs = found->macs, .bytes = found->bytes};
    if (tensor.target != nullptr) {
      work.target = tensor.target;
      work.cycles = tensor.cycles;
    }
    watch.layers.push_back({.operation = found->composite, .name = tensor.name, .on_cpu = work});
  }
}

void on_layer(void* ctx, const dla_layer_record* record) {
  auto* watch = static_cast<Watch*>(ctx);
  watch->layers.push_back(layer_info(*record));
  watch->is_over = watch->is_over || record->name == watch->last_layer;
  watch->times.resume();
}

void on_tensor(void* ctx, const dla_tensor* tensor) {
  auto* watch = static_cast<Watch*>(ctx);
  // A device layer is reported before its tensor.
  const bool is_devices =
      !watch->layers.empty() && !watch->layers.back().on_cpu && watch->layers.back().name == tensor->name;
  if (!is_devices) {
    watch->times.finish_layer(tensor->name);
    watch->backend.note_cpu_layer(tensor->name);
    add_cpu_layer(*watch, *tensor);
  }
  if (watch->dump) {
    watch->dump->write(*tensor);
  }
  watch->times.resume();
}

/// A HAL that tells the progress line which layer runs, then does what the backend's does.
struct NotingHal {
  explicit NotingHal(const dla_hal_t& backend, Progress& line) : inner(backend), progress(line), hal(backend) {
    hal.note_layer = [](void* ctx, const char* name) { current->note(ctx, name); };
    current = this;
  }
  void note(void* ctx, const char* name) {
    progress.start_layer(name);
    if (inner.note_layer != nullptr) {
      inner.note_layer(ctx, name);
    }
  }
  dla_hal_t inner;
  Progress& progress;
  dla_hal_t hal;
  static inline NotingHal* current = nullptr;  // The table has one context, and it is the backend's.
};

BackendOptions backend_options(const DeviceOptions& device, const CompiledNetwork& compiled) {
  for (const std::filesystem::path& file : {device.vcd, device.trace, device.transactions.path}) {
    make_folder(file.parent_path());
  }
  BackendOptions options;
  options.machine = read_machine(device.machine);
  options.dram = memory_of(options.machine, device.dram).name;
  options.waves = {device.vcd, device.vcd_layer, device.vcd_from, device.vcd_cycles, device.vcd_trigger};
  options.memory_bytes = compiled.memory_bytes();
  options.timeline = device.trace;
  options.transactions = device.transactions;
  options.log_bus = device.debug;
  options.checked = device.checked;
  options.library_dir = device.library_dir;
  return options;
}

/// A network whose layers all fell back to the CPU has no machine; it runs, and the user is told.
void check_target(const ProgramOptions& options, const CompiledNetwork& compiled, const MachineFile& machine) {
  if (std::string_view(compiled.model().target) != "dla") {
    if (!options.quiet) {
      std::cerr << (options.model.empty() ? options.net : options.model).string()
                << ": no layer runs on the accelerator; `fovea check` lists the reasons, and `fovea quantize` "
                   "quantizes float networks\n";
    }
  } else {
    check_machine(compiled, machine.name);
  }
}

/// Runs the network. Where that fails, waves and traces are completed all the same: they show why.
Tensors run_once(LoadedNetwork& network, Backend& backend, const Tensors& inputs) {
  try {
    return network.run(inputs);
  } catch (const std::runtime_error&) {
    try {
      backend.finish();
    } catch (const std::runtime_error&) {
      // What made the run fail is to be said first, and only that.
    }
    throw;
  }
}

/// What a run writes while it goes on is written by one process.
void check_jobs(const ProgramOptions& options, const DeviceOptions& device) {
  const std::pair<const char*, bool> written[] = {
      {"--info", !device.info.empty()},   {"--vcd", !device.vcd.empty()},
      {"--trace", !device.trace.empty()}, {"--transactions", !device.transactions.path.empty()},
      {"--debug", device.debug},          {"--host-times", device.host_times}};
  for (const auto& [name, is_given] : written) {
    if (options.jobs > 1 && is_given) {
      throw UsageError("--jobs " + std::to_string(options.jobs) + ": " + name +
                       " is written by one process; leave one out");
    }
  }
}

/// What looks at one layer can't look at one of a list.
void check_lists(const ProgramOptions& options, const DeviceOptions& device) {
  const std::pair<const char*, bool> looks[] = {{"--dump-layers", !options.dump_layers.empty()},
                                                {"--vcd-layer", !device.vcd_layer.empty()},
                                                {"--transactions-layer", !device.transactions.layer.empty()}};
  for (const auto& [name, is_given] : looks) {
    if (device.lists && is_given) {
      throw UsageError(std::string("--lists: ") + name + " needs a START a layer; leave one out");
    }
  }
}

/// The table, for a person.
void print_layers(const ProgramOptions& options, const DeviceOptions& device, const DeviceRun& run, std::ostream& out) {
  if (options.quiet || run.layers.empty()) {
    return;
  }
  print_layer_table(out, run.layers, run.info.machine, run.figures, run.pictures / run.runs, run.pictures);
  if (!device.info.empty()) {
    out << "written to " << device.info.string() << "\n";
  }
}

}  // namespace

DeviceRun run_on_device(const ProgramOptions& options, const DeviceOptions& device, std::ostream& given) {
  std::ostream& out = beside({options.output_raw, device.info, device.trace, device.transactions.path}, given);
  check_jobs(options, device);
  check_lists(options, device);
  if (device.host_times && !options.json) {
    throw UsageError("--host-times: its times are told in JSON; give --json too");
  }
  if (device.debug) {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("fovea"));
    spdlog::set_level(spdlog::level::debug);
  }
  const CompiledNetwork compiled(options.net);
  const NetworkSummary summary = read_summary(compiled);
  Progress progress(!options.quiet && !device.debug);
  BackendOptions opened = backend_options(device, compiled);
  check_target(options, compiled, opened.machine);
  progress.expect(options.full ? 0 : summary.predicted_cycles);
  opened.on_progress = [&](uint64_t cycles) { progress.update(cycles); };
  bool is_over = false;
  opened.is_stopped = [&] { return is_over; };
  const std::unique_ptr<Backend> backend = open_backend(device.backend, opened);
  const NotingHal noting(backend->hal(), progress);
  LoadedNetwork network(compiled, noting.hal);

  const bool is_one_picture = summary.batch == 1 && !options.full && options.pictures.empty();
  Watch watch{*backend, {}, {}, HostTimes(), summary.on_host, is_one_picture ? device.last_layer : "", is_over};
  if (!options.dump_layers.empty()) {
    watch.dump.emplace(options.dump_layers);
  }
  if (device.lists) {
    network.use_lists();
  }
  network.observe({&watch, on_layer, on_tensor});
  std::ostringstream answer;
  try {
    run_program(
        options, network,
        [&](const Tensors& inputs) {
          watch.times.resume();
          Tensors outputs = run_once(network, *backend, inputs);
          watch.times.finish_run();
          progress.clear();
          return outputs;
        },
        progress, options.json ? answer : out);
  } catch (const std::runtime_error&) {
    if (!is_over) {
      throw;
    }
    progress.clear();
    return {{device.backend, opened.dram, opened.machine}, {}, 0, std::move(watch.layers)};
  }
  backend->finish();
  if (watch.dump) {
    watch.dump->finish();
  }
  DeviceRun done{{device.backend, opened.dram, opened.machine},
                 conditions_of(compiled, opened.machine, opened.dram),
                 watch.times.runs(),
                 std::move(watch.layers)};
  done.pictures = done.runs * summary.batch;
  done.figures = figures_of(done.layers, opened.machine, summary, done.pictures);
  if (!device.info.empty()) {
    write_dla_info(device.info, done.info, done.layers);
  }
  if (options.json) {
    const std::string whole = done.layers.empty() ? answer.str() : add_cpu(add_device(answer.str(), done), done);
    if (device.host_times) {
      repeat_host_layers(network, watch.times);
    }
    out << (device.host_times ? add_host(whole, watch.times) : whole);
  } else {
    print_layers(options, device, done, out);
  }
  return done;
}

}  // namespace fovea
