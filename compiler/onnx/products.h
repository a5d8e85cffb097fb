// SPDX-License-Identifier: Apache-2.0
/// \file
/// What operators become, for operands that are values already: read by the node or dequantized for it.
#pragma once

#include <optional>

#include "import_context.h"
#include "onnx_node.h"

namespace fovea {

/// [N, C, L] as [N, C, 1, L], one row of columns; [N, C, H, W] as it is. UserError for other shapes.
NodeId with_rows(ImportContext& context, const OnnxNode& node, NodeId x);

/// What became of with_rows() of a value of that rank: again without its row.
NodeId with_rank(ImportContext& context, const OnnxNode& node, NodeId y, std::size_t rank);

/// Convolution [N, C, H, W] by [M, C / groups, R, S], or [N, C, L] by [M, C / groups, S], with the node's window.
/// \param bias  [M].
NodeId add_conv(ImportContext& context, OnnxNode& node, NodeId x, NodeId w, std::optional<NodeId> bias);

/// x times a number; x where that is 1.
NodeId scaled(ImportContext& context, const OnnxNode& node, NodeId x, float factor);

/// A matrix, or several, with rows and columns exchanged.
NodeId transposed(ImportContext& context, const OnnxNode& node, NodeId x);

/// Matrix product of the node's alpha, [N, C] by [C, M], or by what its transA and transB transpose. \param bias  M
/// numbers, or what can be broadcast.
NodeId add_gemm(ImportContext& context, OnnxNode& node, NodeId x, NodeId w, std::optional<NodeId> bias);

/// Matrix product [..., N, C] by [..., C, M].
NodeId add_mat_mul(ImportContext& context, const OnnxNode& node, NodeId x, NodeId w);

/// Average-pool of [N, C, H, W], with the node's window.
NodeId add_average_pool(ImportContext& context, OnnxNode& node, NodeId x);

/// The mean of each channel of [N, C, H, W] or [N, C, L].
NodeId add_global_average_pool(ImportContext& context, const OnnxNode& node, NodeId x);

/// The sum, with ONNX Runtime's order of operands: the second, or else the one that is the same along the innermost
/// axis, is the first to be added to the zero point.
NodeId add_sum(ImportContext& context, const OnnxNode& node, NodeId a, NodeId b);

/// Softmax along the node's axis; until opset 12 along all axes from it on.
NodeId add_softmax(ImportContext& context, OnnxNode& node, NodeId x, int64_t opset);

/// `on` where an axis of `depth` places has the index, `off` elsewhere. \param indices  int64, of size 1 along the
/// axis.
NodeId add_one_hot(ImportContext& context, const OnnxNode& node, NodeId indices, std::size_t axis, int64_t depth,
                   NodeId on, NodeId off);

}  // namespace fovea
