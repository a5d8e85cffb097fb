// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks that an ONNX graph is one, before anything is converted.
#pragma once

#include <onnx/onnx_pb.h>

namespace fovea {

/// Each value is made once, what is read is made, and each of the network's outputs is listed once and made by a node.
/// UserError naming node or value where not.
void check_graph(const onnx::GraphProto& graph);

}  // namespace fovea
