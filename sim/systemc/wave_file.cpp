// SPDX-License-Identifier: Apache-2.0
/// \file
/// A VCD file that the kernel writes to only while a window of waves is open.
#include "wave_file.h"

#include <sysc/tracing/sc_tracing_ids.h>

#include <fstream>
#include <string>

#include "wave_views.h"

namespace fovea {

namespace {

/// Where the last time stamp begins: the kernel ends a file with the time at which it is closed, with nothing after it.
/// Nothing where that is not so: it could not write all, which it does not say.
std::optional<uintmax_t> find_last_time(const std::filesystem::path& path) {
  constexpr std::streamoff kLongestLine = 64;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg(), from = size > kLongestLine ? size - kLongestLine : 0;
  if (size < 0) {
    return std::nullopt;
  }
  file.seekg(from);
  std::string tail(static_cast<size_t>(size - from), ' ');
  file.read(tail.data(), size - from);
  const size_t stamp = tail.rfind("\n#");
  const bool is_whole = file && stamp != std::string::npos && tail.find('\n', stamp + 1) == tail.size() - 1;
  return is_whole ? std::optional(static_cast<uintmax_t>(from) + stamp + 1) : std::nullopt;
}

}  // namespace

WaveFile::WaveFile(const sc_core::sc_module_name& name, const Clock& clock) : sc_module(name), clock_(clock) {
  SC_METHOD(follow_window);
  sensitive << changed_;
  dont_initialize();
  // finish() has a clearer word for it.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_TRACING_CLOSE_EMPTY_FILE_, sc_core::SC_DO_NOTHING);
}

sc_core::sc_trace_file* WaveFile::open(const WaveOptions& options, uint32_t bus_bytes) {
  write_gtkw(options.path, model_wave_views());
  window_.emplace(options, bus_bytes);
  options_ = options;
  // The kernel adds the extension.
  file_ = sc_core::sc_create_vcd_trace_file((options.path.parent_path() / options.path.stem()).c_str());
  file_->set_time_unit(1, sc_core::SC_PS);
  sc_core::sc_get_curr_simcontext()->remove_trace_file(file_);
  is_dumping_ = has_dumped_ = false;
  changed_.notify(sc_core::SC_ZERO_TIME);
  return file_;
}

void WaveFile::note_layer(const char* name, Cycle now) {
  window_->note_layer(name, now);
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void WaveFile::note(const Transaction& event) {
  window_->note(event);
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void WaveFile::follow_window() {
  if (!is_open()) {
    return;
  }
  const Cycle now = clock_.now();
  const bool dumps = window_->contains(now);
  if (dumps != is_dumping_) {
    sc_core::sc_simcontext* kernel = sc_core::sc_get_curr_simcontext();
    dumps ? kernel->add_trace_file(file_) : kernel->remove_trace_file(file_);
  }
  is_dumping_ = dumps;
  has_dumped_ = has_dumped_ || dumps;
  const Cycle next = window_->next_change(now);
  if (next != kNever) {
    changed_.notify(clock_.duration(next - now));
  }
}

bool WaveFile::close() {
  if (is_open()) {
    if (!is_dumping_) {
      // It can only close files that it knows.
      sc_core::sc_get_curr_simcontext()->add_trace_file(file_);
    }
    sc_core::sc_close_vcd_trace_file(file_);
    const std::optional<uintmax_t> last_time = find_last_time(options_.path);
    is_written_ = last_time || !std::filesystem::is_regular_file(options_.path);
    if (!is_dumping_ && has_dumped_ && last_time) {
      std::filesystem::resize_file(options_.path, *last_time);
    }
    changed_.cancel();
    window_.reset();
  }
  return has_dumped_;
}

void WaveFile::finish(Cycle cycle) {
  if (!is_open()) {
    return;
  }
  const std::string problem = window_->explain_empty(cycle);
  if (!close()) {
    std::filesystem::remove(options_.path);
    remove_gtkw(options_.path, model_wave_views());
    throw BackendError(problem);
  }
  if (!is_written_) {
    throw BackendError(options_.path.string() + ": not all of it could be written; is the disk full?");
  }
}

}  // namespace fovea
