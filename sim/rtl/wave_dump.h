// SPDX-License-Identifier: Apache-2.0
/// \file
/// Dumps the waves of a verilated model, where the library was built for it; else nothing, at no cost.
#pragma once

#include "Vdla.h"
#include "common/backend.h"
#include "common/wave_window.h"
#include "wave_groups.h"

#if defined(VM_TRACE_FST)
#include "fst_file.h"
#include "verilated_fst_c.h"
#elif defined(VM_TRACE_VCD)
#include "verilated_vcd_c.h"
#endif

namespace fovea {

#if defined(VM_TRACE_FST) || defined(VM_TRACE_VCD)

#if defined(VM_TRACE_FST)
using TraceFile = VerilatedFstC;
#else
using TraceFile = VerilatedVcdC;
#endif

/// A dump that is open for the backend's life.
class WaveDump {
 public:
  static constexpr bool kRecords = true;

  /// \throws BackendError where the file cannot be written.
  WaveDump(Vdla& top, const BackendOptions& options)
      : path_(options.waves.path),
        views_(wave_views(options.machine.geometry)),
        window_(options.waves, options.machine.geometry.bus_bytes) {
    top.contextp()->traceEverOn(true);
    top.trace(&file_, 99);
    write_gtkw(path_, views_);
    file_.open(options.waves.path.c_str());
    if (!file_.isOpen()) {
      throw BackendError(options.waves.path.string() + ": cannot write the waves");
    }
  }
  ~WaveDump() { file_.close(); }

  void note_layer(const char* name, uint64_t cycle) { window_.note_layer(name, cycle); }

  bool wants_events() const { return window_.wants_events(); }
  void note(const Transaction& event) { window_.note(event); }

  /// Dumps what changed, at `time`, if `cycle` is in the window.
  void sample(uint64_t cycle, uint64_t time) {
    if (window_.contains(cycle)) {
      file_.dump(time);
      is_empty_ = false;
    }
  }

  /// \throws BackendError where nothing was dumped up to `cycle`; no file is left then. And where the disk was full.
  void finish(uint64_t cycle) {
    file_.close();
    if (is_empty_) {
      std::filesystem::remove(path_);
      remove_gtkw(path_, views_);
      throw BackendError(window_.explain_empty(cycle));
    }
#if defined(VM_TRACE_FST)
    if (std::filesystem::is_regular_file(path_) && !is_whole_fst(path_)) {
      throw BackendError(path_.string() + ": not all of it could be written; is the disk full?");
    }
#endif
  }

 private:
  std::filesystem::path path_;
  std::vector<WaveView> views_;
  bool is_empty_ = true;
  WaveWindow window_;
  TraceFile file_;
};

#else

class WaveDump {
 public:
  static constexpr bool kRecords = false;

  WaveDump(Vdla&, const BackendOptions&) {}
  void note_layer(const char*, uint64_t) {}
  static constexpr bool wants_events() { return false; }
  void note(const Transaction&) {}
  void finish(uint64_t) {}
  void sample(uint64_t, uint64_t) {}
};

#endif

}  // namespace fovea
