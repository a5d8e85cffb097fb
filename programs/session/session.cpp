// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opens, runs, and keeps what the observer saw.
#include "session.h"

#include <string_view>

#include "tensor/error.h"

namespace fovea {

LayerInfo layer_info(const dla_layer_record& record) {
  return {record.operation, record.name, *record.layer, record.predicted_cycles, record.counters, record.list};
}

void check_machine(const CompiledNetwork& network, const std::string& machine) {
  if (network.model().machine != machine) {
    user_error(network.folder().string() + ": compiled for machine " + network.model().machine + ", not " + machine +
               "; compile it for that one");
  }
}

namespace {

void check_target(const CompiledNetwork& compiled, const SessionOptions& options) {
  if (std::string_view(compiled.model().target) != "dla") {
    return;
  }
  if (options.backend == "cpu") {
    user_error(compiled.folder().string() +
               ": compiled for the accelerator; name a simulator, or compile it for the CPU");
  }
  check_machine(compiled, options.device.machine.name);
}

}  // namespace

Session::Session(const std::filesystem::path& folder, const SessionOptions& options)
    : compiled_(folder),
      run_info_{options.backend, memory_of(options.device.machine, options.device.dram).name, options.device.machine} {
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
  const auto on_layer = [](void* session, const dla_layer_record* record) {
    static_cast<Session*>(session)->layers_.push_back(layer_info(*record));
  };
  has_timeline_ = backend_ && !options.device.timeline.empty();
  network_->observe({this, on_layer, note_tensor});
}

Session::~Session() = default;

void Session::note_tensor(void* session, const dla_tensor* tensor) {
  auto* self = static_cast<Session*>(session);
  if (tensor->target != nullptr) {
    self->target_layers_.push_back({tensor->name, tensor->target, tensor->cycles});
  }
  if (!self->has_timeline_) {
    return;
  }
  // A device layer is reported before its tensor.
  if (self->layers_.empty() || self->layers_.back().name != tensor->name) {
    self->backend_->note_cpu_layer(tensor->name);
  }
}

void Session::run(const float* const* inputs, float* const* outputs) {
  layers_.clear();
  target_layers_.clear();
  network_->run(inputs, outputs);
}

void Session::finish() {
  if (backend_) {
    backend_->finish();
  }
}

}  // namespace fovea
