// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds conversions at the graph's beginning and end.
#include "float_ends.h"

#include "ops/operator.h"

namespace fovea {
namespace {

/// qnn.quantize or qnn.dequantize of `x`, its integers the numbers that they stand for.
NodeId convert_numbers(GraphBuilder& builder, const char* op, NodeId x, const Node& end, ElementType element) {
  const NodeId scale = builder.constant(Tensor::of<float>({}, {1}), end.origin);
  const NodeId zero_point = builder.constant(Tensor({{}, element}), end.origin);
  return builder.call(op, {x, scale, zero_point}, {{"axis", int64_t{0}}}, end.origin);
}

/// A value in another type, as a C cast does it.
NodeId cast(GraphBuilder& builder, NodeId x, const Node& end, ElementType element) {
  return builder.call("cast", {x}, {{"dtype", std::string(to_text(element))}}, end.origin);
}

NodeId float_input(GraphBuilder& builder, const Node& input) {
  const ElementType element = input.type.element;
  const NodeId x = builder.input(input.origin, {input.type.shape, ElementType::kFloat32});
  return is_8_bit(element) ? convert_numbers(builder, "qnn.quantize", x, input, element)
                           : cast(builder, x, input, element);
}

NodeId float_output(GraphBuilder& builder, NodeId y) {
  const Node end = builder[y];
  const ElementType element = end.type.element;
  return is_8_bit(element)               ? convert_numbers(builder, "qnn.dequantize", y, end, element)
         : element == ElementType::kBool ? cast(builder, y, end, ElementType::kFloat32)
                                         : y;
}

}  // namespace

Graph float_ends(const Graph& graph) {
  GraphBuilder builder;
  std::vector<NodeId> copies;
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kInput && node.type.element != ElementType::kFloat32) {
      copies.push_back(float_input(builder, node));
      continue;
    }
    std::vector<NodeId> inputs;
    for (const NodeId input : node.inputs) {
      inputs.push_back(copies[input]);
    }
    copies.push_back(builder.copy(node, inputs));
  }
  std::vector<NodeId> outputs;
  for (const NodeId output : graph.outputs()) {
    outputs.push_back(float_output(builder, copies[output]));
  }
  return builder.finish(std::move(outputs), graph.output_names());
}

}  // namespace fovea
