// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts an ONNX graph's nodes in an order in which they can run.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

namespace fovea {

/// The graph with its nodes in the order in which they can run that is next to the file's: of the nodes that can run,
/// the first in the file is always the next. Nothing where the file's order is one. UserError naming the nodes of a
/// cycle. \pre check_graph(): each value is made once.
std::optional<onnx::GraphProto> sort_nodes(const onnx::GraphProto& graph);

}  // namespace fovea
