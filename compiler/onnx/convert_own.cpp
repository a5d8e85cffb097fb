// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nodes of operators that the user defined.
#include <algorithm>

#include "converters.h"

namespace fovea {
namespace {

/// An attribute of the node, of the default's kind.
struct AttributeReader {
  OnnxNode& node;
  const std::string& name;

  Attribute operator()(int64_t fallback) const { return node.read_int(name, fallback); }
  Attribute operator()(double fallback) const { return node.has_attribute(name) ? node.read_float(name, 0) : fallback; }
  Attribute operator()(const std::vector<int64_t>& fallback) const { return node.read_ints(name, fallback); }
  Attribute operator()(const std::string& fallback) const { return node.read_text(name, fallback); }
};

}  // namespace

const OwnOperator* find_own(const std::vector<OwnOperator>& operators, std::string_view onnx) {
  const auto found = std::ranges::find(operators, onnx, &OwnOperator::onnx);
  return found == operators.end() ? nullptr : &*found;
}

NodeId convert_own(ImportContext& context, OnnxNode& node, const OwnOperator& own) {
  std::vector<NodeId> inputs;
  for (std::size_t place = 0; place < own.op->inputs.size(); ++place) {
    inputs.push_back(context.input(node, static_cast<int>(place)));
  }
  Call call{own.op.get(), own.op, {}, node.name()};
  for (const auto& [name, fallback] : own.defaults) {
    call.attributes[name] = std::visit(AttributeReader{node, name}, fallback);
  }
  return context.builder.call(call, std::move(inputs));
}

}  // namespace fovea
