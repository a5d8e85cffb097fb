// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network and keeps what every layer gives.
#pragma once

#include <filesystem>
#include <string>

#include "side.h"

namespace fovea {

/// Where networks run, and on what.
struct RunPlace {
  std::string backend = "cpu";    ///< "cpu", or one of backend_names(), for networks compiled for the accelerator.
  std::filesystem::path machine;  ///< Machine file; empty: the one that ships under the name in the network.
  std::string input;              ///< As read_port_files() takes it: raw float32, or .npy.
  std::filesystem::path library_dir = {};  ///< BackendOptions has it.
};

/// Runs the network in `folder` once. \param label  What the side is called. \throws UserError for bad input,
/// BackendError and MachineError for the device; std::runtime_error where a layer fails.
Side run_side(const std::filesystem::path& folder, const std::string& label, const RunPlace& place);

}  // namespace fovea
