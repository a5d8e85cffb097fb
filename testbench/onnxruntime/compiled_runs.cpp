// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles networks in processes, and runs them through the driver.
#include "compiled_runs.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "common/backend.h"
#include "common/dla_info_csv.h"
#include "hal/dla_host_memory.h"
#include "program/network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// Nothing is optimized: such a network runs once.
constexpr const char* kCompileC =
    " -std=c11 -O0 -ffreestanding -nostdlib -fPIC -shared -Wall -Wextra -Werror -Isim -Idriver -Idriver/runtime ";

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

/// Runs a shell command. \return all that it printed if it failed, else nothing.
std::string run_command(const std::string& command, const fs::path& log) {
  if (std::system((command + " >" + quoted(log) + " 2>&1").c_str()) == 0) {
    return "";
  }
  std::ostringstream words;
  words << std::ifstream(log).rdbuf();
  return words.str().empty() ? command + " failed" : words.str();
}

std::string compile_network(const CompileJob& job) {
  fs::create_directories(job.folder);
  fs::remove(job.folder / "model.so");
  std::string command =
      quoted(FOVEAC) + " " + quoted(job.model) + " -o " + quoted(job.folder) + " --target " + job.target;
  for (const std::string& option : job.options) {
    command += " " + quoted(fs::path(option));
  }
  const std::string refused = run_command(command, job.folder / "foveac.log");
  return !refused.empty() ? refused
                          : run_command(C_COMPILER + (kCompileC + quoted(job.folder / "model.c")) + " -o " +
                                            quoted(job.folder / "model.so"),
                                        job.folder / "cc.log");
}

/// The inputs' numbers, checked. The only input of a network of one output has no name of its own.
Tensors numbers_of(const std::vector<NamedTensor>& inputs, const LoadedNetwork& network) {
  if (inputs.size() != network.inputs().size()) {
    throw std::runtime_error("takes " + std::to_string(network.inputs().size()) + " inputs, not " +
                             std::to_string(inputs.size()));
  }
  Tensors numbers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = network.inputs()[i];
    const bool is_it = network.model().run != nullptr || port.name == inputs[i].name;
    if (!is_it || port.size() != inputs[i].data.size()) {
      throw std::runtime_error("input " + std::to_string(i) + " is " + port.name + " of " +
                               std::to_string(port.size()) + " numbers, not " + inputs[i].name + " of " +
                               std::to_string(inputs[i].data.size()));
    }
    numbers.push_back(inputs[i].data);
  }
  return numbers;
}

RunResult run(LoadedNetwork& network, const std::vector<NamedTensor>& inputs) {
  RunResult result;
  network.observe({&result,
                   [](void* sum, const dla_layer_record* record) {
                     RunResult& counted = *static_cast<RunResult*>(sum);
                     ++counted.device_layers;
                     counted.dram_bytes += dram_read_bytes(record->counters) + record->counters.write_bytes;
                   },
                   nullptr});
  Tensors numbers = network.run(numbers_of(inputs, network));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Port& port = network.outputs()[i];
    const std::string name = network.model().run != nullptr ? "" : port.name;
    result.outputs.push_back({name, {port.shape.begin(), port.shape.end()}, std::move(numbers[i])});
  }
  return result;
}

/// By a START a layer, and as lists.
RunResult run_on_device(const CompiledNetwork& compiled, const dla_hal_t& hal, const std::vector<NamedTensor>& inputs) {
  const auto run_loaded = [&](bool as_lists) {
    LoadedNetwork network(compiled, hal);
    if (as_lists) {
      network.use_lists();
    }
    return run(network, inputs);
  };
  RunResult result = run_loaded(false);
  const RunResult lists = run_loaded(true);
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (lists.outputs[i].data != result.outputs[i].data) {
      throw std::runtime_error("output " + std::to_string(i) + " is another one where layers run as lists");
    }
  }
  if (lists.device_layers != result.device_layers) {
    throw std::runtime_error("as lists it reports " + std::to_string(lists.device_layers) + " layers, not " +
                             std::to_string(result.device_layers));
  }
  if (lists.dram_bytes != result.dram_bytes) {
    throw std::runtime_error("as lists it moves " + std::to_string(lists.dram_bytes) + " bytes, not " +
                             std::to_string(result.dram_bytes));
  }
  return result;
}

}  // namespace

std::vector<std::string> compile_networks(const std::vector<CompileJob>& jobs) {
  std::vector<std::string> refusals(jobs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      refusals[i] = compile_network(jobs[i]);
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs.size(), std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back(work);
  }
  work();
  workers.clear();
  return refusals;
}

struct HostNetwork::Loaded {
  explicit Loaded(const fs::path& folder)
      : compiled(folder), memory(std::aligned_alloc(DLA_HOST_MEMORY_ALIGN, compiled.memory_bytes()), std::free) {
    const uint32_t bytes = compiled.memory_bytes();
    if (dla_host_memory_open(&host, memory.get(), bytes, &hal) != kDlaOk) {
      throw std::runtime_error("no host memory of " + std::to_string(bytes) + " bytes");
    }
    network.emplace(compiled, hal);
  }

  CompiledNetwork compiled;
  std::unique_ptr<void, void (*)(void*)> memory;
  dla_host_memory host{};
  dla_hal_t hal{};
  std::optional<LoadedNetwork> network;
};

HostNetwork::HostNetwork(const fs::path& folder) : loaded_(std::make_unique<Loaded>(folder)) {}
HostNetwork::~HostNetwork() = default;

RunResult HostNetwork::run(const std::vector<NamedTensor>& inputs) { return fovea::run(*loaded_->network, inputs); }

RunResult run_network(const std::string& place, const fs::path& folder, const std::vector<NamedTensor>& inputs) {
  if (place == "host") {
    return HostNetwork(folder).run(inputs);
  }
  const CompiledNetwork compiled(folder);
  BackendOptions options;
  options.machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  options.checked = place == "rtl";
  options.memory_bytes = compiled.memory_bytes();
  const std::unique_ptr<Backend> device = open_backend(place, options);
  return run_on_device(compiled, device->hal(), inputs);
}

}  // namespace fovea
