// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shows how far a simulation is.
#include "progress.h"

#include <unistd.h>

#include <cstdio>

namespace fovea {

Progress::Progress(bool is_wanted) : is_on_(is_wanted && isatty(STDERR_FILENO) == 1) {}

void Progress::update(uint64_t cycles) {
  const Clock::time_point now = Clock::now();
  if (!is_on_ || now - last_ < std::chrono::milliseconds(200)) {
    return;
  }
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(cycles) / seconds;
  std::fprintf(stderr, "\r\033[K%s: %.2f M cycles, %.2f M a second", layer_.c_str(), static_cast<double>(cycles) / 1e6,
               rate / 1e6);
  if (expected_ > cycles) {
    std::fprintf(stderr, ", %.0f s left", static_cast<double>(expected_ - cycles) / rate);
  }
  std::fflush(stderr);
  is_shown_ = true;
}

void Progress::clear() {
  if (is_shown_) {
    std::fprintf(stderr, "\r\033[K");
    is_shown_ = false;
  }
}

}  // namespace fovea
