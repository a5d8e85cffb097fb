// SPDX-License-Identifier: Apache-2.0
/// \file
/// What converters make of ONNX nodes where it is not one operator for one: biases, weights, folded shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "import.h"
#include "ir/evaluate.h"
#include "ir/quantization.h"
#include "model_builder.h"
#include "ops/operator.h"

namespace fovea {
namespace {

/// Operations along input 0 from the output back to the network's input or a constant, the output's first.
std::string chain_of(const Graph& graph) {
  std::string text;
  for (NodeId id = graph.outputs()[0]; graph[id].kind == NodeKind::kCall; id = graph[id].inputs[0]) {
    text += (text.empty() ? "" : " ") + graph[id].op->name;
  }
  return text;
}

Graph import(ModelBuilder& model, const std::string& output) {
  model.output(output);
  return import_model(model.model(), "net.onnx");
}

/// A model whose "row" is the input as [1, 16], and "w" an int8 [16, 2] dequantized.
ModelBuilder model_with_weights() {
  ModelBuilder model;
  model.node("Flatten", "flat", {"x"}, {"row"});
  std::vector<int64_t> weights(32);
  for (int64_t i = 0; i < 32; ++i) {
    weights[i] = i - 16;
  }
  model.integers("w_q", onnx::TensorProto::INT8, {16, 2}, weights);
  model.integers("zero_i8", onnx::TensorProto::INT8, {}, {0});
  model.node("DequantizeLinear", "weights", {"w_q", "scale", "zero_i8"}, {"w"});
  return model;
}

TEST(ConvertTest, MatMulTransposesTheIntegers) {
  ModelBuilder model = model_with_weights();
  model.node("MatMul", "fc", {"row", "w"}, {"y"});
  const Graph graph = import(model, "y");
  const Node& dense = graph[graph.outputs()[0]];
  ASSERT_TRUE(is_call(dense, "nn.dense"));
  EXPECT_EQ(dense.origin, "fc");
  const Node& weights = graph[dense.inputs[1]];
  EXPECT_TRUE(is_call(weights, "qnn.dequantize"));
  EXPECT_TRUE(is_call(graph[weights.inputs[0]], "transpose"));
  EXPECT_EQ(weights.type.shape, (Shape{2, 16}));
}

TEST(ConvertTest, MatMulAndAddIsAFullyConnectedLayer) {
  for (const auto& shape : std::vector<std::vector<int64_t>>{{2}, {1, 2}}) {
    ModelBuilder model = model_with_weights();
    model.integers("b_q", onnx::TensorProto::INT32, shape, {3, -5});
    model.integers("zero_i32", onnx::TensorProto::INT32, {}, {0});
    model.node("DequantizeLinear", "bias", {"b_q", "scale", "zero_i32"}, {"b"});
    model.node("MatMul", "fc", {"row", "w"}, {"product"});
    model.node("Add", "sum", {"b", "product"}, {"y"});
    const Graph graph = import(model, "y");
    EXPECT_EQ(chain_of(graph), "nn.bias_add nn.dense reshape");
    const Node& bias = graph[graph[graph.outputs()[0]].inputs[1]];
    EXPECT_TRUE(is_call(bias, "qnn.dequantize"));
    EXPECT_EQ(bias.type.shape, Shape{2});
    std::vector<float> ones(16, 1);
    const Tensor y = evaluate(graph, {Tensor::of<float>({1, 1, 4, 4}, ones)}).at(0);
    EXPECT_EQ(y, Tensor::of<float>({1, 2}, {-16 * 0.5F + 3 * 0.5F, 0 * 0.5F - 5 * 0.5F}));
  }
}

TEST(ConvertTest, IntegersOfFourBitsAreTwoAByte) {
  constexpr auto kInt4 = static_cast<onnx::TensorProto_DataType>(22);
  ModelBuilder model;
  model.integers("q", kInt4, {3}, {0x7F, 0x08});
  model.integers("zero_i4", kInt4, {}, {0x03});
  model.node("DequantizeLinear", "dq", {"q", "scale", "zero_i4"}, {"y"});
  const Tensor y = evaluate(import(model, "y"), {Tensor({{1, 1, 4, 4}, ElementType::kFloat32})}).at(0);
  EXPECT_EQ(y, Tensor::of<float>({3}, {(-1 - 3) * 0.5F, (7 - 3) * 0.5F, (-8 - 3) * 0.5F}));
}

/// Of the numbers -2 to 1.75 in steps of 1/4, at the scale 1/2, by QONNX's formula.
std::vector<float> quant_of_qonnx(int64_t is_signed, int64_t narrow, float zero_point, float bits) {
  ModelBuilder model({0, 16});
  model.floats("half", {1}, {0.5F});
  model.floats("zp", {}, {zero_point});
  model.floats("bits", {}, {bits});
  auto& quant = model.node("Quant", "quant", {"x", "half", "zp", "bits"}, {"y"});
  quant.set_domain("qonnx.custom_op.general");
  set_int(quant, "signed", is_signed);
  set_int(quant, "narrow", narrow);
  std::vector<float> x;
  for (int i = 0; i < 16; ++i) {
    x.push_back(static_cast<float>(i - 8) / 4);
  }
  const Tensor y = evaluate(import(model, "y"), {Tensor::of<float>({1, 16}, x)}).at(0);
  return {y.values<float>().begin(), y.values<float>().end()};
}

TEST(ConvertTest, QuantOfQonnx) {
  using Floats = std::vector<float>;
  EXPECT_EQ(quant_of_qonnx(1, 0, 0, 2), (Floats{-1, -1, -1, -1, -1, -1, -.5, 0, 0, 0, .5, .5, .5, .5, .5, .5}));
  EXPECT_EQ(quant_of_qonnx(1, 1, 0, 2), (Floats{-.5, -.5, -.5, -.5, -.5, -.5, -.5, 0, 0, 0, .5, .5, .5, .5, .5, .5}));
  EXPECT_EQ(quant_of_qonnx(0, 0, 2, 3), (Floats{-1, -1, -1, -1, -1, -1, -.5, 0, 0, 0, .5, 1, 1, 1, 1.5, 2}));
  EXPECT_EQ(quant_of_qonnx(0, 0, 4, 8), (Floats{-2, -2, -1.5, -1, -1, -1, -.5, 0, 0, 0, .5, 1, 1, 1, 1.5, 2}));
}

TEST(ConvertTest, BipolarQuantOfQonnx) {
  ModelBuilder model({0, 2, 3});
  model.floats("scales", {2, 1}, {0.5F, 3});
  model.node("BipolarQuant", "quant", {"x", "scales"}, {"y"}).set_domain("qonnx.custom_op.general");
  const Tensor x = Tensor::of<float>({1, 2, 3}, {-1e-30F, -0.0F, 7, -300, 0.25F, 1e9F});
  EXPECT_EQ(evaluate(import(model, "y"), {x}).at(0), Tensor::of<float>({1, 2, 3}, {-.5, .5, .5, -3, 3, 3}));
}

/// A RequantShift's attribute, which exporters write as a tensor.
void set_tensor(onnx::NodeProto& node, const std::string& name, float value) {
  auto& tensor = *add_attribute(node, name, onnx::AttributeProto::TENSOR).mutable_t();
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(1);
  tensor.add_float_data(value);
}

/// (x * mul + add + div / 2) >> log2(div), whose products float32 has not exactly.
TEST(ConvertTest, RequantShiftOfDeeploy) {
  const std::vector<int64_t> mul{16777213, 77}, add{-8388607, 99999};
  for (const bool is_signed : {false, true}) {
    ModelBuilder model({0, 2, 500});
    model.integers("mul", onnx::TensorProto::INT64, {2}, mul);
    model.integers("add", onnx::TensorProto::INT64, {1, 2, 1}, add);
    auto& node = model.node("RequantShift", "shift", {"x", "mul", "add"}, {"y"});
    set_tensor(node, "div", 1 << 22);
    set_tensor(node, "n_levels_out", 256);
    set_int(node, "signed", is_signed ? 1 : 0);
    std::vector<float> x, y;
    for (int64_t i = 0; i < 1000; ++i) {
      const int64_t c = i / 500, number = (i % 500 - 250) * (c == 0 ? 1 : 12345);
      const int64_t shifted = (number * mul[c] + add[c] + (1 << 21)) >> 22;
      x.push_back(static_cast<float>(number));
      y.push_back(static_cast<float>(std::clamp<int64_t>(shifted, is_signed ? -128 : 0, is_signed ? 127 : 255)));
    }
    EXPECT_EQ(evaluate(import(model, "y"), {Tensor::of<float>({1, 2, 500}, x)}).at(0),
              Tensor::of<float>({1, 2, 500}, y));
  }
}

TEST(ConvertTest, AddOfTwoActivationsStaysASum) {
  ModelBuilder model;
  model.node("Add", "sum", {"x", "x"}, {"y"});
  EXPECT_EQ(chain_of(import(model, "y")), "add");
}

TEST(ConvertTest, AConstantIsABiasOfAProductOnly) {
  ModelBuilder model;
  model.floats("b", {1, 1, 1}, {2});
  model.node("Add", "sum", {"x", "b"}, {"y"});
  EXPECT_EQ(chain_of(import(model, "y")), "add");
}

/// The inputs of a sum's node, in the graph's order.
std::vector<std::string> operands_of_sum(const Shape& a, const Shape& b) {
  ModelBuilder model;
  model.input("a", a);
  model.input("b", b);
  model.node("Add", "sum", {"a", "b"}, {"y"});
  const Graph graph = import(model, "y");
  const Node& sum = graph[graph.outputs()[0]];
  return {graph[sum.inputs[0]].origin, graph[sum.inputs[1]].origin};
}

TEST(ConvertTest, TheOperandThatIsTheSameAlongTheLastAxisIsTheSecond) {
  const std::vector<std::string> kept{"a", "b"}, swapped{"b", "a"};
  EXPECT_EQ(operands_of_sum({1, 2, 3, 4}, {1, 2, 3, 4}), kept);
  EXPECT_EQ(operands_of_sum({1, 2, 1, 1}, {1, 2, 3, 4}), swapped);
  EXPECT_EQ(operands_of_sum({1, 2, 3, 4}, {1, 2, 1, 1}), kept);
  EXPECT_EQ(operands_of_sum({1, 1, 3, 4}, {1, 2, 3, 4}), kept) << "it varies along the last axis";
  EXPECT_EQ(operands_of_sum({1, 2, 1, 1}, {1, 1, 1, 1}), kept) << "of the axes of 1 none counts";
  EXPECT_EQ(operands_of_sum({1, 1, 1, 1}, {1, 2, 1, 1}), swapped);
  EXPECT_EQ(operands_of_sum({1, 1}, {1, 1}), swapped) << "where all are of 1, the first one does";
}

/// ReduceMean of the input [1, 1, 4, 4]: chain, and shape of the result.
std::string reduced(const std::vector<int64_t>& axes, bool keeps, bool as_input) {
  ModelBuilder model;
  model.integers("axes", onnx::TensorProto::INT64, {static_cast<int64_t>(axes.size())}, axes);
  model.model().mutable_opset_import(0)->set_version(as_input ? 18 : 13);
  onnx::NodeProto& node = model.node("ReduceMean", "mean", {"x"}, {"y"});
  as_input ? node.add_input("axes") : set_ints(node, "axes", axes);
  set_int(node, "keepdims", keeps ? 1 : 0);
  const Graph graph = import(model, "y");
  return chain_of(graph) + " " + to_text(graph[graph.outputs()[0]].type.shape);
}

TEST(ConvertTest, AMeanOverRowsAndColumnsIsAGlobalPool) {
  for (const bool as_input : {false, true}) {
    EXPECT_EQ(reduced({2, 3}, true, as_input), "nn.global_avg_pool2d (1, 1, 1, 1)");
    EXPECT_EQ(reduced({-1, -2}, false, as_input), "reshape nn.global_avg_pool2d (1, 1)");
    EXPECT_EQ(reduced({3}, true, as_input), "reshape nn.global_avg_pool2d reshape (1, 1, 4, 1)");
    EXPECT_EQ(reduced({2}, false, as_input), "reshape nn.global_avg_pool2d reshape transpose (1, 1, 4)");
  }
}

TEST(ConvertTest, AGlobalMaximumHasTheWholePlaneAsItsWindow) {
  ModelBuilder model;
  model.node("GlobalMaxPool", "most", {"x"}, {"y"});
  const Graph graph = import(model, "y");
  EXPECT_EQ(ints_attribute(graph[graph.outputs()[0]], "kernel", {}), (std::vector<int64_t>{4, 4}));
}

/// A ConvTranspose of 4 channels to 6, in two groups, whose weights have a scale for each filter of a group.
struct Transposed {
  std::vector<int64_t> strides, dilations, pads, output_padding;
  static constexpr int64_t C = 4, M = 3, R = 3, S = 2, H = 3, W = 4, kGroups = 2;

  /// What ONNX says: each input value times its channel's filters, added up where they come to lie.
  std::vector<float> expected(const std::vector<float>& x, const std::vector<float>& w, int64_t E, int64_t F) const {
    std::vector<float> y(static_cast<std::size_t>(M * kGroups * E * F));
    for (int64_t i = 0; i < C * H * W; ++i) {
      for (int64_t k = 0; k < M * R * S; ++k) {
        const int64_t c = i / (H * W), h = i / W % H, v = i % W, m = k / (R * S), r = k / S % R, s = k % S;
        const int64_t e = h * strides[0] + r * dilations[0] - pads[0], f = v * strides[1] + s * dilations[1] - pads[1];
        if (e >= 0 && e < E && f >= 0 && f < F) {
          y[static_cast<std::size_t>(((c / (C / kGroups) * M + m) * E + e) * F + f)] +=
              x[static_cast<std::size_t>(i)] * w[static_cast<std::size_t>(c * M * R * S + k)];
        }
      }
    }
    return y;
  }

  void check() const {
    ModelBuilder model({1, C, H, W}, 1);
    std::vector<int64_t> integers;
    std::vector<float> weights, x;
    for (int64_t i = 0; i < C * M * R * S; ++i) {
      integers.push_back(i * 37 % 255 - 127);
      weights.push_back(static_cast<float>(integers.back()) * std::vector<float>{0.5F, 2, 1}[i / (R * S) % M]);
    }
    for (int64_t i = 0; i < C * H * W; ++i) {
      x.push_back(static_cast<float>(i * 29 % 64 - 20));
    }
    model.integers("w_q", onnx::TensorProto::INT8, {C, M, R, S}, integers);
    model.floats("w_scale", {M}, {0.5F, 2, 1});
    model.integers("w_zero", onnx::TensorProto::INT8, {M}, {0, 0, 0});
    set_int(model.node("DequantizeLinear", "weights", {"w_q", "w_scale", "w_zero"}, {"w"}), "axis", 1);
    onnx::NodeProto& node = model.node("ConvTranspose", "up", {"x", "w"}, {"y"});
    set_ints(node, "strides", strides);
    set_ints(node, "dilations", dilations);
    set_ints(node, "pads", pads);
    set_ints(node, "output_padding", output_padding);
    set_int(node, "group", kGroups);
    const Tensor y = evaluate(import(model, "y"), {Tensor::of<float>({1, C, H, W}, x)}).at(0);
    const Shape& shape = y.type().shape;
    EXPECT_EQ(shape[2], strides[0] * (H - 1) + output_padding[0] + dilations[0] * (R - 1) + 1 - pads[0] - pads[2]);
    EXPECT_EQ(shape[3], strides[1] * (W - 1) + output_padding[1] + dilations[1] * (S - 1) + 1 - pads[1] - pads[3]);
    EXPECT_EQ(y, Tensor::of<float>(shape, expected(x, weights, shape[2], shape[3])));
  }
};

/// ONNX Runtime's size: a stride for each element, but no more than the windows reach.
TEST(ConvertTest, ConvTransposeOfTheSameSizeAddsNothing) {
  for (const auto& [stride, kernel, size] : {std::tuple(2, 3, 8), std::tuple(2, 2, 8), std::tuple(7, 3, 24)}) {
    ModelBuilder model;
    model.floats("w", {1, 1, kernel, kernel}, std::vector<float>(kernel * kernel, 1));
    auto& node = model.node("ConvTranspose", "up", {"x", "w"}, {"y"});
    set_ints(node, "strides", {stride, stride});
    set_text(node, "auto_pad", "SAME_UPPER");
    const Graph graph = import(model, "y");
    EXPECT_EQ(graph[graph.outputs()[0]].type.shape, (Shape{1, 1, size, size})) << stride << " " << kernel;
  }
}

TEST(ConvertTest, ConvTransposeIsAConvolutionOfWhatIsSpread) {
  Transposed{{1, 1}, {1, 1}, {0, 0, 0, 0}, {0, 0}}.check();
  Transposed{{2, 2}, {1, 1}, {1, 0, 1, 0}, {1, 1}}.check();
  Transposed{{3, 2}, {1, 2}, {2, 1, 0, 3}, {2, 0}}.check();
  Transposed{{4, 3}, {2, 1}, {5, 2, 4, 1}, {1, 2}}.check();  // Pads beyond what filters reach.
}

TEST(ConvertTest, ClipFromZeroIsRelu) {
  ModelBuilder model;
  model.floats("least", {}, {0});
  model.node("Clip", "clip", {"x", "least"}, {"y"});
  EXPECT_EQ(chain_of(import(model, "y")), "nn.relu");
}

TEST(ConvertTest, Relu6IsAClip) {
  ModelBuilder model;
  auto& clip = model.node("Clip", "clip", {"x"}, {"y"});
  set_float(clip, "min", 0);
  set_float(clip, "max", 6);
  const Graph graph = import(model, "y");
  EXPECT_EQ(float_attribute(graph[graph.outputs()[0]], "max", 0), 6);
}

TEST(ConvertTest, DropoutAndIdentityLeaveNothing) {
  ModelBuilder model;
  model.node("Dropout", "drop", {"x"}, {"dropped"});
  model.node("Identity", "copy", {"dropped"}, {"y"});
  const Graph graph = import(model, "y");
  EXPECT_EQ(graph.outputs(), graph.inputs());
}

TEST(ConvertTest, ParametersOfBatchNormalizationMayBeQuantized) {
  ModelBuilder model;
  model.integers("q", onnx::TensorProto::UINT8, {1}, {131});
  model.node("DequantizeLinear", "parameter", {"q", "scale", "zero"}, {"p"});
  model.node("BatchNormalization", "norm", {"x", "p", "p", "p", "p"}, {"y"});
  const Graph graph = import(model, "y");
  for (const NodeId parameter : {1, 2, 3, 4}) {
    EXPECT_EQ(*graph[graph[graph.outputs()[0]].inputs[parameter]].constant, Tensor::of<float>({1}, {1.5F}));
  }
}

TEST(ConvertTest, ReshapeByAComputedShapeIsFolded) {
  ModelBuilder model;
  model.node("Shape", "shape", {"x"}, {"shape"});
  model.integers("first", onnx::TensorProto::INT64, {}, {0});
  model.integers("axes", onnx::TensorProto::INT64, {1}, {0});
  model.integers("rest", onnx::TensorProto::INT64, {1}, {-1});
  model.node("Gather", "batch", {"shape", "first"}, {"batch"});
  model.node("Unsqueeze", "unsqueeze", {"batch", "axes"}, {"batch_1d"});
  set_int(model.node("Concat", "concat", {"batch_1d", "rest"}, {"wanted"}), "axis", 0);
  model.node("Reshape", "flatten", {"x", "wanted"}, {"y"});
  const Graph graph = import(model, "y");
  EXPECT_EQ(ints_attribute(graph[graph.outputs()[0]], "newshape", {}), (Shape{1, 16}));
}

TEST(ConvertTest, GatherTakesPlacesComputedFromAQuantizedConstant) {
  ModelBuilder model;
  model.integers("q", onnx::TensorProto::UINT8, {3}, {130, 140, 120});
  model.node("DequantizeLinear", "parameter", {"q", "scale", "zero"}, {"p"});
  set_int(model.node("ArgMax", "largest", {"p"}, {"place"}), "axis", 0);
  set_int(model.node("Gather", "gather", {"x", "place"}, {"y"}), "axis", 3);
  const Graph graph = import(model, "y");
  const Node& take = graph[graph.outputs()[0]];
  ASSERT_TRUE(is_call(take, "take"));
  ASSERT_EQ(graph[take.inputs[1]].kind, NodeKind::kConstant);
  EXPECT_EQ(*graph[take.inputs[1]].constant, Tensor::of<int64_t>({1}, {1}));
}

TEST(ConvertTest, SplitDefinesEachOutput) {
  ModelBuilder model;
  model.integers("sizes", onnx::TensorProto::INT64, {3}, {1, 0, 3});
  set_int(model.node("Split", "split", {"x", "sizes"}, {"first", "", "last"}), "axis", 3);
  set_int(model.node("Concat", "join", {"last", "first"}, {"y"}), "axis", 3);
  const Graph graph = import(model, "y");
  std::vector<float> x(16), expected(16);
  for (std::size_t i = 0; i < 16; ++i) {
    x[i] = static_cast<float>(i);
    expected[i / 4 * 4 + (i + 3) % 4] = x[i];
  }
  EXPECT_EQ(evaluate(graph, {Tensor::of<float>({1, 1, 4, 4}, x)}).at(0), Tensor::of<float>({1, 1, 4, 4}, expected));
}

/// Forms of one slice, one pad, one resize, from the oldest opset to the newest.
TEST(ConvertTest, MovesAreTheSameFromAttributesAndInputs) {
  const auto chain = [](const std::string& op, const std::vector<std::pair<std::string, std::vector<int64_t>>>& ints,
                        const std::vector<std::vector<int64_t>>& numbers, const std::vector<float>& scales = {}) {
    ModelBuilder model;
    std::vector<std::string> inputs{"x"};
    for (const std::vector<int64_t>& input : numbers) {
      inputs.push_back(input.empty() ? "" : "input" + std::to_string(inputs.size()));
      if (!input.empty()) {
        model.integers(inputs.back(), onnx::TensorProto::INT64, {static_cast<int64_t>(input.size())}, input);
      }
    }
    if (!scales.empty()) {
      model.floats("scales", {static_cast<int64_t>(scales.size())}, scales);
      inputs.push_back("scales");
    }
    auto& node = model.node(op, "move", inputs, {"y"});
    for (const auto& [name, values] : ints) {
      set_ints(node, name, values);
    }
    const Graph graph = import(model, "y");
    std::vector<float> x(16);
    for (std::size_t i = 0; i < 16; ++i) {
      x[i] = static_cast<float>(i);
    }
    const auto values = evaluate(graph, {Tensor::of<float>({1, 1, 4, 4}, x)}).at(0);
    return std::vector<float>(values.values<float>().begin(), values.values<float>().end());
  };
  const std::vector<float> slice{4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_EQ(chain("Slice", {{"starts", {-3}}, {"ends", {3}}, {"axes", {2}}}, {}), slice);
  EXPECT_EQ(chain("Slice", {}, {{-3}, {3}, {-2}}), slice);
  EXPECT_EQ(chain("Slice", {}, {{0, 0, 1, 0}, {1, 1, 3, INT64_MAX}}), slice);
  EXPECT_EQ(chain("Slice", {}, {{10}, {INT64_MIN}, {3}, {-3}}), (std::vector<float>{3, 0, 7, 4, 11, 8, 15, 12}));
  EXPECT_EQ(chain("Pad", {{"pads", {0, 0, -1, 1, 0, 0, -1, -3}}}, {}), (std::vector<float>{0, 4, 0, 8}));
  EXPECT_EQ(chain("Pad", {}, {{-1, 0, -1, -2}, {}, {2, 3}}), (std::vector<float>{4, 5, 8, 9}));
  const std::vector<float> rows{0, 1, 2, 3, 8, 9, 10, 11};
  EXPECT_EQ(chain("Upsample", {}, {}, {1, 1, 0.5F, 1}), rows);
  EXPECT_EQ(chain("Resize", {}, {}, {1, 1, 0.5F, 1}), rows) << "opset 10";
  EXPECT_EQ(chain("Resize", {}, {{}}, {1, 1, 0.5F, 1}), rows);
  EXPECT_EQ(chain("Resize", {{"axes", {2}}}, {{}}, {0.5F}), rows);
  EXPECT_EQ(chain("Resize", {{"axes", {-2}}}, {{}, {}, {2}}), rows);
}

/// A convolution of one row, as ONNX has it, is one of columns; pools and batch normalization go along.
TEST(ConvertTest, OneDimensionIsOneRow) {
  ModelBuilder model({1, 1, 6});
  model.floats("w", {1, 1, 3}, {1, 10, 100});
  auto& conv = model.node("Conv", "conv", {"x", "w"}, {"c"});
  set_ints(conv, "strides", {2});
  set_ints(conv, "pads", {1, 0});
  model.floats("two", {1}, {2});
  model.floats("none", {1}, {0});
  model.floats("one", {1}, {1});
  set_float(model.node("BatchNormalization", "norm", {"c", "two", "one", "none", "one"}, {"n"}), "epsilon", 0);
  auto& pool = model.node("MaxPool", "pool", {"n"}, {"y"});
  set_ints(pool, "kernel_shape", {2});
  model.output("y");
  model.node("GlobalAveragePool", "mean", {"y"}, {"m"});
  const Graph graph = import(model, "m");
  // 10 * 1 + 100 * 2 = 210, 2 + 30 + 400 = 432, 4 + 50 + 600 = 654; doubled, and one.
  EXPECT_EQ(evaluate(graph, {Tensor::of<float>({1, 1, 6}, {1, 2, 3, 4, 5, 6})}).at(0),
            Tensor::of<float>({1, 1, 2}, {865, 1309}));
  EXPECT_EQ(evaluate(graph, {Tensor::of<float>({1, 1, 6}, {1, 2, 3, 4, 5, 6})}).at(1),
            Tensor::of<float>({1, 1, 1}, {1087}));
}

TEST(ConvertTest, ZeroPointLeftOutIsUint8Zero) {
  ModelBuilder model;
  model.node("QuantizeLinear", "q", {"x", "scale"}, {"q"});
  model.node("DequantizeLinear", "dq", {"q", "scale"}, {"y"});
  const Graph graph = import(model, "y");
  const Node& dequantize = graph[graph.outputs()[0]];
  EXPECT_EQ(graph[dequantize.inputs[0]].type.element, ElementType::kUint8);
  EXPECT_EQ(graph[dequantize.inputs[2]].constant->integer_at(0), 0);
}

TEST(ConvertTest, DynamicBatchBecomesOne) {
  ModelBuilder model;
  const Graph graph = import(model, "x_q");
  EXPECT_EQ(graph[graph.inputs()[0]].type.shape, (Shape{1, 1, 4, 4}));
}

TEST(ConvertTest, SymbolicBatchBecomesOne) {
  for (const int64_t opset : {7, 21}) {
    ModelBuilder model;
    model.model().mutable_opset_import(0)->set_version(opset);
    auto& type = *model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
    type.mutable_shape()->mutable_dim(0)->set_dim_param("N");
    model.integers("rows", onnx::TensorProto::INT64, {2}, {0, 16});
    model.node("Reshape", "reshape", {"x_q", "rows"}, {"y"});
    const Graph graph = import(model, "y");
    EXPECT_EQ(graph[graph.inputs()[0]].type.shape, (Shape{1, 1, 4, 4}));
    EXPECT_EQ(graph[graph.outputs()[0]].type.shape, (Shape{1, 16}));
  }
}

TEST(ConvertTest, QuantizationOfOtherOpsetsAndDomains) {
  ModelBuilder model;
  auto& quantize = model.node("QuantizeLinear", "q", {"x", "scale"}, {"q"});
  set_int(quantize, "output_dtype", onnx::TensorProto::INT8);  // From opset 21.
  set_int(quantize, "saturate", 1);                            // From opset 19.
  set_int(quantize, "block_size", 0);
  model.integers("none", onnx::TensorProto::INT8, {}, {0});
  model.node("DequantizeLinear", "dq", {"q", "scale", "none"}, {"d"}).set_domain("com.microsoft");
  model.node("QuantizeLinear", "q2", {"d", "scale", "zero"}, {"y"}).set_domain("com.microsoft");
  const Graph graph = import(model, "y");
  EXPECT_EQ(chain_of(graph), "qnn.quantize qnn.dequantize qnn.quantize");
  const Tensor y = evaluate(graph, {Tensor::of<float>({1, 1, 4, 4}, std::vector<float>(16, -100))}).at(0);
  EXPECT_EQ(y.integer_at(0), 0) << "-128 in steps of 0.5 is -64, which is 0 around 128";
}

TEST(ConvertTest, WeightsOfAScaleAColumnKeepThemWhenTransposed) {
  ModelBuilder model;
  model.node("Flatten", "flat", {"x"}, {"row"});
  model.integers("w_q", onnx::TensorProto::INT8, {16, 2}, std::vector<int64_t>(32, 1));
  model.floats("w_scale", {2}, {0.5F, 0.25F});
  model.integers("w_zero", onnx::TensorProto::INT8, {2}, {0, 0});
  set_int(model.node("DequantizeLinear", "dq", {"w_q", "w_scale", "w_zero"}, {"w"}), "axis", -1);
  model.node("MatMul", "fc", {"row", "w"}, {"y"});
  const Tensor y = evaluate(import(model, "y"), {Tensor::of<float>({1, 1, 4, 4}, std::vector<float>(16, 1))}).at(0);
  EXPECT_EQ(y, Tensor::of<float>({1, 2}, {8, 4}));
}

TEST(ConvertTest, InitializersListedAsInputsAreConstants) {
  ModelBuilder model;
  model.input("scale", {});
  EXPECT_EQ(import(model, "x_q").inputs().size(), 1U);
}

TEST(ConvertTest, ConvolutionHasItsWindow) {
  ModelBuilder model;
  model.floats("w", {2, 1, 3, 3}, std::vector<float>(18, 1));
  model.floats("b", {2}, {1, 2});
  auto& conv = model.node("Conv", "conv", {"x", "w", "b"}, {"y"});
  set_ints(conv, "strides", {2, 2});
  set_text(conv, "auto_pad", "SAME_UPPER");
  const Graph graph = import(model, "y");
  EXPECT_EQ(chain_of(graph), "nn.bias_add nn.conv2d");
  const Node& window = graph[graph[graph.outputs()[0]].inputs[0]];
  EXPECT_EQ(window.type.shape, (Shape{1, 2, 2, 2}));
  EXPECT_EQ(ints_attribute(window, "pads", {}), (std::vector<int64_t>{0, 0, 1, 1}));
}

/// Quantization of "q" operators under test: scale 0.5 and zero point 128 as the builder has them, and others.
ModelBuilder model_with_scales() {
  ModelBuilder model;
  model.floats("fine", {}, {0.25F});
  model.integers("three", onnx::TensorProto::UINT8, {}, {3});
  model.integers("none", onnx::TensorProto::INT8, {}, {0});
  return model;
}

TEST(ConvertTest, QLinearConvIsAConvolutionBetweenDequantizeAndQuantize) {
  ModelBuilder model = model_with_scales();
  model.floats("w_scale", {2}, {0.5F, 0.25F});
  model.integers("w_zero", onnx::TensorProto::INT8, {2}, {0, 0});
  model.integers("w", onnx::TensorProto::INT8, {2, 1, 1, 1}, {2, -3});
  model.integers("b", onnx::TensorProto::INT32, {2}, {4, -8});
  model.node("QLinearConv", "conv", {"x_q", "scale", "zero", "w", "w_scale", "w_zero", "fine", "three", "b"}, {"y"});
  const Graph graph = import(model, "y");
  EXPECT_EQ(chain_of(graph), "qnn.quantize nn.bias_add nn.conv2d qnn.dequantize qnn.quantize");
  const Node& bias = graph[graph[graph.outputs()[0]].inputs[0]];
  const Node& dequantize = graph[bias.inputs[1]];
  EXPECT_EQ(*graph[dequantize.inputs[1]].constant, Tensor::of<float>({2}, {0.25F, 0.125F})) << "scales of the products";
  EXPECT_EQ(graph[dequantize.inputs[0]].type.element, ElementType::kInt32);
  EXPECT_EQ(graph[graph.outputs()[0]].origin, "conv");
  // 3 * 2 * 0.5 + 4 * 0.25 = 4 and 3 * -3 * 0.25 - 8 * 0.125 = -3.25, in quarters around 3, at least 0.
  const Tensor y = evaluate(graph, {Tensor::of<float>({1, 1, 4, 4}, std::vector<float>(16, 3))}).at(0);
  EXPECT_EQ(y.type(), (TensorType{{1, 2, 4, 4}, ElementType::kUint8}));
  EXPECT_EQ(y.integer_at(0), 19);
  EXPECT_EQ(y.integer_at(16), 0);
}

TEST(ConvertTest, QLinearMatMulAndQGemmMultiplyTheSame) {
  for (const bool has_bias : {false, true}) {
    ModelBuilder model = model_with_scales();
    model.node("Flatten", "flat", {"x_q"}, {"row"});
    model.integers("w", onnx::TensorProto::INT8, {16, 2}, std::vector<int64_t>(32, 1));
    model.integers("b", onnx::TensorProto::INT32, {2}, {4, -8});
    if (has_bias) {
      model.node("QGemm", "fc", {"row", "scale", "zero", "w", "fine", "none", "b", "scale", "three"}, {"y"})
          .set_domain("com.microsoft");
    } else {
      model.node("QLinearMatMul", "fc", {"row", "scale", "zero", "w", "fine", "none", "scale", "three"}, {"y"});
    }
    const Graph graph = import(model, "y");
    EXPECT_EQ(chain_of(graph), has_bias ? "qnn.quantize nn.bias_add nn.dense qnn.dequantize reshape qnn.quantize"
                                        : "qnn.quantize nn.dense qnn.dequantize reshape qnn.quantize");
    // 16 * 3 * 0.25 = 12, and with biases 12.5 and 11, in halves around 3.
    const Tensor y = evaluate(graph, {Tensor::of<float>({1, 1, 4, 4}, std::vector<float>(16, 3))}).at(0);
    EXPECT_EQ(y.integer_at(0), has_bias ? 28 : 27);
    EXPECT_EQ(y.integer_at(1), has_bias ? 25 : 27);
  }
}

TEST(ConvertTest, QGemmWithoutAnOutputScaleGivesFloats) {
  ModelBuilder model = model_with_scales();
  model.node("Flatten", "flat", {"x_q"}, {"row"});
  model.integers("w", onnx::TensorProto::INT8, {2, 16}, std::vector<int64_t>(32, 1));
  auto& gemm = model.node("QGemm", "fc", {"row", "scale", "zero", "w", "fine", "none"}, {"y"});
  gemm.set_domain("com.microsoft");
  set_int(gemm, "transB", 1);
  EXPECT_EQ(chain_of(import(model, "y")), "nn.dense qnn.dequantize reshape qnn.quantize");
}

TEST(ConvertTest, QLinearAddAndConcatHaveAScaleEach) {
  ModelBuilder model = model_with_scales();
  model.node("QuantizeLinear", "second", {"x", "fine", "three"}, {"z_q"});
  model.node("QLinearAdd", "sum", {"x_q", "scale", "zero", "z_q", "fine", "three", "scale", "zero"}, {"s"})
      .set_domain("com.microsoft");
  auto& join =
      model.node("QLinearConcat", "join", {"fine", "three", "s", "scale", "zero", "z_q", "fine", "three"}, {"y"});
  join.set_domain("com.microsoft");
  set_int(join, "axis", 1);
  const Graph graph = import(model, "y");
  EXPECT_EQ(chain_of(graph), "qnn.quantize concatenate qnn.dequantize qnn.quantize add qnn.dequantize qnn.quantize");
  const Tensor y = evaluate(graph, {Tensor::of<float>({1, 1, 4, 4}, std::vector<float>(16, 3))}).at(0);
  EXPECT_EQ(y.integer_at(0), 6 * 4 + 3);
  EXPECT_EQ(y.integer_at(16), 3 * 4 + 3);
}

TEST(ConvertTest, QLinearConcatOfOneIsAChangeOfScale) {
  ModelBuilder model = model_with_scales();
  auto& join = model.node("QLinearConcat", "rescale", {"fine", "three", "x_q", "scale", "zero"}, {"y"});
  join.set_domain("com.microsoft");
  set_int(join, "axis", 1);
  EXPECT_EQ(chain_of(import(model, "y")), "qnn.quantize qnn.dequantize qnn.quantize");
}

TEST(ConvertTest, QuantizationBehindIdentityAndCastIsConstant) {
  ModelBuilder model;
  model.integers("wide_zero", onnx::TensorProto::INT32, {}, {7});
  model.node("Identity", "same_scale", {"scale"}, {"scale_2"});
  set_int(model.node("Cast", "narrow", {"wide_zero"}, {"zero_2"}), "to", onnx::TensorProto::UINT8);
  model.node("QuantizeLinear", "q", {"x", "scale_2", "zero_2"}, {"q"});
  const Graph graph = import(model, "q");
  EXPECT_EQ(read_quantization(graph, graph[graph.outputs()[0]]), per_tensor(ElementType::kUint8, 0.5F, 7));
}

/// Softmax of a model's input [1, 1, 4, 4].
Graph import_softmax(int64_t opset, std::optional<int64_t> axis) {
  ModelBuilder model;
  model.model().mutable_opset_import(0)->set_version(opset);
  onnx::NodeProto& softmax = model.node("Softmax", "softmax", {"x"}, {"y"});
  if (axis) {
    set_int(softmax, "axis", *axis);
  }
  return import(model, "y");
}

TEST(ConvertTest, SoftmaxUntilOpset12IsAlongAllAxesFromOneOn) {
  EXPECT_EQ(chain_of(import_softmax(11, std::nullopt)), "reshape nn.softmax reshape");
  EXPECT_EQ(chain_of(import_softmax(11, 2)), "reshape nn.softmax reshape");
  EXPECT_EQ(chain_of(import_softmax(11, 3)), "nn.softmax");
  const Graph last = import_softmax(13, std::nullopt);
  EXPECT_EQ(chain_of(last), "nn.softmax");
  EXPECT_EQ(int_attribute(last[last.outputs()[0]], "axis", 0), 3);
}

TEST(ConvertTest, FunctionsHaveTheirDefaults) {
  const auto attribute_of = [](const std::string& op, const std::string& attribute) {
    ModelBuilder model;
    model.node(op, "f", {"x"}, {"y"});
    const Graph graph = import(model, "y");
    return static_cast<float>(float_attribute(graph[graph.outputs()[0]], attribute, -1));
  };
  EXPECT_EQ(attribute_of("LeakyRelu", "alpha"), 0.01F);
  EXPECT_EQ(attribute_of("Elu", "alpha"), 1.0F);
  EXPECT_EQ(attribute_of("HardSigmoid", "alpha"), 0.2F);
  EXPECT_EQ(attribute_of("HardSigmoid", "beta"), 0.5F);
  EXPECT_EQ(attribute_of("Selu", "alpha"), 1.6732632F);
  EXPECT_EQ(attribute_of("Selu", "gamma"), 1.050701F);
}

TEST(ConvertTest, PreluOfOneSlopeIsALeakyRelu) {
  for (const int64_t slopes : {1, 4}) {
    ModelBuilder model;
    model.floats("slope", {slopes}, std::vector<float>(static_cast<std::size_t>(slopes), 0.25F));
    model.node("PRelu", "f", {"x", "slope"}, {"y"});
    EXPECT_EQ(chain_of(import(model, "y")), slopes == 1 ? "leaky_relu" : "nn.prelu");
  }
}

TEST(ConvertTest, GeluMayBeByTanh) {
  for (const std::string approximate : {"none", "tanh"}) {
    ModelBuilder model;
    model.model().mutable_opset_import(0)->set_version(20);
    set_text(model.node("Gelu", "f", {"x"}, {"y"}), "approximate", approximate);
    EXPECT_EQ(chain_of(import(model, "y")), approximate == "tanh" ? "gelu_tanh" : "gelu");
  }
}

}  // namespace
}  // namespace fovea
