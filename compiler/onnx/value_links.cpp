// SPDX-License-Identifier: Apache-2.0
/// \file
/// One walk over the nodes.
#include "value_links.h"

namespace fovea {

ValueLinks::ValueLinks(const onnx::GraphProto& graph) {
  for (const onnx::TensorProto& initializer : graph.initializer()) {
    constants[initializer.name()] = &initializer;
  }
  for (int place = 0; place < graph.node_size(); ++place) {
    const onnx::NodeProto& node = graph.node(place);
    for (const std::string& input : node.input()) {
      readers[input].push_back(place);
    }
    for (const std::string& output : node.output()) {
      makers[output] = place;
    }
    if (node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t()) {
      constants[node.output(0)] = &node.attribute(0).t();
    }
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    outputs.insert(output.name());
  }
}

}  // namespace fovea
