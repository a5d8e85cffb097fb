// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fast loops against the evaluator, which computes an operator by its definition.
#include "product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "float_value.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Integers, as quantized values are, so that every sum is exact.
Tensor drawn(std::mt19937& random, Shape shape, int most) {
  Tensor tensor({std::move(shape), ElementType::kFloat32});
  for (float& value : tensor.values<float>()) {
    value = static_cast<float>(std::uniform_int_distribution<int>(-most, most)(random));
  }
  return tensor;
}

/// A graph of one call on inputs of these shapes.
Graph graph_of(const std::string& op, const std::vector<Shape>& shapes, const Attributes& attributes) {
  GraphBuilder builder;
  std::vector<NodeId> inputs;
  for (const Shape& shape : shapes) {
    inputs.push_back(builder.input("x" + std::to_string(inputs.size()), {shape, ElementType::kFloat32}));
  }
  const NodeId result = builder.call(op, inputs, attributes);
  return builder.finish({result}, {"y"});
}

void expect_as_evaluated(const std::string& op, const Shape& input, const Shape& weight, const Attributes& attributes) {
  std::mt19937 random(11);
  const Graph graph = graph_of(op, {input, weight}, attributes);
  const Node& call = graph[graph.outputs()[0]];
  const Tensor x = drawn(random, input, 255), w = drawn(random, weight, 127);
  Tensor y(call.type);
  PackedProduct(call, x.type(), w.type(), w.values<float>()).run(x.values<float>(), y.values<float>());
  EXPECT_TRUE(y == call.op->evaluate(call, {&x, &w})) << to_text(input) << " " << to_text(weight);
}

Attributes window(std::vector<int64_t> strides, std::vector<int64_t> pads, std::vector<int64_t> dilations,
                  int64_t groups) {
  return {{"strides", std::move(strides)},
          {"pads", std::move(pads)},
          {"dilations", std::move(dilations)},
          {"groups", groups}};
}

TEST(PackedProduct, IsTheConvolution) {
  expect_as_evaluated("nn.conv2d", {1, 3, 9, 20}, {5, 3, 3, 3}, window({1, 1}, {1, 1, 1, 1}, {1, 1}, 1));
  expect_as_evaluated("nn.conv2d", {2, 4, 8, 8}, {4, 4, 1, 1}, window({1, 1}, {0, 0, 0, 0}, {1, 1}, 1));
  expect_as_evaluated("nn.conv2d", {1, 3, 11, 13}, {6, 3, 3, 5}, window({2, 3}, {0, 2, 1, 4}, {1, 1}, 1));
  expect_as_evaluated("nn.conv2d", {1, 2, 12, 40}, {7, 2, 3, 3}, window({1, 1}, {2, 2, 2, 2}, {2, 2}, 1));
}

TEST(PackedProduct, IsTheConvolutionOfGroups) {
  expect_as_evaluated("nn.conv2d", {2, 6, 9, 9}, {6, 1, 3, 3}, window({1, 1}, {1, 1, 1, 1}, {1, 1}, 6));
  expect_as_evaluated("nn.conv2d", {1, 6, 9, 10}, {12, 1, 5, 3}, window({2, 2}, {2, 0, 1, 1}, {1, 2}, 6));
  expect_as_evaluated("nn.conv2d", {1, 4, 9, 9}, {10, 2, 3, 3}, window({1, 1}, {1, 1, 1, 1}, {1, 1}, 2));
  expect_as_evaluated("nn.conv2d", {1, 2, 3, 2}, {2, 1, 3, 5}, window({1, 1}, {1, 4, 1, 4}, {1, 1}, 2));
}

TEST(PackedProduct, IsTheFullyConnectedLayer) {
  expect_as_evaluated("nn.dense", {1, 30}, {10, 30}, {});
  expect_as_evaluated("nn.dense", {3, 7}, {17, 7}, {});
}

TEST(FloatValue, IsWhatTheEvaluatorGives) {
  std::mt19937 random(13);
  const Attributes pool{{"kernel", std::vector<int64_t>{3, 2}},
                        {"strides", std::vector<int64_t>{2, 2}},
                        {"pads", std::vector<int64_t>{1, 0, 1, 1}},
                        {"dilations", std::vector<int64_t>{1, 1}},
                        {"ceil_mode", int64_t{0}}};
  const Shape shape{1, 3, 8, 9};
  const Tensor a = drawn(random, shape, 9), b = drawn(random, shape, 9);
  const std::vector<Graph> graphs{graph_of("nn.relu", {shape}, {}),
                                  graph_of("clip", {shape}, {{"min", -2.0}, {"max", 3.0}}),
                                  graph_of("nn.max_pool2d", {shape}, pool), graph_of("add", {shape, shape}, {})};
  for (const Graph& graph : graphs) {
    const Node& call = graph[graph.outputs()[0]];
    const std::vector<const Tensor*> inputs = call.inputs.size() == 1 ? std::vector{&a} : std::vector{&a, &b};
    EXPECT_TRUE(float_value(call, inputs) == call.op->evaluate(call, inputs)) << operation_of(call);
  }
}

TEST(FloatValue, IsWhatTheEvaluatorGivesOfTwo) {
  std::mt19937 random(17);
  const Attributes axis{{"axis", int64_t{-2}}};
  const Tensor a = drawn(random, {2, 3, 5, 7}, 9), b = drawn(random, {2, 3, 5, 7}, 9), number = drawn(random, {}, 9);
  const Tensor row = drawn(random, {7}, 9), matrix = drawn(random, {7, 9}, 9);
  const Tensor matrices = drawn(random, {2, 3, 7, 17}, 9), few = drawn(random, {3, 7, 4}, 9);
  const auto expect = [](const std::string& op, const Tensor& left, const Tensor& right, const Attributes& attributes) {
    const Graph graph = graph_of(op, {left.type().shape, right.type().shape}, attributes);
    const Node& call = graph[graph.outputs()[0]];
    EXPECT_TRUE(float_value(call, {&left, &right}) == call.op->evaluate(call, {&left, &right})) << op;
  };
  for (const std::string op : {"add", "subtract", "multiply", "divide", "maximum"}) {
    for (const Tensor* right : {&b, &number, &row}) {
      expect(op, a, *right, {});
    }
    expect(op, number, a, {});
  }
  for (const Tensor* right : {&matrix, &matrices, &few, &row}) {
    expect("matmul", a, *right, {});
  }
  expect("concatenate", a, b, axis);
}

/// The driver's functions, of which each is at most one unit in the last place away.
TEST(FloatValue, IsTheFunctionOfTheDriver) {
  std::mt19937 random(19);
  const Tensor x = drawn(random, {1, 70}, 9);
  for (const std::string op : {"sigmoid", "tanh", "erf", "exp", "mish", "sqrt"}) {
    const Graph graph = graph_of(op, {x.type().shape}, {});
    const Node& call = graph[graph.outputs()[0]];
    const Tensor actual = float_value(call, {&x}), expected = call.op->evaluate(call, {&x});
    for (std::size_t i = 0; i < 70; ++i) {
      if (!std::isnan(expected.at(i))) {
        EXPECT_NEAR(actual.at(i), expected.at(i), std::abs(expected.at(i)) * 0x1p-23) << op << " of " << x.at(i);
      }
    }
  }
}

}  // namespace
}  // namespace fovea
