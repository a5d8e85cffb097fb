// SPDX-License-Identifier: Apache-2.0
/// \file
/// A line on a terminal that says how far a compilation is; nothing in a pipe.
#include "progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace fovea {
namespace {

thread_local std::function<void(const std::string&)> listening;

}  // namespace

ProgressListener::ProgressListener(std::function<void(const std::string&)> listener) {
  listening = std::move(listener);
}

ProgressListener::~ProgressListener() { listening = nullptr; }

void show_progress(const std::string& text) {
  if (listening) {
    if (!text.empty()) {
      listening(text);
    }
    return;
  }
  if (isatty(STDERR_FILENO) == 1) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
  }
}

}  // namespace fovea
