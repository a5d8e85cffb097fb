// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opens, runs, and keeps what the observer saw.
#include "session.h"

#include <string_view>

#include "ir/error.h"

namespace fovea {
namespace {

void check_target(const CompiledNetwork& compiled, const SessionOptions& options) {
  const dla_model& model = compiled.model();
  if (std::string_view(model.target) != "dla") {
    return;
  }
  if (options.backend == "cpu") {
    user_error(compiled.folder().string() + ": compiled for the accelerator; compile it for the CPU (target cpu)");
  }
  const std::string& machine = options.device.machine.name;
  if (model.machine != machine) {
    user_error(compiled.folder().string() + ": compiled for machine " + model.machine + ", not " + machine +
               "; compile it for that one");
  }
}

}  // namespace

Session::Session(const std::filesystem::path& folder, const SessionOptions& options)
    : compiled_(folder), run_info_{options.backend, options.device.dram, options.device.machine} {
  check_target(compiled_, options);
  // Nothing of it would ask the device for anything where it was compiled for the CPU.
  if (options.backend == "cpu" || std::string_view(compiled_.model().target) != "dla") {
    memory_ = std::make_unique<HostMemory>(compiled_.memory_bytes());
  } else {
    BackendOptions device = options.device;
    device.memory_bytes = compiled_.memory_bytes();
    backend_ = open_backend(options.backend, device);
  }
  network_ = std::make_unique<LoadedNetwork>(compiled_, memory_ ? memory_->hal() : backend_->hal());
  if (options.lists) {
    network_->use_lists();
  }
  const auto on_layer = [](void* layers, const dla_layer_record* record) {
    static_cast<std::vector<LayerInfo>*>(layers)->push_back(
        {record->operation, record->name, *record->layer, record->predicted_cycles, record->counters, record->list});
  };
  network_->observe({&layers_, on_layer, nullptr});
}

Session::~Session() = default;

void Session::run(const float* const* inputs, float* const* outputs) {
  layers_.clear();
  network_->run(inputs, outputs);
}

}  // namespace fovea
