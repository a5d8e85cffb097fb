// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are quantizations in a row merged as ONNX Runtime merges them? The scales that it chooses were read off the graphs
/// that it optimized.
#include "merge_quantizations.h"

#include <gtest/gtest.h>

#include "model_builder.h"

namespace fovea {
namespace {

/// x, quantized at `first`, dequantized, quantized at `second` and dequantized, all as y.
ModelBuilder row_of_pairs(std::pair<float, int64_t> first, std::pair<float, int64_t> second) {
  ModelBuilder model;
  model.floats("s1", {}, {first.first});
  model.integers("z1", onnx::TensorProto::UINT8, {}, {first.second});
  model.floats("s2", {}, {second.first});
  model.integers("z2", onnx::TensorProto::UINT8, {}, {second.second});
  model.node("QuantizeLinear", "q1", {"x", "s1", "z1"}, {"a"});
  model.node("DequantizeLinear", "d1", {"a", "s1", "z1"}, {"b"});
  model.node("QuantizeLinear", "q2", {"b", "s2", "z2"}, {"c"});
  model.node("DequantizeLinear", "d2", {"c", "s2", "z2"}, {"y"});
  model.output("y");
  return model;
}

const onnx::TensorProto& initializer(const onnx::GraphProto& graph, const std::string& name) {
  for (const onnx::TensorProto& each : graph.initializer()) {
    if (each.name() == name) {
      return each;
    }
  }
  throw std::out_of_range(name);
}

const onnx::NodeProto& node_named(const onnx::GraphProto& graph, const std::string& name) {
  for (const onnx::NodeProto& each : graph.node()) {
    if (each.name() == name) {
      return each;
    }
  }
  throw std::out_of_range(name);
}

TEST(MergeQuantizations, TakesTheRangeThatBothHave) {
  struct Row {
    std::pair<float, int64_t> first, second;
    float scale;
    int32_t zero_point;
  };
  for (const Row& row : {Row{{0.05679722875356674F, 138}, {0.02627719F, 0}, 0.02605990506708622F, 0},
                         Row{{0.050583433359861374F, 120}, {0.026860380545258522F, 0}, 0.02677946537733078F, 0},
                         Row{{0.0263F, 0}, {0.05F, 120}, 0.02630000002682209F, 0}}) {
    const auto merged = merge_quantizations(row_of_pairs(row.first, row.second).graph(), ".");
    ASSERT_TRUE(merged.has_value());
    EXPECT_EQ(merged->node_size(), 3) << "the one that ModelBuilder makes, and two";
    for (const std::string name : {"q1", "d2"}) {
      const onnx::NodeProto& node = node_named(*merged, name);
      EXPECT_EQ(initializer(*merged, node.input(1)).float_data(0), row.scale);
      EXPECT_EQ(initializer(*merged, node.input(2)).int32_data(0), row.zero_point);
    }
    EXPECT_EQ(node_named(*merged, "d2").input(0), "a");
  }
}

TEST(MergeQuantizations, LeavesWhatOthersRead) {
  for (const std::string value : {"a", "b", "c"}) {
    ModelBuilder model = row_of_pairs({0.5F, 0}, {0.25F, 128});
    model.node("Identity", "other", {value}, {"z"});
    EXPECT_FALSE(merge_quantizations(model.graph(), ".").has_value()) << value << " is read";
    ModelBuilder output = row_of_pairs({0.5F, 0}, {0.25F, 128});
    output.output(value);
    EXPECT_FALSE(merge_quantizations(output.graph(), ".").has_value()) << value << " is an output";
  }
}

TEST(MergeQuantizations, LeavesPairsThatDoNotAgree) {
  ModelBuilder model = row_of_pairs({0.5F, 0}, {0.25F, 128});
  model.graph().mutable_node(2)->set_input(1, "s2");
  EXPECT_FALSE(merge_quantizations(model.graph(), ".").has_value());
}

TEST(MergeQuantizations, MergesThreeInARow) {
  ModelBuilder model = row_of_pairs({0.5F, 0}, {0.25F, 128});
  model.node("QuantizeLinear", "q3", {"y", "s1", "z1"}, {"e"});
  model.node("DequantizeLinear", "d3", {"e", "s1", "z1"}, {"f"});
  model.graph().clear_output();
  model.output("f");
  const auto merged = merge_quantizations(model.graph(), ".");
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->node_size(), 3);
  EXPECT_EQ(node_named(*merged, "d3").input(0), "a");
}

/// A convolution of 1 filter that reads y of row_of_pairs({0.0263, 0}, `second`).
onnx::GraphProto with_convolution(std::pair<float, int64_t> second, float bias_scale) {
  ModelBuilder model = row_of_pairs({0.0263F, 0}, second);
  model.integers("w", onnx::TensorProto::INT8, {1, 1, 1, 1}, {3});
  model.floats("sw", {}, {0.5F});
  model.integers("zw", onnx::TensorProto::INT8, {}, {0});
  model.integers("bias", onnx::TensorProto::INT32, {1}, {100});
  model.floats("sb", {}, {bias_scale});
  model.integers("zb", onnx::TensorProto::INT32, {}, {0});
  model.node("DequantizeLinear", "dw", {"w", "sw", "zw"}, {"w_f"});
  model.node("DequantizeLinear", "db", {"bias", "sb", "zb"}, {"bias_f"});
  model.node("Conv", "conv", {"y", "w_f", "bias_f"}, {"sum"});
  model.graph().clear_output();
  model.output("sum");
  return *merge_quantizations(model.graph(), ".");
}

TEST(MergeQuantizations, BiasFarFromItsScaleIsOfNumbers) {
  const onnx::GraphProto near = with_convolution({0.02628F, 0}, 0.02628F * 0.5F);
  EXPECT_EQ(node_named(near, "conv").input(2), "bias_f");
  const onnx::GraphProto far = with_convolution({0.05F, 120}, 0.05F * 0.5F);
  const onnx::TensorProto& bias = initializer(far, node_named(far, "conv").input(2));
  EXPECT_EQ(bias.data_type(), onnx::TensorProto::FLOAT);
  EXPECT_EQ(bias.float_data(0), 100 * (0.05F * 0.5F));
}

}  // namespace
}  // namespace fovea
