// SPDX-License-Identifier: Apache-2.0
/// \file
/// The RTL backend: the driver's table of functions over a verilated device, exported as fovea_rtl_open.
#include "common/backend_library.h"
#include "common/memory_calls.h"
#include "verilated_device.h"

namespace fovea {

namespace {

/// The machine this library was verilated for.
constexpr dla_machine kGeometry = {FOVEA_RTL_GEOMETRY};

/// Cycles between two calls of BackendOptions::on_progress.
constexpr uint64_t kProgressCycles = 1u << 16;

class VerilatedBackend final : public Backend {
 public:
  explicit VerilatedBackend(const BackendOptions& options)
      : memory_(options.memory_bytes),
        device_(options, memory_),
        on_progress_(options.on_progress),
        is_stopped_(options.is_stopped) {
    hal_.ctx = this;
    hal_.read32 = [](void* ctx, uint32_t offset, uint32_t* value) {
      return self(ctx).guard([&] { return self(ctx).read32(offset, value); });
    };
    hal_.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
      return self(ctx).write_strobed(offset, value, 0xf);
    };
    hal_.wait_irq = [](void* ctx, uint64_t max_cycles) {
      return self(ctx).guard([&] { return self(ctx).wait_irq(max_cycles); });
    };
    fill_memory_calls<memory_of>(hal_);
    hal_.note_layer = [](void* ctx, const char* name) { self(ctx).device_.note_layer(name); };
  }

  const dla_hal_t& hal() const override { return hal_; }
  uint64_t cycles() const override { return device_.cycles(); }

  void note_cpu_layer(const char* name) override { device_.note_cpu_layer(name); }
  void finish() override { device_.finish(); }

  dla_status_t write_strobed(uint32_t offset, uint32_t value, uint32_t strobes) override {
    return guard([&] {
      device_.note_access(device_.cycles(), true, offset, value);
      const dla_status_t status = registers_.write(offset, value, strobes);
      log_access("write", offset, value, status);
      idle_register_port();
      return status;
    });
  }

 private:
  static VerilatedBackend& self(void* ctx) { return *static_cast<VerilatedBackend*>(ctx); }
  static DeviceMemory& memory_of(void* ctx) { return self(ctx).memory_; }

  /// Runs `access`; once an assertion has failed there is no device any more.
  template <class Access>
  dla_status_t guard(Access access) {
    try {
      return is_broken_ ? kDlaNoDevice : access();
    } catch (const AssertionFailed&) {
      is_broken_ = true;
      return kDlaNoDevice;
    }
  }

  dla_status_t read32(uint32_t offset, uint32_t* value) {
    *value = 0;
    const uint64_t cycle = device_.cycles();
    const dla_status_t status = registers_.read(offset, value);
    device_.note_access(cycle, false, offset, *value);
    log_access("read", offset, *value, status);
    idle_register_port();
    return status;
  }

  void idle_register_port() { device_.run_register_cycle({}); }

  void log_access(const char* verb, uint32_t offset, uint32_t value, dla_status_t status) {
    if (device_.log() != nullptr) {
      device_.log()->log_access(verb, offset, value, status);
    }
  }

  dla_status_t wait_irq(uint64_t max_cycles) {
    for (uint64_t waited = 0; waited < max_cycles && !device_.irq(); ++waited) {
      device_.run_cycle();
      if (waited % kProgressCycles == 0) {
        device_.write_events();
        if (on_progress_) {
          on_progress_(device_.cycles());
        }
        if (is_stopped_ && is_stopped_()) {
          return kDlaTimeout;
        }
      }
      if (device_.irq() && device_.wants_events()) {
        device_.note({device_.cycles() - 1, TransactionKind::kInterrupt});
      }
    }
    return device_.irq() ? kDlaOk : kDlaTimeout;
  }

  DeviceMemory memory_;
  VerilatedDevice device_;
  AxiLiteMaster registers_{[this](const AxiLiteMasterPins& pins) { return device_.run_register_cycle(pins); }};
  std::function<void(uint64_t)> on_progress_;
  std::function<bool()> is_stopped_;
  dla_hal_t hal_{};
  bool is_broken_ = false;
};

bool is_own_machine(const dla_machine& machine) { return std::memcmp(&machine, &kGeometry, sizeof machine) == 0; }

}  // namespace

extern "C" __attribute__((visibility("default"))) Backend* fovea_rtl_open(const BackendOptions& options) {
  if (!is_own_machine(options.machine.geometry)) {
    throw BackendError("the RTL library of machine " + options.machine.name +
                       " was built for another geometry; build the library again");
  }
  if (library_variant(options) != FOVEA_RTL_VARIANT) {
    throw BackendError("the RTL library of machine " + options.machine.name + " is not the variant asked for");
  }
  try {
    return new VerilatedBackend(options);
  } catch (const BackendError&) {
    throw;
  } catch (const std::exception& error) {
    throw BackendError(error.what());
  }
}

}  // namespace fovea
