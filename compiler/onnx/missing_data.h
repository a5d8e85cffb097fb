// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constants of which a model has type and shape, but no data: weights left out, or in a file that is not there.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace fovea {

/// The graph with stand-ins for what is read and has no data; nothing where all have. Stand-ins are the same each time,
/// differ from constant to constant, and lie in the middle of their types: weights and biases that any layer takes.
/// There are none for what decides a shape or which layer it is: int64 other than indices, sizes of a Resize, bounds of
/// a Clip, a quantization's only scale. Whatever reads such a constant is refused by its own message.
/// \param name  The model's, for messages.  \param folder  The model's.
/// \param say  Takes one line: what is missing. \throws UserError, one line, where it is empty.
std::optional<onnx::GraphProto> fill_missing_data(const onnx::GraphProto& graph, const std::string& name,
                                                  const std::filesystem::path& folder,
                                                  const std::function<void(const std::string&)>& say);

}  // namespace fovea
