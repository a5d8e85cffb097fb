// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shows how far a run is.
#include "progress.h"

#include <unistd.h>

#include <cstdio>

namespace fovea {

namespace {

std::string print(const char* format, auto... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace

Progress::Progress(bool is_wanted) : is_on_(is_wanted && isatty(STDERR_FILENO) == 1), process_(getpid()) {}

/// Whether the last time is a while ago.
bool Progress::is_due() {
  const Clock::time_point now = Clock::now();
  if (!is_on_ || now - last_ < std::chrono::milliseconds(200) || getpid() != process_) {
    return false;
  }
  last_ = now;
  return true;
}

void Progress::show(const std::string& line) {
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  is_shown_ = true;
}

void Progress::update(uint64_t cycles) {
  if (!is_due()) {
    return;
  }
  const double rate = static_cast<double>(cycles) / std::chrono::duration<double>(last_ - begin_).count();
  std::string line = layer_ + print(": %.2f M cycles, %.2f M a second", static_cast<double>(cycles) / 1e6, rate / 1e6);
  if (expected_ > cycles) {
    line += print(", %.0f s left", static_cast<double>(expected_ - cycles) / rate);
  }
  show(line);
}

void Progress::update_pictures(std::size_t done, std::size_t all) {
  if (!is_due()) {
    return;
  }
  std::string line = print("%zu of %zu pictures", done, all);
  if (done > 0) {
    const double seconds = std::chrono::duration<double>(last_ - begin_).count();
    line += print(", %.0f s left", seconds * static_cast<double>(all - done) / static_cast<double>(done));
  }
  show(line);
}

void Progress::clear() {
  if (is_shown_ && getpid() == process_) {
    std::fprintf(stderr, "\r\033[K");
    is_shown_ = false;
  }
}

}  // namespace fovea
