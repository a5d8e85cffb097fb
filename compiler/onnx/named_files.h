// SPDX-License-Identifier: Apache-2.0
/// \file
/// The files beside a network's own that hold its constants.
#pragma once

#include <filesystem>
#include <vector>

namespace fovea {

/// Those that an ONNX model (external data) or an IR (ir/ir_form.h) names and that are there, inside its
/// folder, each once, in the order of their names. A model without any is not parsed. \throws UserError where the
/// network can't be read.
std::vector<std::filesystem::path> named_files(const std::filesystem::path& network);

}  // namespace fovea
