// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network, compiled and with a device to run on.
#pragma once

#include <filesystem>
#include <string>

#include "requests/placement.h"
#include "session/session.h"

namespace fovea {

/// A compiled network, and what it runs on.
struct PlacedNetwork {
  std::filesystem::path folder;
  SessionOptions place;
};

/// Compiles the network for the CPU or for the accelerator as `backend` says, where it is not kept yet, and builds the
/// machine likewise. \param network  Its model may be a folder, which is a compiled one.
/// \throws UserError, MachineError or BackendError where it can't be read, compiled or built.
PlacedNetwork place_network(NetworkRequest network, const std::string& backend);

}  // namespace fovea
