// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constants whose data is in a file beside the model.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tensor/tensor.h"

namespace fovea {

/// Reads the data of a constant of that type from the file, offset and length that it names. UserError, beginning with
/// `owner`, where the file is outside the model's folder (links are followed), missing or too short, or where offset
/// and length are not those of the type; before any memory is taken.
/// \param folder  The model's.
Tensor read_external_data(const onnx::TensorProto& proto, TensorType type, const std::string& owner,
                          const std::filesystem::path& folder);

/// Whether a constant that holds elements has no data: the file that it names, "" where none is named. Nothing where it
/// has some, or where its file is outside the model's folder or no file but there.
std::optional<std::string> missing_data(const onnx::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace fovea
