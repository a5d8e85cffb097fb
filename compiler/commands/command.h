// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands of a program: each describes its options to CLI11, and says what is done once they are parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace fovea {

/// Does what was typed. \return 0: done; 1: the answer is no. \throws UserError, or MachineError, for bad input;
/// UsageError where the words make no sense together.
using Action = std::function<int()>;

/// Describes a command's options to CLI11. \return what is done once they are parsed, which holds them.
using Describe = Action(CLI::App& app);

/// The compiler's, a function each in the file of its name.
Describe describe_check, describe_compile, describe_dataset, describe_export, describe_machine, describe_map,
    describe_quantize, describe_visu;

}  // namespace fovea
