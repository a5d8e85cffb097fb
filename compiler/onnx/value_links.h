// SPDX-License-Identifier: Apache-2.0
/// \file
/// Who makes and who reads each value of an ONNX graph, which may be malformed: nodes without inputs or outputs.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fovea {

/// Name of a node's input or output; "" where it is left out.
const std::string& input_of(const onnx::NodeProto& node, int place);
const std::string& output_of(const onnx::NodeProto& node, int place = 0);

/// What a Constant holds; null of other nodes, and where it holds numbers or a text.
const onnx::TensorProto* held_tensor(const onnx::NodeProto& node);

/// By the values' names; the graph must outlive it. Places are those of nodes in the graph.
struct ValueLinks {
  explicit ValueLinks(const onnx::GraphProto& of);

  /// The node that makes a value; null where none does.
  const onnx::NodeProto* maker(const std::string& value) const;
  /// The one node that reads a value, once; null where there are more or none, or it is a result of the network.
  const onnx::NodeProto* only_reader(const std::string& value) const;
  /// An initializer, or what a Constant holds; null where it is neither.
  const onnx::TensorProto* constant(const std::string& value) const;

  const onnx::GraphProto* graph;
  std::map<std::string, std::vector<int>> readers;  ///< Each place once for each time the node reads the value.
  std::map<std::string, int> makers;
  std::map<std::string, const onnx::TensorProto*> constants;
  std::set<std::string> outputs;  ///< Results of the network.
};

}  // namespace fovea
