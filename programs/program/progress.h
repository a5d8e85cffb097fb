// SPDX-License-Identifier: Apache-2.0
/// \file
/// A line on a terminal that says how far a run is; nothing in a pipe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace fovea {

/// Layer, cycles, cycles a second, and the time left where the length of the run is known; or pictures, where several
/// processes work on them. Writes to standard error, and only in the process that made it.
class Progress {
 public:
  /// \param is_wanted  False: silent. It is also silent where standard error is no terminal.
  explicit Progress(bool is_wanted);
  ~Progress() { clear(); }

  void start_layer(const std::string& name) { layer_ = name; }

  /// Cycles that the whole run is expected to take; 0 if nobody knows.
  void expect(uint64_t cycles) { expected_ = cycles; }

  /// Shows the line again if the last time is a while ago.
  void update(uint64_t cycles);

  /// Shows how many of the pictures are done.
  void update_pictures(std::size_t done, std::size_t all);

  /// Takes the line away.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due();
  void show(const std::string& line);

  bool is_on_;
  int process_;
  bool is_shown_ = false;
  uint64_t expected_ = 0;
  std::string layer_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace fovea
