// SPDX-License-Identifier: Apache-2.0
/// \file
/// A line on a terminal that says how far a compilation is; nothing in a pipe.
#ifndef FOVEA_COMPILER_PROGRESS_LINE_H_
#define FOVEA_COMPILER_PROGRESS_LINE_H_

#include <string>

namespace fovea {

/// Replaces the line on standard error by `text`; "" takes it away. Silent where standard error is no terminal.
void show_progress(const std::string& text);

}  // namespace fovea

#endif  // FOVEA_COMPILER_PROGRESS_LINE_H_
