// SPDX-License-Identifier: Apache-2.0
/// \file
/// ONNX tensors and element types in the IR's terms.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>

#include "tensor/tensor.h"

namespace fovea {

/// An ONNX element type (TensorProto::DataType); float32 of float64, which is computed as that.
/// UserError "<owner>: element type float16 is not supported; ..." where the IR has none for it.
ElementType to_element_type(int onnx_type, const std::string& owner);

/// An ONNX type of integers that the IR has none for: the IR holds them in a wider one.
struct NarrowType {
  int onnx_type;
  int bits;
  ElementType element;  ///< What holds them.
  int64_t least, most;
};

/// uint16 and int16, uint4 and int4; null for others.
const NarrowType* find_narrow_type(int onnx_type);

/// Copies a constant, from raw bytes, typed fields or the file beside the model that it names. UserError, beginning
/// with `owner`, where its type is not supported, an element is outside its type, there are not as many as the shape
/// says, or the file is not as external_data.h wants it. A NarrowType is read as what holds it, float64 as the
/// nearest float32.
/// \param folder  The model's.
Tensor to_tensor(const onnx::TensorProto& proto, const std::string& owner, const std::filesystem::path& folder = ".");

}  // namespace fovea
