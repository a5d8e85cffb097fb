// SPDX-License-Identifier: Apache-2.0
/// \file
/// Equalized layers have equal ranges a channel, and the network computes what it did.
#include "equalize_layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

#include "ir/evaluate.h"
#include "ops/operator.h"
#include "plan.h"

namespace fovea {
namespace {

const Attributes kWindow{{"strides", std::vector<int64_t>{1, 1}},
                         {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                         {"dilations", std::vector<int64_t>{1, 1}}};

Tensor drawn(std::mt19937& random, Shape shape) {
  Tensor tensor({std::move(shape), ElementType::kFloat32});
  std::normal_distribution<float> normal;
  for (float& value : tensor.values<float>()) {
    value = normal(random) * std::exp(2 * normal(random));
  }
  return tensor;
}

NodeId convolution(GraphBuilder& builder, std::mt19937& random, NodeId x, const Shape& weight, int64_t groups) {
  Attributes attributes = kWindow;
  attributes["groups"] = groups;
  const NodeId product = builder.call("nn.conv2d", {x, builder.constant(drawn(random, weight))}, attributes, "conv");
  return builder.call("nn.bias_add", {product, builder.constant(drawn(random, {weight[0]}))}, {{"axis", int64_t{1}}});
}

/// Pointwise, depthwise, pointwise; \param is_branched  whether the first one's result is read twice.
/// \param bound  Of Clips, where they are no ReLUs.
Graph separable(bool is_branched, std::optional<double> bound = std::nullopt) {
  std::mt19937 random(17);
  GraphBuilder builder;
  const NodeId x = builder.input("x", {{1, 2, 5, 5}, ElementType::kFloat32});
  const auto relu = [&](NodeId value) {
    return bound ? builder.call("clip", {value}, {{"min", 0.0}, {"max", *bound}}, "clip")
                 : builder.call("nn.relu", {value});
  };
  const NodeId first = relu(convolution(builder, random, x, {4, 2, 3, 3}, 1));
  const NodeId second = relu(convolution(builder, random, first, {4, 1, 3, 3}, 4));
  const NodeId third = convolution(builder, random, second, {3, 4, 3, 3}, 1);
  return builder.finish(is_branched ? std::vector{third, first} : std::vector{third},
                        is_branched ? std::vector<std::string>{"y", "z"} : std::vector<std::string>{"y"});
}

/// The weights of all convolutions, in order.
std::vector<const Tensor*> weights_of(const Graph& graph) {
  std::vector<const Tensor*> weights;
  for (const Node& node : graph.nodes()) {
    if (is_call(node, "nn.conv2d")) {
      weights.push_back(graph[node.inputs[1]].constant.get());
    }
  }
  return weights;
}

/// The largest magnitude of filter i, or of input channel i.
double range(const Tensor& weight, int64_t i, bool is_input) {
  const Shape& shape = weight.type().shape;
  const int64_t taps = shape[2] * shape[3];
  double most = 0;
  for (int64_t m = 0; m < shape[0]; ++m) {
    for (int64_t c = 0; c < shape[1]; ++c) {
      for (int64_t k = 0; (is_input ? c : m) == i && k < taps; ++k) {
        most = std::max(most, std::abs(weight.at(static_cast<std::size_t>((m * shape[1] + c) * taps + k))));
      }
    }
  }
  return most;
}

TEST(EqualizeLayers, GivesBothLayersOneRangeAChannel) {
  const Graph equalized = equalize_layers(separable(false), {});
  const auto weights = weights_of(equalized);
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(range(*weights[0], i, false), range(*weights[1], i, false), 0.01 * range(*weights[0], i, false)) << i;
    EXPECT_NEAR(range(*weights[1], i, false), range(*weights[2], i, true), 0.01 * range(*weights[1], i, false)) << i;
  }
}

TEST(EqualizeLayers, KeepsWhatTheNetworkComputes) {
  std::mt19937 random(19);
  for (const bool is_branched : {false, true}) {
    const Graph graph = separable(is_branched);
    const Tensor x = drawn(random, {1, 2, 5, 5});
    const auto before = evaluate(graph, {x}), after = evaluate(equalize_layers(graph, {}), {x});
    for (std::size_t output = 0; output < before.size(); ++output) {
      for (std::size_t i = 0; i < before[output].values<float>().size(); ++i) {
        EXPECT_NEAR(after[output].at(i), before[output].at(i), 1e-4 * std::abs(before[output].at(i)) + 1e-4);
      }
    }
  }
}

/// Some channels reach the bound, others stay below it; none is cut where it was not.
TEST(EqualizeLayers, KeepsWhatClipsCut) {
  std::mt19937 random(31);
  const Tensor x = drawn(random, {1, 2, 5, 5});
  std::size_t cut = 0;
  for (const double bound : {4.0, 40.0, 4000.0}) {
    const Graph graph = separable(false, bound);
    const ChannelMaxima maxima =
        find_channel_maxima(graph, plan_quantization(graph, {}), std::vector<CalibrationInput>{{x}}, [](auto&) {});
    ASSERT_EQ(maxima.size(), 2U);
    const Graph equalized = equalize_layers(graph, maxima);
    const Tensor before = evaluate(graph, {x})[0], after = evaluate(equalized, {x})[0];
    for (std::size_t i = 0; i < before.values<float>().size(); ++i) {
      EXPECT_NEAR(after.at(i), before.at(i), 1e-4 * std::abs(before.at(i)) + 1e-3) << bound;
    }
    for (int64_t i = 0; i < 4; ++i) {
      const bool is_cut = maxima.begin()->second[static_cast<std::size_t>(i)] >= bound;
      const bool is_same = range(*weights_of(equalized)[0], i, false) == range(*weights_of(graph)[0], i, false);
      EXPECT_EQ(is_cut, is_same) << bound << ", channel " << i;
      cut += is_cut ? 1 : 0;
    }
    EXPECT_TRUE(*weights_of(equalize_layers(graph, {}))[0] == *weights_of(graph)[0]);  // Of Clips nothing is known.
  }
  EXPECT_GT(cut, 0U);
  EXPECT_LT(cut, 12U);
}

TEST(EqualizeLayers, LeavesLayersThatAreReadElsewhere) {
  const Graph graph = separable(true);
  EXPECT_TRUE(*weights_of(equalize_layers(graph, {}))[0] == *weights_of(graph)[0]);
  EXPECT_FALSE(*weights_of(equalize_layers(graph, {}))[2] == *weights_of(graph)[2]);
}

}  // namespace
}  // namespace fovea
