// SPDX-License-Identifier: Apache-2.0
/// \file
/// Who makes and who reads each value of an ONNX graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fovea {

/// By the values' names; the graph must outlive it. Places are those of nodes in the graph.
struct ValueLinks {
  explicit ValueLinks(const onnx::GraphProto& graph);

  std::map<std::string, std::vector<int>> readers;  ///< Each place once for each time the node reads the value.
  std::map<std::string, int> makers;
  std::map<std::string, const onnx::TensorProto*> constants;  ///< Initializers, and what Constant holds.
  std::set<std::string> outputs;                              ///< Results of the network.
};

}  // namespace fovea
