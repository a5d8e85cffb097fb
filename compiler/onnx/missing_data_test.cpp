// SPDX-License-Identifier: Apache-2.0
/// \file
/// Weights that are not there: what looks at shapes only has others, and nothing else has.
#include "missing_data.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "import.h"
#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr auto kInt8 = onnx::TensorProto::INT8, kInt32 = onnx::TensorProto::INT32;

void put_into_file(onnx::TensorProto& constant, const std::string& file) {
  constant.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *constant.add_external_data();
  entry.set_key("location");
  entry.set_value(file);
}

/// Two convolutions of a quantized input, whose weights are int8 and whose biases are int32.
class MissingDataTest : public testing::Test {
 protected:
  MissingDataTest() {
    model_.floats("w_scale", {}, {0.25F});
    model_.integers("w_zero", kInt8, {}, {0});
    model_.floats("b_scale", {}, {0.125F});
    model_.node("DequantizeLinear", "dequantize", {"x_q", "scale", "zero"}, {"x_d"});
    for (const std::string n : {"1", "2"}) {
      model_.integers("w" + n, kInt8, {2, 1, 3, 3}, {});
      model_.integers("b" + n, kInt32, {2}, {});
      model_.node("DequantizeLinear", "weights" + n, {"w" + n, "w_scale", "w_zero"}, {"wd" + n});
      model_.node("DequantizeLinear", "biases" + n, {"b" + n, "b_scale"}, {"bd" + n});
      model_.node("Conv", "conv" + n, {"x_d", "wd" + n, "bd" + n}, {"y" + n});
      model_.output("y" + n);
    }
  }

  /// The constant of that name; "said" becomes what is missing.
  Tensor constant(const std::string& name) {
    ImportOptions options;
    options.on_missing_data = [&](const std::string& line) { said_ = line; };
    const Graph graph = import_model(model_.model(), "net.onnx", ".", options);
    const auto node = std::ranges::find_if(
        graph.nodes(), [&](const Node& each) { return each.kind == NodeKind::kConstant && each.origin == name; });
    return node == graph.nodes().end() ? Tensor({{}, ElementType::kFloat32}) : *node->constant;
  }

  std::string error() {
    try {
      import_model(model_.model(), "net.onnx");
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  ModelBuilder model_;
  std::string said_;
};

TEST_F(MissingDataTest, IsSaidInOneLine) {
  EXPECT_EQ(error(),
            "net.onnx: w1 and 3 other constants have no data; export the model with its weights, or look at shapes "
            "only: foveac check and foveac map");
  constant("w1");
  EXPECT_EQ(said_, "net.onnx: w1 and 3 other constants have no data; figures are of shapes only");
}

TEST_F(MissingDataTest, NamesTheFileThatIsNotThere) {
  ModelBuilder model;
  put_into_file(model.floats("w", {4}, {}), "gone.bin");
  put_into_file(model.floats("unread", {4}, {}), "gone.bin");
  model.node("Add", "sum", {"x", "w"}, {"y"});
  model_ = model.output("y");
  EXPECT_EQ(
      error(),
      "net.onnx: w has no data, as gone.bin is not beside the model; put that file there, or look at shapes only: "
      "foveac check and foveac map");
  const Tensor w = constant("w");
  EXPECT_EQ(w.type(), (TensorType{{4}, ElementType::kFloat32}));
  for (const float value : w.values<float>()) {
    EXPECT_TRUE(value > 0 && value < 1) << value;
  }
}

/// Equal ones would make one layer of two.
TEST_F(MissingDataTest, StandInsAreTheSameEachTimeAndDifferFromEachOther) {
  EXPECT_EQ(constant("w1"), constant("w1"));
  EXPECT_FALSE(constant("w1") == constant("w2"));
  EXPECT_EQ(constant("b1"), Tensor::of<int32_t>({2}, {1, 1}));
}

TEST_F(MissingDataTest, NothingStandsInForWhatDecides) {
  ModelBuilder model;
  model.floats("scale_left_out", {}, {});
  model.integers("shape_left_out", onnx::TensorProto::INT64, {2}, {});
  model.node("DequantizeLinear", "dequantize", {"x_q", "scale_left_out", "zero"}, {"d"});
  model.node("Reshape", "reshape", {"x", "shape_left_out"}, {"r"});
  model_ = model.output("d").output("r");
  try {
    constant("w");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "scale_left_out: is float32 (), but the model does not hold it; export the model with it\n"
                 "shape_left_out: is int64 (2,), but the model does not hold it; export the model with it");
  }
}

}  // namespace
}  // namespace fovea
