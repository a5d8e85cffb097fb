// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nodes in an order in which they can run, as near to the file's as there is.
#include "sort_nodes.h"

#include <gtest/gtest.h>

#include <random>

#include "import.h"
#include "ir/evaluate.h"
#include "model_builder.h"

namespace fovea {
namespace {

std::vector<std::string> names(const onnx::GraphProto& graph) {
  std::vector<std::string> names;
  for (const onnx::NodeProto& node : graph.node()) {
    names.push_back(node.name());
  }
  return names;
}

TEST(SortNodesTest, LeavesAnOrderThatIsOne) {
  ModelBuilder model;
  model.node("Relu", "late", {"x"}, {"late_y"});
  model.node("Add", "sum", {"late_y", "late_y"}, {"y"});
  EXPECT_FALSE(sort_nodes(model.graph()).has_value());
}

TEST(SortNodesTest, MovesNoMoreThanItMust) {
  ModelBuilder model;
  model.node("Add", "sum", {"b_y", "a_y"}, {"y"});
  model.node("Relu", "b", {"a_y"}, {"b_y"});
  model.node("Relu", "aside", {"x"}, {"unread"});
  model.node("Relu", "a", {"x"}, {"a_y"});
  EXPECT_EQ(names(*sort_nodes(model.graph())), (std::vector<std::string>{"quantize", "aside", "a", "b", "sum"}));
}

TEST(SortNodesTest, ComputesTheSameInAnyOrder) {
  ModelBuilder model({1, 8});
  std::mt19937 random(1);
  std::vector<std::string> values{"x", "x"};
  for (int i = 0; i < 40; ++i) {
    const std::string result = "v" + std::to_string(i);
    const auto any = [&] { return values[random() % values.size()]; };
    model.node(i % 3 == 0 ? "Sub" : "Add", result, {any(), values.back()}, {result});
    values.push_back(result);
  }
  model.output(values.back());
  const std::vector<Tensor> x{Tensor::of<float>({1, 8}, {1, -2, 3, 0, 5, 0.5F, -7, 8})};
  const Tensor expected = evaluate(import_model(model.model(), "net.onnx"), x).at(0);
  auto& nodes = *model.graph().mutable_node();
  for (int i = nodes.size() - 1; i > 0; --i) {
    nodes.SwapElements(i, static_cast<int>(random() % static_cast<unsigned>(i + 1)));
  }
  ASSERT_TRUE(sort_nodes(model.graph()).has_value());
  EXPECT_EQ(evaluate(import_model(model.model(), "net.onnx"), x).at(0), expected);
}

}  // namespace
}  // namespace fovea
