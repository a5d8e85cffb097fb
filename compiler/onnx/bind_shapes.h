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

/// What the first dimensions of a graph's inputs say of a batch of `pictures`.
enum class BatchForm {
  kOpen,   ///< One has no size.
  kGiven,  ///< One is of that size, and none is open.
  kOne,    ///< One is of size 1, and none is of another of these forms.
};

/// UserError where they are all of other sizes, or the graph has no inputs with dimensions.
BatchForm find_batch_form(const onnx::GraphProto& graph, int64_t pictures);

/// The graph with `pictures` for each first dimension without a size. UserError as of bind_shapes().
onnx::GraphProto bind_batch(const onnx::GraphProto& graph, int64_t pictures);

/// Whether a dimension has no size: a name, 0, -1, or nothing.
bool is_open(const onnx::TensorShapeProto::Dimension& dimension);

/// An input's shape, with 0 for a dimension without a size, but 1 for a batch.
Shape declared_shape(const onnx::ValueInfoProto& input);

/// "x: dimensions 2 (h), 3 (w) have no size in the file; give the input's shape, such as --shape x=1x3x224x224"; ""
/// where none is open but the first, which is the batch.
std::string open_dimensions(const onnx::ValueInfoProto& input);

}  // namespace fovea
