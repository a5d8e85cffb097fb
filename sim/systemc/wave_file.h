// SPDX-License-Identifier: Apache-2.0
/// \file
/// A VCD file that the kernel writes to only while a window of waves is open.
#pragma once

#include <optional>
#include <systemc>

#include "clock.h"
#include "common/wave_window.h"

namespace fovea {

/// The kernel dumps to the files that it knows at the end of every time step, so the file is made known to it when the
/// window opens and taken away when it closes.
class WaveFile : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(WaveFile);
  WaveFile(const sc_core::sc_module_name& name, const Clock& clock);

  /// Begins a file, to which signals can be added. \throws BackendError for options that no window has.
  sc_core::sc_trace_file* open(const WaveOptions& options, uint32_t bus_bytes);

  bool is_open() const { return window_.has_value(); }

  /// \pre is_open().
  void note_layer(const char* name, Cycle now);
  bool wants_events() const { return is_open() && window_->wants_events(); }
  void note(const Transaction& event);

  /// Ends the file, if one is open. \return whether something was dumped.
  bool close();

  /// Ends the file, if one is open. \throws BackendError where nothing was dumped up to `cycle`, and no file is left;
  /// or where not all could be written.
  void finish(Cycle cycle);

 private:
  void follow_window();

  const Clock& clock_;
  WaveOptions options_;
  std::optional<WaveWindow> window_;
  sc_core::sc_trace_file* file_ = nullptr;
  bool is_dumping_ = false, has_dumped_ = false, is_written_ = false;
  sc_core::sc_event changed_;
};

}  // namespace fovea
