// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sizes for dimensions of inputs that a file leaves open.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>

#include "tensor/tensor.h"

namespace fovea {

/// The graph with the shapes of these inputs. What has a dimension's name has its size in all inputs. Nothing where
/// there are no shapes. UserError naming the input where there is none of the name, its shape in the file is another
/// one, or one name would have two sizes.
std::optional<onnx::GraphProto> bind_shapes(const onnx::GraphProto& graph, const std::map<std::string, Shape>& shapes);

/// Whether a dimension has no size: a name, 0, -1, or nothing.
bool is_open(const onnx::TensorShapeProto::Dimension& dimension);

/// An input's shape, with 0 for a dimension without a size, but 1 for a batch.
Shape declared_shape(const onnx::ValueInfoProto& input);

/// "x: dimensions 2 (h), 3 (w) have no size in the file; give the input's shape, such as --shape x=1x3x224x224"; ""
/// where none is open but the first, which is the batch.
std::string open_dimensions(const onnx::ValueInfoProto& input);

}  // namespace fovea
