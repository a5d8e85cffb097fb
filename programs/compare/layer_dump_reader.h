// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the layers that a runtime has left in a folder.
#pragma once

#include <filesystem>
#include <string>

#include "side.h"

namespace fovea {

/// Reads a folder of tensors: with an index.json, as DUMP_LAYERS writes it, [{"file", "name", "type", "shape"}], where
/// a .npy file says its type and shape itself, and "node" (of the ONNX node that makes it), "scale" and "zero_point"
/// may be said; without one all .npy files, each called as its tensor.
/// \throws UserError in one line that names the file where it is missing, truncated or not as it says.
Side read_layer_dump(const std::filesystem::path& folder, const std::string& label);

/// Whether there is a dump in a folder.
bool has_layer_dump(const std::filesystem::path& folder);

}  // namespace fovea
