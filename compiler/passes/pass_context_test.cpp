// SPDX-License-Identifier: Apache-2.0
/// \file
/// A user's choice among the passes, and passes of a user: their order, what runs, what is refused.
#include "pass_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ops/operator.h"
#include "pipeline.h"
#include "rewrite.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::HasSubstr;

constexpr const char* kRelu = R"(
fn (%x: Tensor[(1, 4), float32] from "input") {
  %y = nn.relu(%x) from "act"
  return %y
}
)";

AddedPass make_pass(const std::string& name, const std::string& after, std::function<Graph(const Graph&)> run) {
  return {{name, "A test's.", kSimpler}, after, "mine.cpp:7", std::move(run)};
}

Graph same(const Graph& graph) { return graph; }

/// A pass that makes another value of each ReLU.
template <typename Make>
std::function<Graph(const Graph&)> instead_of_relu(Make make) {
  return [make](const Graph& graph) {
    return rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
      return is_call(graph[id], "nn.relu") ? std::optional<NodeId>(make(builder, inputs[0])) : std::nullopt;
    });
  };
}

std::vector<std::string> names(const std::vector<PassInfo>& passes) {
  std::vector<std::string> result;
  for (const PassInfo& pass : passes) {
    result.push_back(pass.name);
  }
  return result;
}

/// Runs the passes on kRelu up to copy-outputs. \return the error, or the graph as text.
std::string run(const PassContext& context) {
  PipelineOptions options;
  options.stop_after = "copy-outputs";
  options.passes = context;
  try {
    return print_graph(run_pipeline(parse_graph(kRelu, "relu"), options));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(PassContext, AddsPassesBehindOthersInTheOrderGiven) {
  PassContext context;
  context.added = {make_pass("a", "fold-batch-norm", same), make_pass("b", "import", same),
                   make_pass("c", "fold-batch-norm", same), make_pass("d", "a", same), make_pass("e", "import", same)};
  const std::vector<std::string> plain = names(list_passes()), all = names(list_passes(context));
  ASSERT_EQ(all.size(), plain.size() + 5);
  EXPECT_EQ(std::vector<std::string>(all.begin(), all.begin() + 3), (std::vector<std::string>{"b", "e", plain[0]}));
  const auto place = std::find(all.begin(), all.end(), "fold-batch-norm");
  EXPECT_EQ(std::vector<std::string>(place + 1, place + 5),
            (std::vector<std::string>{"a", "d", "c", "eliminate-dead-code"}));
}

TEST(PassContext, RunsByLevelAndName) {
  PassContext context;
  context.level = kSimpler;
  context.required = {"fast"};
  context.disabled = {"plain"};
  EXPECT_TRUE(context.runs({"fast", "", kFaster}));
  EXPECT_FALSE(context.runs({"other", "", kFaster}));
  EXPECT_TRUE(context.runs({"simple", "", kSimpler}));
  EXPECT_FALSE(context.runs({"plain", "", kSimpler}));
  EXPECT_EQ(context.choice(), "level 1 with fast without plain");
  EXPECT_EQ(PassContext().choice(), "");
}

TEST(PassContext, RunsWhatIsAddedAndReportsIt) {
  PassContext context;
  context.disabled = {"remove-redundant-casts"};
  context.added = {make_pass("twice", "place-pools", instead_of_relu([](GraphBuilder& builder, NodeId x) {
                               return builder.call("nn.relu", {builder.call("abs", {x})}, {}, "act");
                             }))};
  std::vector<std::string> reports;
  context.on_pass = [&](const PassReport& report) {
    reports.push_back(report.pass.name);
    EXPECT_GE(report.milliseconds, 0);
    EXPECT_EQ(report.graph.size(), report.nodes_before + (report.pass.name == "twice" ? 1 : 0)) << report.pass.name;
    EXPECT_EQ(report.changed, report.pass.name == "twice") << report.pass.name;
  };
  EXPECT_THAT(run(context), HasSubstr("%1 = abs(%0)"));
  EXPECT_EQ(std::count(reports.begin(), reports.end(), "twice"), 1);
  EXPECT_EQ(std::count(reports.begin(), reports.end(), "remove-redundant-casts"), 0);
}

TEST(PassContext, RefusesAPassThatBreaksTheGraph) {
  const auto error = [](std::function<Graph(const Graph&)> pass) {
    PassContext context;
    context.added = {make_pass("mine", "place-pools", std::move(pass))};
    return run(context);
  };
  EXPECT_EQ(error(instead_of_relu([](GraphBuilder& builder, NodeId x) {
              return builder.call("cast", {x}, {{"dtype", std::string("int8")}}, "act");
            })),
            "act: output 0 is a Tensor[(1, 4), int8], not the Tensor[(1, 4), float32] that it was (after the pass "
            "mine, mine.cpp:7)");
  EXPECT_EQ(error([](const Graph&) { return GraphBuilder().finish({}); }),
            "the graph has no output (after the pass mine, mine.cpp:7)");
  EXPECT_EQ(error([](const Graph&) {
              GraphBuilder builder;
              const NodeId x = builder.input("x", {{1, 4}, ElementType::kFloat32});
              return builder.finish({x, x});
            }),
            "the graph has 2 outputs, not the 1 that it had (after the pass mine, mine.cpp:7)");
  EXPECT_EQ(error([](const Graph&) {
              GraphBuilder inner, builder;
              Function function;
              function.name = "f";
              function.body = inner.finish({inner.input("x", {{1, 4}, ElementType::kFloat32})});
              const NodeId x = builder.input("x", {{1, 5}, ElementType::kFloat32});
              return builder.finish({builder.call(function, {x}, "call")});
            }),
            "call: f takes a Tensor[(1, 4), float32] but is given a Tensor[(1, 5), float32] (after the pass mine, "
            "mine.cpp:7)");
}

TEST(PassContext, NamesWhatIsUnknownOrCannotBe) {
  const auto error = [](const std::function<void(PassContext&)>& set) {
    PassContext context;
    set(context);
    return run(context);
  };
  EXPECT_EQ(error([](PassContext& c) { c.disabled = {"fold-afine"}; }),
            "disabled pass fold-afine: there is no such pass; foveac --passes lists all; did you mean fold-affine?");
  EXPECT_EQ(error([](PassContext& c) { c.required = {"zz"}; }),
            "required pass zz: there is no such pass; foveac --passes lists all");
  EXPECT_EQ(error([](PassContext& c) { c.added = {make_pass("a", "fold-batchnorm", same)}; }),
            "pass a: after=fold-batchnorm: there is no such pass; foveac --passes lists all; did you mean "
            "fold-batch-norm?");
  EXPECT_EQ(error([](PassContext& c) { c.added = {make_pass("partition", "import", same)}; }),
            "pass partition: there is one of this name; give it another");
  EXPECT_EQ(error([](PassContext& c) { c.disabled = {"partition"}; }),
            "disabled pass partition: no network is compiled without it; foveac --passes shows which ones are");
  EXPECT_EQ(error([](PassContext& c) { c.disabled = c.required = {"fold-affine"}; }),
            "disabled pass fold-affine: it is required too; leave one out");
}

}  // namespace
}  // namespace fovea
