// SPDX-License-Identifier: Apache-2.0
/// \file
/// What ends a float product: the operators' values by its loops, and what stays a layer of its own.
#include "product_end.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "fuse.h"
#include "ir/text.h"
#include "loops/drawn_calls.h"
#include "loops/interpret.h"
#include "ops/operator.h"

namespace fovea {
namespace {

constexpr const char* kConv =
    "fn (%x: Tensor[(1, 2, 3, 4), float32], %z: Tensor[(1, 3, 3, 4), float32]) {\n"
    "%w = constant [1.0, -2.0, 3.0, -4.0, 5.0, -6.0] : Tensor[(3, 2, 1, 1), float32]\n"
    "%b = constant [1.0, -2.0, 3.0] : Tensor[(3,), float32]\n"
    "%s = constant [0.5, -0.25, 2.0] : Tensor[(3, 1, 1), float32]\n"
    "%one = constant [0.5] : Tensor[(), float32]\n"
    "%columns = constant [0.5, 1.5, 2.5, 3.5] : Tensor[(4,), float32]\n"
    "%c = nn.conv2d(%x, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1)\n"
    "%d = nn.bias_add(%c, %b, axis=1)\n";
constexpr const char* kDense =
    "fn (%x: Tensor[(1, 2), float32], %z: Tensor[(1, 3), float32]) {\n"
    "%w = constant [1.0, -2.0, 3.0, -4.0, 5.0, -6.0] : Tensor[(3, 2), float32]\n"
    "%s = constant [0.5, -0.25, 2.0] : Tensor[(3,), float32]\n"
    "%one = constant [0.5] : Tensor[(), float32]\n"
    "%d = nn.dense(%x, %w)\n";

Graph graph_of(const std::string& head, const std::string& body) { return parse_graph(head + body + "\n}", "g"); }

/// Elements in another shape.
Tensor in_shape(const Tensor& x, const Shape& shape) {
  Tensor other(TensorType{shape, x.type().element});
  std::memcpy(other.bytes().data(), x.bytes().data(), x.bytes().size());
  return other;
}

/// The values of all calls, operator by operator.
std::map<NodeId, Tensor> values_of(const Graph& graph, CallDrawing& drawing) {
  std::map<NodeId, Tensor> values;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    std::vector<const Tensor*> inputs;
    for (const NodeId input : node.inputs) {
      inputs.push_back(&values.at(input));
    }
    values.emplace(id, node.kind == NodeKind::kInput      ? drawing.tensor(node.type.shape)
                       : node.kind == NodeKind::kConstant ? *node.constant
                                                          : node.op->evaluate(node, inputs));
  }
  return values;
}

/// Compares a layer's end, on the results that it takes, with the operators.
void expect_end(const std::string& head, const std::string& body, const std::string& name, std::size_t reads) {
  SCOPED_TRACE(body);
  CallDrawing drawing(drawing_seed());
  const Graph graph = graph_of(head, body);
  const NodeId root = graph.outputs().back();
  const auto fused = fuse_at(graph, root);
  ASSERT_TRUE(fused && fused->layer != nullptr);
  ASSERT_TRUE(fused->composite.ends_with("_end")) << fused->composite;
  const auto& product = std::get<FloatProduct>(fused->layer->body);
  EXPECT_EQ(product.end->loops.nest.name, name);
  EXPECT_EQ(fused->layer->inputs.size(), reads);
  const auto values = values_of(graph, drawing);
  const Tensor &result = values.at(fused->match.place_of("result")), &expected = values.at(root);
  std::vector<Tensor> inputs;
  std::size_t next = 1;
  for (std::size_t i = 0; i < product.end->is_result.size(); ++i) {
    const auto& constant = product.end->loops.constants[i];
    const Tensor& input = product.end->is_result[i] ? result
                          : constant != nullptr     ? *constant
                                                    : values.at(fused->match.inputs()[fused->layer->inputs[next++]]);
    inputs.push_back(in_shape(input, product.end->loops.nest.buffers[i].shape));
  }
  std::vector<const Tensor*> places;
  for (const Tensor& input : inputs) {
    places.push_back(&input);
  }
  const NestBuffer& y = product.end->loops.nest.buffers[inputs.size()];
  const Tensor value = interpret(product.end->loops.nest, places, {y.shape, ElementType::kFloat32});
  for (std::size_t at = 0; at < static_cast<std::size_t>(count_elements(y.shape)); ++at) {
    ASSERT_NEAR(value.at(at), expected.at(at), 2e-6 * std::max(1.0, std::abs(expected.at(at))));
  }
}

std::string composite_at(const std::string& head, const std::string& body) {
  const Graph graph = graph_of(head, body);
  const auto fused = fuse_at(graph, graph.outputs().back());
  return fused ? fused->composite : "";
}

TEST(ProductEnd, ComputesWhatOperatorsDo) {
  expect_end(kConv, "%y = hard_swish(%d) return %y", "hard_swish", 1);
  expect_end(kConv, "%r = nn.relu(%d) %a = add(%r, %z) %y = nn.relu(%a) return %y", "add.nn.relu", 2);
  expect_end(kConv, "%a = sigmoid(%d) %y = multiply(%d, %a) return %y", "sigmoid.multiply", 1);
  expect_end(kConv, "%y = multiply(%d, %s) return %y", "multiply", 1);
  expect_end(kConv, "%a = tanh(%z) %b2 = multiply(%a, %one) %y = subtract(%b2, %d) return %y", "tanh.multiply.subtract",
             2);
  expect_end(kDense, "%y = sigmoid(%d) return %y", "sigmoid", 1);
  expect_end(kDense, "%a = multiply(%d, %s) %y = add(%a, %z) return %y", "multiply.add", 2);
  expect_end(kDense, "%y = power(%d, %one) return %y", "power", 1);
}

TEST(ProductEnd, LeavesWhatItCantTake) {
  EXPECT_EQ(composite_at(kConv, "%y = nn.relu(%d) return %y"), "cpu.float_conv2d_relu");
  EXPECT_EQ(composite_at(kConv, "%y = tanh(%d) return %d, %y"), "cpu.nest_tanh") << "an output is read elsewhere";
  EXPECT_EQ(composite_at(kConv, "%a = tanh(%d) %b2 = exp(%d) %c2 = multiply(%a, %b2) return %b2, %c2"),
            "cpu.nest_group");
  EXPECT_EQ(composite_at(kConv, "%y = multiply(%d, %columns) return %y"), "cpu.nest_multiply")
      << "one a column is neither one a filter nor one for all";
  EXPECT_EQ(composite_at(kConv, "%y = nn.prelu(%d, %s) return %y"), "cpu.nest_prelu");
  EXPECT_EQ(composite_at(kDense, "%y = nn.softmax(%d, axis=1) return %y"), "cpu.nest_softmax");
}

}  // namespace
}  // namespace fovea
