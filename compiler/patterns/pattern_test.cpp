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

TEST(Match, OfAnythingTakesConstantsInside) {
  const Graph graph = sum_of_relu(false);
  const auto found = match(op("add", {any_call().as("relu"), anything()}), graph, root(graph));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->inputs(), ElementsAre(0));
  EXPECT_EQ((*found)["relu"].origin, "relu");
  EXPECT_EQ(found->root(), root(graph));
}

TEST(Match, StandsForOneValueOnce) {
  const Graph graph = parse_graph(
      "fn (%x: Tensor[(2,), float32], %z: Tensor[(2,), float32]) {\n"
      "  %r = nn.relu(%x)\n  %s = sigmoid(%x)\n  %t = sigmoid(%z)\n"
      "  %a = add(%r, %s)\n  %b = add(%r, %t)\n  return %a, %b }",
      "diamond");
  const Pattern x = anything().once(1), sum = op("add", {op("nn.relu", {x}), op("sigmoid", {x})});
  EXPECT_TRUE(match(sum, graph, graph.outputs()[0], Sharing::kCopied));
  EXPECT_FALSE(match(sum, graph, graph.outputs()[1], Sharing::kCopied));
}

TEST(Match, AsksAboutAValueBeforeWhatItReads) {
  const Graph graph = sum_of_relu(false);
  int asked = 0;
  const Pattern inner = anything().of([&](const Graph&, NodeId) { return ++asked != 0; });
  const auto is_called = [](const std::string& name) {
    return [name](const Graph& of, NodeId id) { return of[id].origin == name; };
  };
  EXPECT_FALSE(match(op("add", {inner, inner}).of(is_called("relu")), graph, root(graph)));
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(match(op("add", {inner, inner}).of(is_called("sum")), graph, root(graph)));
}

TEST(Match, FollowsPathsToOneEnd) {
  const Graph graph = parse_graph(
      "fn (%x: Tensor[(2,), float32], %z: Tensor[(2,), float32]) {\n"
      "  %e = exp(%x)\n  %a = nn.relu(%e)\n  %b = add(%e, 1f)\n  %y = multiply(%a, %b)\n"
      "  %d = multiply(%y, %z)\n  return %y, %d }",
      "paths");
  const auto is_elementwise = [](const Graph& of, NodeId id) { return !is_call(of[id], "exp"); };
  const Pattern all = path(is_elementwise, op("exp", {anything()}));
  const auto found = match(all, graph, graph.outputs()[0]);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->inside().size(), 5U);
  EXPECT_FALSE(match(all, graph, graph.outputs()[1])) << "one way leads to an input";
  const auto free = match(path(is_elementwise, anything()), graph, graph.outputs()[0], Sharing::kCopied);
  ASSERT_TRUE(free.has_value());
  EXPECT_THAT(free->inputs(), ElementsAre(2)) << "what no link is";
}

}  // namespace
}  // namespace fovea
