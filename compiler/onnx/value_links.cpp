// SPDX-License-Identifier: Apache-2.0
/// \file
/// One walk over the nodes.
#include "value_links.h"

namespace fovea {

const std::string& input_of(const onnx::NodeProto& node, int place) {
  static const std::string kNone;
  return place < node.input_size() ? node.input(place) : kNone;
}

const std::string& output_of(const onnx::NodeProto& node, int place) {
  static const std::string kNone;
  return place < node.output_size() ? node.output(place) : kNone;
}

const onnx::TensorProto* held_tensor(const onnx::NodeProto& node) {
  const bool holds_one = node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t() &&
                         node.output_size() == 1;
  return holds_one ? &node.attribute(0).t() : nullptr;
}

ValueLinks::ValueLinks(const onnx::GraphProto& of) : graph(&of) {
  for (const onnx::TensorProto& initializer : of.initializer()) {
    constants[initializer.name()] = &initializer;
  }
  for (int place = 0; place < of.node_size(); ++place) {
    const onnx::NodeProto& node = of.node(place);
    for (const std::string& input : node.input()) {
      readers[input].push_back(place);
    }
    for (const std::string& output : node.output()) {
      makers[output] = place;
    }
    if (const onnx::TensorProto* held = held_tensor(node)) {
      constants[node.output(0)] = held;
    }
  }
  for (const onnx::ValueInfoProto& output : of.output()) {
    outputs.insert(output.name());
  }
}

const onnx::NodeProto* ValueLinks::maker(const std::string& value) const {
  const auto found = value.empty() ? makers.end() : makers.find(value);
  return found == makers.end() ? nullptr : &graph->node(found->second);
}

const onnx::NodeProto* ValueLinks::only_reader(const std::string& value) const {
  const auto found = value.empty() ? readers.end() : readers.find(value);
  const bool is_one = found != readers.end() && found->second.size() == 1 && outputs.count(value) == 0;
  return is_one ? &graph->node(found->second[0]) : nullptr;
}

const onnx::TensorProto* ValueLinks::constant(const std::string& value) const {
  const auto found = constants.find(value);
  return found == constants.end() ? nullptr : found->second;
}

}  // namespace fovea
