// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend: a simulated device with its DRAM, behind the table of functions that the driver owns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/dla_hal.h"
#include "spec/dram_fault.h"
#include "spec/machine_json.h"
#include "spec/shown_text.h"

namespace fovea {

/// A backend that cannot be opened as asked; what() is one line that names the cause and what would work.
class BackendError : public std::runtime_error {
 public:
  explicit BackendError(const std::string& text) : std::runtime_error(shown_text(text)) {}
};

/// Which waves to dump. A GTKWave save file is written beside them, `<path>.gtkw`.
struct WaveOptions {
  std::filesystem::path path;  ///< Empty: none. The extension chooses the format: .vcd or .fst.
  std::string layer;           ///< Only while the layer of this name runs; empty: always.
  uint64_t from_cycle = 0;  ///< First cycle to dump, counted from the start of `layer`, or from reset if it is empty.
  uint64_t cycles = 0;      ///< How many; 0: up to the end.
  std::string trigger;      ///< Dump from this event on (wave_trigger.h); empty: from `from_cycle` on.
};

/// Which transactions to write as text (transaction_text.h).
struct TransactionOptions {
  std::filesystem::path path;  ///< Empty: none.
  std::string layer;           ///< Only while the layer of this name runs, its cycles counted anew; empty: always.
};

/// What to open.
struct BackendOptions {
  MachineFile machine;
  std::string dram;      ///< For memory_of(): a preset's name, or "" for the machine's own memory.
  DramFault dram_fault;  ///< What goes wrong on its bus.
  WaveOptions waves;
  uint32_t memory_bytes = 256u << 20;  ///< Size of device memory.
  bool log_bus = false;                ///< Log every register access and burst (spdlog, level debug).
  bool checked = false;                ///< RTL with its assertions on; not together with waves.
  TransactionOptions transactions;
  std::filesystem::path timeline;     ///< The same as a timeline (timeline.h); empty: none.
  std::filesystem::path library_dir;  ///< Folder of the machines' libraries; empty: where this build puts them.
  std::function<void(uint64_t cycles)> on_progress;  ///< Called now and then while wait_irq waits; may be empty.
  std::function<bool()> is_stopped;  ///< Asked then; where it says so, wait_irq ends as at its limit. May be empty.
};

/// An open device. One thread; hal() stays valid as long as the object.
class Backend {
 public:
  virtual ~Backend() = default;

  /// The driver's table. Its functions never throw.
  virtual const dla_hal_t& hal() const = 0;

  /// Device cycles simulated since reset, for progress.
  virtual uint64_t cycles() const = 0;

  /// hal().write32 with byte strobes, as no driver would: for tests of the register slave.
  virtual dla_status_t write_strobed(uint32_t offset, uint32_t value, uint32_t strobes) = 0;

  /// Says that the host has run a layer, for timelines. Those of the device are named through hal().note_layer.
  virtual void note_cpu_layer(const char* name) = 0;

  /// Completes what the options asked to be written; without it no transactions are left. Call once, last.
  /// \throws BackendError where something could not be written, or names a layer that has not run.
  virtual void finish() = 0;
};

/// Names that open_backend() knows: the rows of backends.def, in their order.
std::vector<std::string> backend_names();

/// Those of them that write waves of this extension: ".vcd" or ".fst".
std::vector<std::string> backends_with_waves(const std::string& extension);

/// Opens a backend and resets its device.
/// \param name  One of backend_names().
/// \throws BackendError for an unknown name or DRAM preset, a machine without a library, a bad wave path.
std::unique_ptr<Backend> open_backend(const std::string& name, const BackendOptions& options);

}  // namespace fovea
