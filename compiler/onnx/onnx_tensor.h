// SPDX-License-Identifier: Apache-2.0
/// \file
/// ONNX tensors and element types in the IR's terms.
#ifndef FOVEA_COMPILER_ONNX_ONNX_TENSOR_H_
#define FOVEA_COMPILER_ONNX_ONNX_TENSOR_H_

#include <onnx/onnx_pb.h>

#include <string>

#include "ir/tensor.h"

namespace fovea {

/// An ONNX element type (TensorProto::DataType). bool is kept as uint8, 0 or 1.
/// UserError "<owner>: element type double is not supported; ..." where the IR has none for it.
ElementType to_element_type(int onnx_type, const std::string& owner);

/// Checks that a shape has no negative sizes and at most 2^31 elements. UserError, beginning with `owner`, where not.
void check_shape(const Shape& shape, const std::string& owner);

/// Copies a constant, from raw bytes or typed fields. UserError, beginning with `owner`, where its type is not
/// supported, its data is in another file, or there are not as many elements as its shape says.
Tensor to_tensor(const onnx::TensorProto& proto, const std::string& owner);

}  // namespace fovea

#endif  // FOVEA_COMPILER_ONNX_ONNX_TENSOR_H_
