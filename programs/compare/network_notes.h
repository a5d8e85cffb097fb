// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a compiled network's layers back from the IR that foveac leaves beside its code.
#pragma once

#include <filesystem>
#include <string>

#include "side.h"

namespace fovea {

/// The layers of the network in `folder`, from its ir_after.txt, each with the ONNX nodes that give its output: those
/// whose value has been computed by the same nodes in ir_before.txt, the network as it was imported.
/// \throws UserError naming the file where it is missing or not the one that belongs to its constants.
NetworkNotes read_network_notes(const std::filesystem::path& folder, const std::string& name);

}  // namespace fovea
