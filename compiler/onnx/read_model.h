// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a file to an ONNX model in memory.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace fovea {

/// Parses a model. UserError, beginning with the path, that tells a missing file from an empty one, a truncated model
/// and a file of another kind.
onnx::ModelProto read_model(const std::filesystem::path& path);

}  // namespace fovea
