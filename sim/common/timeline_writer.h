// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a timeline in Chrome's trace event format, event by event.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>

#include "files/partial_file.h"

namespace fovea {

/// A JSON object with the member `traceEvents`, as ui.perfetto.dev and chrome://tracing open it. Nothing is kept in
/// memory. Times are device cycles; the format's unit is a microsecond, so viewers show one for each cycle.
class TimelineWriter {
 public:
  using Values = std::initializer_list<std::pair<const char*, uint64_t>>;

  /// \throws UserError where the file cannot be written.
  explicit TimelineWriter(const std::filesystem::path& path);

  void name_process(const std::string& name);
  void name_track(uint32_t track, const std::string& name);

  /// The cycles `from` to `to` - 1. Spans of a track are nested or apart.
  void write_span(uint32_t track, const std::string& name, uint64_t from, uint64_t to, Values values = {});

  /// A span whose end is not known yet. One that begins in the same cycle and is written later lies within it.
  void begin_span(uint32_t track, const std::string& name, uint64_t from);

  /// Ends the innermost span of the track that was begun. \param to  The cycle after its last.
  void end_span(uint32_t track, uint64_t to, Values values = {});

  void write_instant(uint32_t track, const std::string& name, uint64_t cycle);

  /// What a counter holds from `cycle` on, a value a series.
  void write_counter(const char* name, uint64_t cycle, Values values);

  /// \throws UserError where not all of it could be written.
  void finish();

 private:
  void write(const std::string& event);

  PartialFile file_;
  bool is_first_ = true;
};

}  // namespace fovea
