// SPDX-License-Identifier: Apache-2.0
/// \file
/// One step of a build by other programs: cmake, ninja.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tensor/error.h"

namespace fovea {

/// Who waits for a step ended it; what is there can be gone on with.
class BuildInterrupted : public UserError {
 public:
  using UserError::UserError;
};

/// Runs a program until it has ended, no longer than `limit`. \param log  A file for all that it says.
/// \param what  What is built, for errors. \param while_running  As of run_child().
/// \throws BuildInterrupted, UserError in one line that names what failed: the cause and the log's name, or the program
/// where it is missing or takes too long.
void run_build_step(const std::vector<std::string>& words, const std::filesystem::path& log, const std::string& what,
                    std::chrono::seconds limit, const std::function<void()>& while_running = {});

}  // namespace fovea
