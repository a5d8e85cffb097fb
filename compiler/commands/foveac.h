// SPDX-License-Identifier: Apache-2.0
/// \file
/// foveac: the compiler's commands as a program of their own.
#pragma once

#include "command.h"

namespace fovea {

/// A command of a program.
struct CommandRow {
  const char* name;
  const char* summary;
  Describe* describe;
};

/// foveac's main(): compile, and `rows` as subcommands.
/// \return 0: done; 1: the input can't be used, or a bug; 2: the command line makes no sense.
int run_foveac(int argc, const char* const* argv, const std::vector<CommandRow>& rows);

}  // namespace fovea
