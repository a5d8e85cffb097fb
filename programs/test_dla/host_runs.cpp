// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device that is done before it has begun.
#include "host_runs.h"

#include "program/host_memory.h"
#include "spec/dla_regs.h"

namespace fovea {
namespace {

constexpr std::size_t kRuns = 5;
constexpr double kSecondsAtMost = 1;

dla_status_t read_register(void*, uint32_t offset, uint32_t* value) {
  *value = offset == DLA_STATUS_REG ? DLA_STATUS_DONE_MASK << DLA_STATUS_DONE_LSB : 0;
  return kDlaOk;
}

dla_status_t write_register(void*, uint32_t, uint32_t) { return kDlaOk; }

dla_status_t wait_irq(void*, uint64_t) { return kDlaOk; }

/// The memory of `hal`, and no device.
dla_hal_t without_device(dla_hal_t hal) {
  hal.read32 = read_register;
  hal.write32 = write_register;
  hal.wait_irq = wait_irq;
  hal.note_layer = nullptr;
  return hal;
}

/// What the observer of a run fills.
struct HostWatch {
  HostTimes& times;
  std::string on_device;  ///< The last layer that was.
};

void on_device_layer(void* ctx, const dla_layer_record* record) {
  auto* watch = static_cast<HostWatch*>(ctx);
  watch->on_device = record->name;
  watch->times.resume();
}

void on_host_tensor(void* ctx, const dla_tensor* tensor) {
  auto* watch = static_cast<HostWatch*>(ctx);
  if (watch->on_device != tensor->name) {
    watch->times.finish_layer(tensor->name);
  }
  watch->times.resume();
}

}  // namespace

void repeat_host_layers(LoadedNetwork& network, HostTimes& times) {
  const dla_hal_t hal = without_device(*network.runtime().hal);
  network.runtime().hal = &hal;
  network.runtime().list = nullptr;
  Tensors inputs;
  for (const Port& port : network.inputs()) {
    inputs.emplace_back(port.size());
  }
  HostWatch watch{times, ""};
  network.observe({&watch, on_device_layer, on_host_tensor});
  const double end = seconds_now() + kSecondsAtMost;
  while (times.runs() < kRuns && seconds_now() < end) {
    watch.on_device.clear();
    times.resume();
    network.run(inputs);
    times.finish_run();
  }
  network.observe({});
  network.runtime().hal = nullptr;
}

HostTimes time_on_host(const std::filesystem::path& folder) {
  const CompiledNetwork compiled(folder);
  const HostMemory memory(compiled.memory_bytes());
  LoadedNetwork network(compiled, memory.hal());
  HostTimes times;
  repeat_host_layers(network, times);
  return times;
}

}  // namespace fovea
