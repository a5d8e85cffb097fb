// SPDX-License-Identifier: Apache-2.0
/// \file
/// A small network from float to QDQ: its numbers against the formulas, its report against the evaluator, its refusals.
#include "quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "export/export_graph.h"
#include "ir/evaluate.h"
#include "ir/text.h"
#include "onnx/import.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Tensor drawn(std::mt19937& random, Shape shape, float deviation) {
  Tensor tensor({std::move(shape), ElementType::kFloat32});
  std::normal_distribution<float> normal(0, deviation);
  for (float& value : tensor.values<float>()) {
    value = normal(random);
  }
  return tensor;
}

NodeId biased(GraphBuilder& builder, std::mt19937& random, NodeId product, const std::string& name) {
  const Shape filters{builder[product].type.shape[1]};
  return builder.call("nn.bias_add", {product, builder.constant(drawn(random, filters, 0.3F))}, {{"axis", int64_t{1}}},
                      name);
}

NodeId convolution(GraphBuilder& builder, std::mt19937& random, NodeId x, const Shape& weight, int64_t groups,
                   const std::string& name) {
  const Attributes attributes{{"strides", std::vector<int64_t>{1, 1}},
                              {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                              {"dilations", std::vector<int64_t>{1, 1}},
                              {"groups", groups}};
  return builder.call("nn.conv2d", {x, builder.constant(drawn(random, weight, 0.4F))}, attributes, name);
}

/// conv1, relu; depthwise conv2, relu6; conv3 without a bias; their sum, pooled; fc.
Graph small_network() {
  std::mt19937 random(23);
  GraphBuilder builder;
  const NodeId x = builder.input("x", {{1, 3, 8, 8}, ElementType::kFloat32});
  const NodeId c1 = biased(builder, random, convolution(builder, random, x, {8, 3, 3, 3}, 1, "conv1"), "conv1");
  const NodeId r1 = builder.call("nn.relu", {c1}, {}, "relu1");
  const NodeId c2 = biased(builder, random, convolution(builder, random, r1, {8, 1, 3, 3}, 8, "conv2"), "conv2");
  const NodeId r2 = builder.call("clip", {c2}, {{"min", 0.0}, {"max", 6.0}}, "relu6");
  const NodeId c3 = convolution(builder, random, r2, {8, 8, 3, 3}, 1, "conv3");
  const NodeId sum = builder.call("nn.relu", {builder.call("add", {c3, r1}, {}, "sum")}, {}, "relu2");
  const NodeId mean = builder.call("nn.global_avg_pool2d", {sum}, {}, "mean");
  const NodeId flat = builder.call("reshape", {mean}, {{"newshape", std::vector<int64_t>{1, 8}}}, "flat");
  const NodeId dense = builder.call("nn.dense", {flat, builder.constant(drawn(random, {5, 8}, 0.5F))}, {}, "fc");
  return builder.finish({biased(builder, random, dense, "fc")}, {"y"});
}

std::vector<CalibrationInput> drawn_inputs(std::size_t count) {
  std::mt19937 random(29);
  std::vector<CalibrationInput> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    inputs.push_back({drawn(random, {1, 3, 8, 8}, 1)});
  }
  return inputs;
}

QuantizationResult quantized(const QuantizeOptions& options, const Graph& network = small_network()) {
  return quantize_network(network, drawn_inputs(20), options, [](const std::string&) {});
}

std::size_t count_calls(const Graph& graph, std::string_view op) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.nodes(), [&](const Node& node) { return is_call(node, op); }));
}

std::vector<QuantizeOptions> all_forms() {
  std::vector<QuantizeOptions> forms;
  for (const ScaleForm scales : {ScaleForm::kAny, ScaleForm::kPowerOfTwo}) {
    for (const bool is_per_channel : {false, true}) {
      for (const ElementType activations : {ElementType::kUint8, ElementType::kInt8}) {
        for (const Calibration method :
             {Calibration::kMinMax, Calibration::kPercentile, Calibration::kMse, Calibration::kBest}) {
          QuantizeOptions options;
          options.scales = scales;
          options.is_per_channel = is_per_channel;
          options.activations = activations;
          options.calibration = method;
          forms.push_back(options);
        }
      }
    }
  }
  return forms;
}

TEST(QuantizeNetwork, HasTheWeightsAndBiasesOfTheFormulas) {
  for (const QuantizeOptions& form : all_forms()) {
    QuantizeOptions options = form;
    options.corrects_bias = false;
    const Graph network = small_network(), graph = quantized(options).graph;
    std::size_t products = 0;
    for (const Node& add : graph.nodes()) {
      if (!is_call(add, "nn.bias_add")) {
        continue;
      }
      ++products;
      const Node& product = graph[add.inputs[0]];
      const auto named = std::ranges::find_if(
          network.nodes(), [&](const Node& node) { return is_call(node, "nn.bias_add") && node.origin == add.origin; });
      const Node &w = graph[product.inputs[1]], &b = graph[add.inputs[1]], &x = graph[product.inputs[0]];
      const Quantization weight = read_quantization(graph, w), bias = read_quantization(graph, b);
      const float sx = read_quantization(graph, x).scale();
      const Tensor &ints = *graph[w.inputs[0]].constant, &steps = *graph[b.inputs[0]].constant;
      const Tensor& reals = *network[network[named->inputs[0]].inputs[1]].constant;
      const std::size_t filters = steps.values<int32_t>().size(), taps = ints.values<int8_t>().size() / filters;
      EXPECT_EQ(weight.scales.size(), options.is_per_channel ? filters : 1);
      EXPECT_EQ(bias.scales.size(), weight.scales.size());
      for (std::size_t m = 0; m < filters; ++m) {
        const float sw = weight.scales[options.is_per_channel ? m : 0];
        EXPECT_EQ(bias.scales[options.is_per_channel ? m : 0], sx * sw);
        EXPECT_EQ(options.scales == ScaleForm::kPowerOfTwo, is_power_of_two(sw) && is_power_of_two(sx));
        EXPECT_NEAR(steps.at(m), network[named->inputs[1]].constant->at(m) / (double{sx} * sw), 0.501);
        for (std::size_t k = m * taps; k < (m + 1) * taps; ++k) {
          EXPECT_NEAR(ints.at(k), std::clamp(reals.at(k) / sw, -127.0, 127.0), 0.501);
        }
      }
    }
    EXPECT_EQ(products, 3U);  // conv3 has no bias, and gets none.
  }
}

TEST(QuantizeNetwork, QuantizesEachValueOnceAndDropsWhatThatDoes) {
  const Graph graph = quantized({}).graph;
  EXPECT_EQ(count_calls(graph, "qnn.quantize"), 8U);  // x, relu1, relu6, conv3, relu2, mean, flat, fc.
  EXPECT_EQ(count_calls(graph, "nn.relu"), 0U);
  for (const Node& node : graph.nodes()) {
    if (is_call(node, "qnn.quantize") && (node.origin == "relu1" || node.origin == "relu2" || node.origin == "relu6")) {
      EXPECT_EQ(read_quantization(graph, node).zero_point(), 0) << node.origin;
    }
  }
}

/// What foveac prints is what the evaluator, operator by operator, finds of the network that is written.
TEST(QuantizeNetwork, ReportsWhatTheWrittenNetworkAnswers) {
  const Graph network = small_network();
  const std::vector<CalibrationInput> inputs = drawn_inputs(20);
  for (const QuantizeOptions& options : all_forms()) {
    const QuantizationResult result = quantized(options);
    double signal = 0, noise = 0;
    std::size_t same = 0;
    for (const CalibrationInput& input : inputs) {
      const Tensor expected = evaluate(network, input)[0], actual = evaluate(result.graph, input)[0];
      const auto a = expected.values<float>(), b = actual.values<float>();
      for (std::size_t i = 0; i < a.size(); ++i) {
        signal += double{a[i]} * a[i];
        noise += std::pow(double{a[i]} - b[i], 2);
      }
      same += std::ranges::max_element(a) - a.begin() == std::ranges::max_element(b) - b.begin() ? 1 : 0;
    }
    EXPECT_NEAR(result.report.outputs.at(0).decibels, 10 * std::log10(signal / noise), 0.05);
    EXPECT_EQ(result.report.outputs.at(0).same_largest, same);
    EXPECT_GE(result.report.outputs.at(0).decibels, 15);
  }
}

/// Sum over outputs of the squared mean difference from float.
double squared_bias(const Graph& network, const Graph& graph) {
  std::vector<double> means(5);
  const std::vector<CalibrationInput> inputs = drawn_inputs(20);
  for (const CalibrationInput& input : inputs) {
    const Tensor expected = evaluate(network, input)[0], actual = evaluate(graph, input)[0];
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] += (expected.at(i) - actual.at(i)) / static_cast<double>(inputs.size());
    }
  }
  double sum = 0;
  for (const double mean : means) {
    sum += mean * mean;
  }
  return sum;
}

TEST(QuantizeNetwork, CorrectsTheMeanOfWhatProductsGive) {
  QuantizeOptions options;
  options.scales = ScaleForm::kPowerOfTwo;
  const Graph corrected = quantized(options).graph;
  options.corrects_bias = false;
  const Graph plain = quantized(options).graph;
  EXPECT_LT(squared_bias(small_network(), corrected), 0.2 * squared_bias(small_network(), plain));
  EXPECT_EQ(count_calls(corrected, "nn.bias_add"), 4U);  // conv3 has one now.
}

TEST(QuantizeNetwork, TakesTheBestMethodForEachScale) {
  QuantizeOptions options;
  options.corrects_bias = false;
  options.calibration = Calibration::kBest;
  const double best = quantized(options).report.outputs[0].decibels;
  options.calibration = Calibration::kMse;
  EXPECT_GE(best, quantized(options).report.outputs[0].decibels - 1);  // Judged on 16 of the 40 inputs.
}

TEST(QuantizeNetwork, IsOnnxThatComesBackTheSame) {
  for (const QuantizeOptions& options : all_forms()) {
    const Graph graph = quantized(options).graph;
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(export_graph(graph, "net")));
    EXPECT_GE(model.opset_import(0).version(), 13);
    EXPECT_LE(model.opset_import(0).version(), 17);
    onnx::checker::check_model(model);
    const CalibrationInput input = drawn_inputs(1)[0];
    EXPECT_TRUE(evaluate(import_model(model, "net"), input)[0] == evaluate(graph, input)[0]);
  }
}

TEST(QuantizeNetwork, KeepsNodesFloat) {
  QuantizeOptions options;
  options.kept = {"conv1", "fc"};
  const QuantizationResult result = quantized(options);
  EXPECT_EQ(count_calls(result.graph, "nn.relu"), 1U);  // Behind conv1, it reads float values.
  EXPECT_EQ(result.report.floats.at(0).name, "conv1");
  EXPECT_EQ(result.report.floats.at(0).why, "as --keep-float says");
}

TEST(QuantizeNetwork, EqualizesFirstWhereAsked) {
  QuantizeOptions options;
  options.equalizes = true;
  EXPECT_GE(quantized(options).report.outputs[0].decibels, 20);
}

std::string refusal(const std::vector<CalibrationInput>& inputs, const Graph& network = small_network()) {
  try {
    quantize_network(network, inputs, {}, [](const std::string&) {});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(QuantizeNetwork, RefusesValuesThatAreNoNumbers) {
  auto inputs = drawn_inputs(3);
  inputs[1][0].values<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(inputs),
              StartsWith("x: the calibration data have infinite values or values that are no numbers"));
  inputs[1][0].values<float>()[5] = 3e38F;
  EXPECT_THAT(refusal(inputs), StartsWith("conv1: gives infinite values or values that are no numbers"));
}

TEST(QuantizeNetwork, RefusesDeadLayers) {
  auto inputs = drawn_inputs(3);
  for (CalibrationInput& input : inputs) {
    std::ranges::fill(input[0].values<float>(), 0.0F);
  }
  EXPECT_THAT(refusal(inputs), HasSubstr("x: all its values are 0"));
  const Graph dead = parse_graph(R"(
fn (%x: Tensor[(1, 1, 2, 2), float32] from "x") {
  %w = constant 0 : Tensor[(1, 1, 1, 1), float32]
  %c = nn.conv2d(%x, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv"
  return %c
}
)",
                                 "net");
  const CalibrationInput input{Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4})};
  EXPECT_THAT(refusal({input}, dead), HasSubstr("conv: all its values are 0 on the calibration data"));
}

/// As ONNX Runtime computes a pool, and a ReLU at another scale behind it, otherwise than one after the other.
TEST(SimplifyFloatNetwork, HasReluBeforeThePool) {
  std::mt19937 random(31);
  GraphBuilder builder;
  const NodeId x = builder.input("x", {{1, 3, 8, 8}, ElementType::kFloat32});
  const NodeId conv = biased(builder, random, convolution(builder, random, x, {4, 3, 3, 3}, 1, "conv"), "conv");
  const NodeId pool = builder.call("nn.max_pool2d", {conv},
                                   {{"kernel", std::vector<int64_t>{2, 2}},
                                    {"strides", std::vector<int64_t>{2, 2}},
                                    {"pads", std::vector<int64_t>{0, 0, 0, 0}},
                                    {"dilations", std::vector<int64_t>{1, 1}},
                                    {"ceil_mode", int64_t{0}}},
                                   "pool");
  const NodeId relu = builder.call("nn.relu", {pool}, {}, "relu");
  const Graph graph = builder.finish({relu}, {"y"});
  const Graph simplified = simplify_float_network(graph);
  const NodeId last = simplified.outputs()[0];
  EXPECT_TRUE(is_call(simplified[last], "nn.max_pool2d"));
  EXPECT_TRUE(is_call(simplified[simplified[last].inputs[0]], "nn.relu"));
  const Tensor input = drawn(random, {1, 3, 8, 8}, 1);
  EXPECT_TRUE(evaluate(graph, {input})[0] == evaluate(simplified, {input})[0]);
}

TEST(SimplifyFloatNetwork, RefusesWhatIsQuantized) {
  try {
    simplify_float_network(quantized({}).graph);
    FAIL() << "it is quantized";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the network is quantized already"));
  }
}

}  // namespace
}  // namespace fovea
