// SPDX-License-Identifier: Apache-2.0
/// \file
/// A line on a terminal that says how far a compilation is; nothing in a pipe.
#include "progress_line.h"

#include <unistd.h>

#include <cstdio>

namespace fovea {

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) == 1) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
  }
}

}  // namespace fovea
