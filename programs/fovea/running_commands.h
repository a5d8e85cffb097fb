// SPDX-License-Identifier: Apache-2.0
/// \file
/// The compiler's commands that run networks: foveac and fovea have the same.
#pragma once

#include <filesystem>
#include <string>

#include "compiler/command_line.h"
#include "compiler/foveac.h"
#include "session/session.h"

namespace fovea {

/// A compiled network, and what it runs on.
struct PlacedNetwork {
  std::filesystem::path folder;
  SessionOptions place;
};

/// Compiles the network for the CPU or for the accelerator as `backend` says, where it is not kept yet, and builds the
/// line's machine likewise. \param network  Its file; or a folder, which is a compiled one.
/// \throws UserError, MachineError or BackendError where it can't be read, compiled or built.
PlacedNetwork place_network(const CommandLine& line, const std::filesystem::path& network, const std::string& backend);

int measure_accuracy(const CommandLine& line);
int compare_networks(const CommandLine& line);

inline constexpr RunningCommands kRunning = {measure_accuracy, compare_networks};

}  // namespace fovea
