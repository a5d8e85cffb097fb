// SPDX-License-Identifier: Apache-2.0
/// \file
/// A line on a terminal that says how far a compilation is; nothing in a pipe.
#pragma once

#include <functional>
#include <string>

namespace fovea {

/// Replaces the line on standard error by `text`; "" takes it away. Silent where standard error is no terminal.
void show_progress(const std::string& text);

/// While it lives, what this thread shows goes to a function instead, but for "". It may throw, which ends what shows
/// it.
class ProgressListener {
 public:
  explicit ProgressListener(std::function<void(const std::string& text)> listener);
  ~ProgressListener();
  ProgressListener(const ProgressListener&) = delete;
  ProgressListener& operator=(const ProgressListener&) = delete;
};

}  // namespace fovea
