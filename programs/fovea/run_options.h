// SPDX-License-Identifier: Apache-2.0
/// \file
/// What fovea run, and what is like it, is told.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "requests/placement.h"
#include "test_dla/device_run.h"

namespace fovea {

struct RunOptions {
  NetworkRequest network;
  ProgramOptions program;
  DeviceOptions device;                 ///< Its backend is "cpu" for the host.
  std::filesystem::path net;            ///< Folder where the network is compiled already; "" where it isn't.
  std::vector<CLI::Option*> given;      ///< The ways to say what it runs on.
  std::size_t device_options_from = 0;  ///< The app's options from here on are the device's.
};

void add_run_options(CLI::App& app, RunOptions& options);

/// Compiles the network and builds its device where they are not kept yet, and packs the samples where no input is
/// given. \throws UsageError, UserError, MachineError, BackendError.
void prepare_run(const CLI::App& app, RunOptions& options);

}  // namespace fovea
