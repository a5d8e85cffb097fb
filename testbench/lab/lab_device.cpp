// SPDX-License-Identifier: Apache-2.0
/// \file
/// The device behind the lab's functions: link this, and unchanged lab code that calls dla_init() finds one.
///
/// The environment chooses what the lab's functions have no argument for: MACHINE (a machine file; the default is the
/// 6 x 8 machine), BACKEND (else the SystemC model), DRAM (else pipelined), and DLA_INFO=1, which makes dla_final()
/// write output/dla_info.csv. What can't be opened is said on standard error, and every device function then returns an
/// error.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/backend.h"
#include "common/dla_info_csv.h"
#include "runtime/lab_host.h"

namespace {

using namespace fovea;

std::string choice(const char* variable, const std::string& otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

/// An open device and what has run on it.
struct LabDevice {
  BackendOptions options;
  std::string backend_name = choice("BACKEND", backend_names().front());
  std::unique_ptr<Backend> backend;
  dla_runtime runtime{};
  std::vector<LayerInfo> layers;

  LabDevice() {
    options.machine = read_machine(choice("MACHINE", DEFAULT_MACHINE_FILE));
    options.dram = choice("DRAM", "");
    backend = open_backend(backend_name, options);
    const dla_status_t status = dla_runtime_open(&runtime, &backend->hal());
    if (status != kDlaOk) {
      throw BackendError(backend_name + ": " + dla_status_text(status));
    }
    runtime.observer.ctx = &layers;
    runtime.observer.on_layer = [](void* ctx, const dla_layer_record* r) {
      static_cast<std::vector<LayerInfo>*>(ctx)->push_back(
          {r->operation, r->name, *r->layer, r->predicted_cycles, r->counters});
    };
  }
};

std::unique_ptr<LabDevice> device;

/// Runs `action` and says on standard error what it throws: C code is waiting for an answer.
template <class Action>
void guarded(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
}

}  // namespace

dla_runtime* dla_lab_open() {
  guarded([] { device = std::make_unique<LabDevice>(); });
  return device == nullptr ? nullptr : &device->runtime;
}

void dla_lab_close() {
  if (device != nullptr && choice("DLA_INFO", "0") == "1") {
    guarded([] {
      write_dla_info("output/dla_info.csv",
                     {device->backend_name, memory_of(device->options.machine, device->options.dram).name,
                      device->options.machine},
                     device->layers);
    });
  }
  device.reset();
}

void dla_lab_forget_layers() {
  if (device != nullptr) {
    device->layers.clear();
  }
}
