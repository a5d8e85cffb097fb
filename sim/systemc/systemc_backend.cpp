// SPDX-License-Identifier: Apache-2.0
/// \file
/// The SystemC backend: the driver's table of functions over the model, exported as fovea_systemc_open.
#include <algorithm>
#include <fstream>
#include <memory>

#include "common/backend_library.h"
#include "common/bus_log.h"
#include "common/memory_calls.h"
#include "common/transaction_log.h"
#include "device.h"

namespace fovea {

namespace {

/// Cycles between two calls of BackendOptions::on_progress.
constexpr Cycle kProgressCycles = 1u << 18;

/// Cycles that a register access takes on AXI4-Lite: address and data, response, idle.
constexpr Cycle kAccessCycles = 3;

/// Whether a backend is open: the process has one device.
bool device_is_taken = false;

class SystemcBackend final : public Backend, private DeviceObserver {
 public:
  explicit SystemcBackend(const BackendOptions& options)
      : memory_(options.memory_bytes),
        log_(options.log_bus ? std::make_unique<BusLog>(cycles_) : nullptr),
        transactions_(TransactionLog::open(options)),
        device_(Device::instance()),
        on_progress_(options.on_progress),
        is_stopped_(options.is_stopped) {
    device_.restart(options, memory_, *this);
    if (!options.waves.path.empty()) {
      device_.start_waves(options.waves, options.machine.geometry.bus_bytes);
    }
    device_is_taken = true;
    fill_table();
  }

  ~SystemcBackend() override {
    device_.waves().close();
    device_is_taken = false;
  }

  const dla_hal_t& hal() const override { return hal_; }
  uint64_t cycles() const override { return cycles_; }

  void note_cpu_layer(const char* name) override {
    if (transactions_ != nullptr) {
      transactions_->note_cpu_layer(cycles_, name);
    }
  }

  void finish() override {
    if (transactions_ != nullptr) {
      transactions_->finish(cycles_);
    }
    device_.waves().finish(cycles_);
  }

  dla_status_t write_strobed(uint32_t offset, uint32_t value, uint32_t strobes) override {
    const bool is_ok = device_.write(offset, value, strobes);
    return end_access("write", offset, value, is_ok);
  }

 private:
  void note(Cycle cycle, TransactionKind kind, uint32_t number, uint32_t second) override {
    if (transactions_ != nullptr) {
      transactions_->note(cycle, kind, number, second);
    }
    if (device_.waves().wants_events()) {
      device_.waves().note({cycle, kind, number, second});
    }
    if (log_ != nullptr && (kind == TransactionKind::kReadRequest || kind == TransactionKind::kWriteRequest)) {
      cycles_ = cycle;
      log_->log_burst(kind == TransactionKind::kWriteRequest ? "write" : "read", number, second);
    }
  }

  void note_drop(Cycle cycle) override {
    if (transactions_ != nullptr) {
      transactions_->drop_from(cycle);
    }
  }

  static SystemcBackend& self(void* ctx) { return *static_cast<SystemcBackend*>(ctx); }
  static DeviceMemory& memory_of(void* ctx) { return self(ctx).memory_; }

  void fill_table() {
    hal_.ctx = this;
    hal_.read32 = [](void* ctx, uint32_t offset, uint32_t* value) { return self(ctx).read32(offset, value); };
    hal_.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
      return self(ctx).write_strobed(offset, value, 0xf);
    };
    hal_.wait_irq = [](void* ctx, uint64_t max_cycles) { return self(ctx).wait_irq(max_cycles); };
    fill_memory_calls<memory_of>(hal_);
    hal_.note_layer = [](void* ctx, const char* name) { self(ctx).note_layer(name); };
  }

  /// Those of the cycles before this one: no more of them will come.
  void write_transactions() {
    if (transactions_ != nullptr) {
      transactions_->write_before(cycles_);
    }
  }

  dla_status_t end_access(const char* verb, uint32_t offset, uint32_t value, bool is_ok) {
    const dla_status_t status = is_ok ? kDlaOk : kDlaBusError;
    note(cycles_, verb[0] == 'w' ? TransactionKind::kRegisterWrite : TransactionKind::kRegisterRead, offset, value);
    write_transactions();
    device_.run(kAccessCycles - 1);
    cycles_ = device_.cycles();
    if (log_ != nullptr) {
      log_->log_access(verb, offset, value, status);
    }
    device_.run(1);
    cycles_ = device_.cycles();
    return status;
  }

  dla_status_t read32(uint32_t offset, uint32_t* value) {
    const bool is_ok = device_.read(offset, *value);
    return end_access("read", offset, *value, is_ok);
  }

  dla_status_t wait_irq(uint64_t max_cycles) {
    for (uint64_t left = max_cycles; left > 0 && !device_.irq();) {
      const Cycle before = device_.cycles();
      device_.run_to_irq(std::min(left, kProgressCycles));
      left -= device_.cycles() - before;
      cycles_ = device_.cycles();
      if (on_progress_) {
        on_progress_(cycles_);
      }
      if (device_.irq()) {
        note(cycles_ - 1, TransactionKind::kInterrupt, 0, 0);
      }
      write_transactions();
      if (is_stopped_ && is_stopped_()) {
        return kDlaTimeout;
      }
    }
    return device_.irq() ? kDlaOk : kDlaTimeout;
  }

  void note_layer(const char* name) {
    if (transactions_ != nullptr) {
      transactions_->note_layer(cycles_, name);
    }
    if (device_.waves().is_open()) {
      device_.waves().note_layer(name, cycles_);
    }
    if (log_ != nullptr) {
      log_->log_layer(name);
    }
  }

  DeviceMemory memory_;
  uint64_t cycles_ = 0;  ///< Simulated; while the device runs, the cycle of what is being logged.
  std::unique_ptr<BusLog> log_;
  std::unique_ptr<TransactionLog> transactions_;
  Device& device_;
  std::function<void(uint64_t)> on_progress_;
  std::function<bool()> is_stopped_;
  dla_hal_t hal_{};
};

/// \throws BackendError for waves that cannot be dumped as asked.
void check_waves(const WaveOptions& waves) {
  if (waves.path.empty()) {
    return;
  }
  const WaveWindow window(waves);  // Throws for a trigger that there is not, before there is a file.
  if (!std::ofstream(waves.path)) {
    throw BackendError(waves.path.string() + ": cannot be written; name a file in a folder that exists");
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) Backend* fovea_systemc_open(const BackendOptions& options) {
  check_waves(options.waves);
  if (device_is_taken) {
    throw BackendError("the SystemC kernel has one device a process, and it is open; close it first, or use processes");
  }
  try {
    return new SystemcBackend(options);
  } catch (const std::exception& error) {
    throw BackendError(error.what());
  }
}

}  // namespace fovea
