// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which values of a network become integers, which share a scale, and what stays float.
#include "plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ir/text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A residual block, a join and a softmax.
const char* const kNetwork = R"(
fn (%x: Tensor[(1, 2, 4, 4), float32] from "x") {
  %w = constant [1, 2, 3, 4] : Tensor[(2, 2, 1, 1), float32]
  %b = constant [1, 2] : Tensor[(2,), float32]
  %c = nn.conv2d(%x, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv1"
  %cb = nn.bias_add(%c, %b, axis=1) from "conv1"
  %cr = nn.relu(%cb) from "relu1"
  %d = nn.conv2d(%cr, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv2"
  %s = add(%d, %cr) from "sum"
  %sr = nn.relu(%s) from "relu2"
  %p = nn.max_pool2d(%sr, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "pool"
  %t = sigmoid(%p) from "sigmoid"
  %j = concatenate(%p, %t, axis=1) from "join"
  %y = nn.softmax(%j, axis=1) from "softmax"
  return %y
}
)";

struct Planned {
  Graph graph = parse_graph(kNetwork, "net");
  QuantizationPlan plan;
  std::map<std::string, NodePlan> by_name;  ///< The last node of that name.

  explicit Planned(const QuantizeOptions& options = {}) : plan(plan_quantization(graph, options)) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      by_name[graph[id].origin] = plan.nodes[id];
    }
  }
  std::optional<std::size_t> scale(const std::string& name) { return by_name.at(name).scale; }
  std::vector<std::string> floats() const {
    std::vector<std::string> names;
    for (const FloatNode& node : plan.floats) {
      names.push_back(graph[node.id].origin + ": " + node.why);
    }
    return names;
  }
};

TEST(PlanQuantization, QuantizesOnceBehindBiasAndRelu) {
  Planned planned;
  EXPECT_TRUE(planned.by_name.at("conv1").is_inner);
  EXPECT_FALSE(planned.scale("conv1"));
  EXPECT_TRUE(planned.scale("relu1"));
  EXPECT_TRUE(planned.scale("x"));
  EXPECT_TRUE(planned.scale("conv2"));  // The sum is an operator of its own.
  EXPECT_TRUE(planned.by_name.at("sum").is_inner);
}

TEST(PlanQuantization, GivesPoolsAndJoinsOneScale) {
  Planned planned;
  EXPECT_EQ(planned.scale("relu2"), planned.scale("pool"));
  EXPECT_EQ(planned.scale("sigmoid"), planned.scale("join"));
  EXPECT_EQ(planned.scale("pool"), planned.scale("join"));
  EXPECT_EQ(planned.plan.scales, 4U);  // x, relu1, conv2, and all behind the sum.
}

TEST(PlanQuantization, LeavesSoftmaxUnlessAsked) {
  EXPECT_THAT(Planned().floats(), ElementsAre("softmax: --quantize-softmax quantizes it"));
  QuantizeOptions options;
  options.quantizes_softmax = true;
  EXPECT_THAT(Planned(options).floats(), ElementsAre());
}

TEST(PlanQuantization, KeepsWhatIsNamed) {
  QuantizeOptions options;
  options.kept = {"conv2"};
  Planned planned(options);
  EXPECT_FALSE(planned.by_name.at("conv2").is_on_integers);
  EXPECT_TRUE(planned.scale("conv2"));  // For the sum, which reads it.
  EXPECT_THAT(planned.floats(), ElementsAre("conv2: as --keep-float says", "softmax: --quantize-softmax quantizes it"));
}

TEST(PlanQuantization, QuantizesOnlyWhatIsNamed) {
  QuantizeOptions options;
  options.only = {"sum", "relu2"};
  Planned sum(options);
  EXPECT_TRUE(sum.by_name.at("sum").is_inner);
  EXPECT_TRUE(sum.scale("relu1"));  // It reads two values that float operators make.
  EXPECT_TRUE(sum.scale("conv2"));
  EXPECT_EQ(sum.plan.scales, 3U);
  EXPECT_EQ(sum.floats().front(), "conv1: --only leaves it out");
  options.only = {"pool"};
  Planned pool(options);
  EXPECT_EQ(pool.scale("relu2"), pool.scale("pool"));
  EXPECT_EQ(pool.plan.scales, 1U);
}

TEST(PlanQuantization, FindsThePartsOfAValue) {
  Planned planned;
  std::map<std::string, std::vector<std::string>> parts;
  for (NodeId id = 0; id < planned.graph.size(); ++id) {
    std::vector<std::string>& names = parts[planned.graph[id].origin];
    names.clear();
    for (const NodeId part : parts_of(planned.graph, planned.plan, id)) {
      names.push_back(planned.graph[part].origin);
    }
  }
  EXPECT_THAT(parts.at("relu1"), ElementsAre("conv1", "conv1", "relu1"));
  EXPECT_THAT(parts.at("conv2"), ElementsAre("conv2"));
  EXPECT_THAT(parts.at("relu2"), ElementsAre("sum", "relu2"));
}

/// SiLU, and hard swish as PyTorch exports it, whose sum is also read elsewhere in the second form. Each is one table.
std::vector<bool> within_functions(bool is_read_elsewhere) {
  const std::string network = std::string(R"(
fn (%x: Tensor[(1, 2, 4, 4), float32] from "x") {
  %w = constant [1, 2, 3, 4] : Tensor[(2, 2, 1, 1), float32]
  %three = constant 3 : Tensor[(), float32]
  %six = constant 6 : Tensor[(), float32]
  %c = nn.conv2d(%x, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv"
  %g = sigmoid(%c) from "sigmoid"
  %s = multiply(%c, %g) from "silu"
  %d = nn.conv2d(%s, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv2"
  %t = add(%d, %three) from "sum"
  %r = clip(%t, min=0, max=6) from "clip"
  %m = multiply(%d, %r) from "product"
  %h = divide(%m, %six) from "swish"
  return )") + (is_read_elsewhere ? "%h, %t" : "%h") +
                              "\n}\n";
  const Graph graph = parse_graph(network, "net");
  const QuantizationPlan plan = plan_quantization(graph, {});
  std::map<std::string, bool> inner;
  for (NodeId id = 0; id < graph.size(); ++id) {
    inner[graph[id].origin] = plan.nodes[id].is_inner;
    if (graph[id].kind == NodeKind::kConstant && graph[id].type.shape.empty()) {
      const bool is_in_function = !is_read_elsewhere;
      EXPECT_EQ(plan.nodes[id].scale.has_value(), !is_in_function) << graph[id].constant->at(0);
    }
  }
  std::vector<bool> result;
  for (const char* name : {"conv", "sigmoid", "silu", "conv2", "sum", "clip", "product", "swish"}) {
    result.push_back(inner.at(name));
  }
  return result;
}

TEST(PlanQuantization, QuantizesFunctionsOfOneValueAtTheirEnd) {
  EXPECT_THAT(within_functions(false), ElementsAre(false, true, false, false, true, true, true, false));
  EXPECT_THAT(within_functions(true), ElementsAre(false, true, false, false, false, false, false, false));
}

std::string refusal(const QuantizeOptions& options) {
  try {
    Planned{options};
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanQuantization, RefusesNamesThatThereAreNot) {
  QuantizeOptions options;
  options.kept = {"conv3"};
  EXPECT_THAT(refusal(options),
              HasSubstr("--keep-float conv3: the simplified network has no node of that name; its first "
                        "ones are conv1, conv2, join, pool"));
  options.kept = {};
  options.only = {"conv1", "conv4"};
  EXPECT_THAT(refusal(options), HasSubstr("--only conv4: the simplified network has no node of that name"));
}

TEST(PlanQuantization, RefusesWhereNothingIsLeft) {
  QuantizeOptions options;
  options.kept = {"conv1", "conv2"};
  EXPECT_THAT(refusal(options), HasSubstr("there is nothing to quantize"));
}

}  // namespace
}  // namespace fovea
