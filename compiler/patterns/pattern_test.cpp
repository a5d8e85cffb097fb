// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pattern language on small graphs.
#include "pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::ElementsAre;

/// add(relu(x), c), with relu also an output where `shares_relu`.
Graph sum_of_relu(bool shares_relu) {
  return parse_graph(std::string("fn (%x: Tensor[(2,), float32]) {\n"
                                 "  %c = constant [1, 2] : Tensor[(2,), float32]\n"
                                 "  %r = nn.relu(%x) from \"relu\"\n"
                                 "  %y = add(%r, %c) from \"sum\"\n"
                                 "  return %y") +
                         (shares_relu ? ", %r }" : " }"),
                     "sum");
}

NodeId root(const Graph& graph) { return graph.outputs()[0]; }

TEST(Match, CapturesByName) {
  const Graph graph = sum_of_relu(false);
  const auto found = match(op("add", {op("nn.relu", {any()}).as("relu"), constant()}), graph, root(graph));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ((*found)["relu"].origin, "relu");
  EXPECT_FALSE(found->has("sum"));
  EXPECT_THROW((*found)["sum"], InternalError);
}

TEST(Match, SplitsInputsFromInside) {
  const Graph graph = sum_of_relu(false);
  const auto found = match(op("add", {op("nn.relu", {any()})}), graph, root(graph));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->inputs(), ElementsAre(0));
  EXPECT_THAT(found->inside(), ElementsAre(1, 2, 3));
}

TEST(Match, WantsConstantsBehindTheGivenInputs) {
  const Graph graph = parse_graph("fn (%x: Tensor[(2,), float32]) { %y = add(%x, %x) return %y }", "twice");
  EXPECT_FALSE(match(op("add", {any()}), graph, root(graph)));
  const auto both = match(op("add", {any(), any()}), graph, root(graph));
  ASSERT_TRUE(both.has_value());
  EXPECT_THAT(both->inputs(), ElementsAre(0)) << "a value that is read twice is one input";
}

TEST(Match, AnyIsNoConstant) {
  const Graph graph = sum_of_relu(false);
  EXPECT_FALSE(match(op("add", {any(), any()}), graph, root(graph)));
}

TEST(Match, LeavesWhatOthersRead) {
  const Pattern pattern = op("add", {op("nn.relu", {any()}), constant()});
  EXPECT_TRUE(match(pattern, sum_of_relu(false), 3));
  EXPECT_FALSE(match(pattern, sum_of_relu(true), 3));
}

TEST(Match, CopiesWhereAllowed) {
  const Graph graph = sum_of_relu(true);
  EXPECT_TRUE(match(op("add", {op("nn.relu", {any()}).or_copied(), constant()}), graph, root(graph)));
}

TEST(Match, TakesTheOptionalPartWhereItIs) {
  const Pattern pattern = op("add", {maybe("nn.relu", any().as("inner")), constant()});
  const Graph with = sum_of_relu(false);
  const Graph without = parse_graph("fn (%x: Tensor[(2,), float32]) { %y = add(%x, 1f) return %y }", "without");
  ASSERT_TRUE(match(pattern, with, root(with)));
  EXPECT_EQ(match(pattern, with, root(with))->inside().size(), 3U);
  ASSERT_TRUE(match(pattern, without, root(without)));
  EXPECT_EQ((*match(pattern, without, root(without)))["inner"].kind, NodeKind::kInput);
}

TEST(Match, ForgetsAnAlternativeThatFails) {
  const Graph graph = sum_of_relu(false);
  const Pattern wrong = op("nn.relu", {op("clip", {any()})}).as("wrong");
  const auto found = match(op("add", {either({wrong, any().as("right")}), constant()}), graph, root(graph));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->has("right"));
  EXPECT_FALSE(found->has("wrong"));
  EXPECT_THAT(found->inputs(), ElementsAre(2));
}

TEST(Match, AsksTheCondition) {
  const Graph graph = sum_of_relu(false);
  const auto is_named = [](const std::string& name) {
    return [name](const Match& m) { return m["sum"].origin == name; };
  };
  const Pattern sum = op("add", {any()}).as("sum");
  EXPECT_TRUE(match(sum.where(is_named("sum")), graph, root(graph)));
  EXPECT_FALSE(match(sum.where(is_named("sum")).where(is_named("other")), graph, root(graph)));
}

}  // namespace
}  // namespace fovea
