// SPDX-License-Identifier: Apache-2.0
/// \file
/// Exported models: what they are made of, that ONNX's checker takes them, and that they are the same network again.
#include "export_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <cstring>

#include "ir/text.h"
#include "onnx/import.h"
#include "operator_calls.h"
#include "ops/operator.h"
#include "passes/pipeline.h"
#include "passes/same_graph.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::ElementsAre;

/// Two branches of one input: a convolution with relu and pool, and a change of scale; their sum through a fully
/// connected layer. The second output is the first branch.
const char* const kNetwork = R"(
fn (%x: Tensor[(1, 2, 4, 4), float32] from "picture") {
  %q = qnn.quantize(%x, 0.5f, 128u8, axis=1) from "quantize"
  %d = qnn.dequantize(%q, 0.5f, 128u8, axis=1) from "dequantize"
  %w8 = constant [1, -2, 3, -4] : Tensor[(2, 2, 1, 1), int8] from "weights"
  %w = qnn.dequantize(%w8, 0.3f, 0i8, axis=0) from "weights_dequantize"
  %c = nn.conv2d(%d, %w, strides=[1, 1], pads=[0, 1, 2, 3], dilations=[1, 1], groups=1) from "conv"
  %b8 = constant [7, -8] : Tensor[(2,), int32] from "biases"
  %b = qnn.dequantize(%b8, 0.15f, 0i32, axis=0) from "biases_dequantize"
  %s = nn.bias_add(%c, %b, axis=1) from "conv"
  %r = nn.relu(%s) from "relu"
  %p = nn.max_pool2d(%r, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "pool"
  %y = qnn.quantize(%p, 0.7f, 5u8, axis=1) from "conv_quantize"
  %e = qnn.dequantize(%y, 0.7f, 5u8, axis=1) from "conv_dequantize"
  %g = nn.global_avg_pool2d(%e) from "mean"
  %h = qnn.quantize(%g, 0.1f, 3u8, axis=1) from "mean_quantize"
  %f = reshape(%h, newshape=[1, 2]) from "flatten"
  %i = qnn.dequantize(%f, 0.1f, 3u8, axis=1) from "flat_dequantize"
  %v8 = constant [1, 2, 3, 4, 5, 6] : Tensor[(3, 2), int8] from "matrix"
  %v = qnn.dequantize(%v8, 0.25f, 0i8, axis=0) from "matrix_dequantize"
  %m = nn.dense(%i, %v) from "dense"
  %k = qnn.quantize(%m, 0.6f, 0u8, axis=1) from "dense_quantize"
  %z = qnn.dequantize(%k, 0.6f, 0u8, axis=1) from "dense_dequantize"
  return %z "answer", %e "branch"
}
)";

Graph after(const Graph& graph, const std::string& pass) {
  PipelineOptions options;
  options.stop_after = pass;
  return run_pipeline(graph, options);
}

onnx::ModelProto parse(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

/// Exports up to a pass; ONNX's checker takes the model.
onnx::ModelProto exported(const std::string& text, const std::string& pass) {
  const onnx::ModelProto model = parse(export_graph(after(parse_graph(text, "test"), pass), "net"));
  onnx::checker::check_model(model);
  return model;
}

/// "conv: QLinearConv", one a node.
std::vector<std::string> nodes_of(const onnx::ModelProto& model) {
  std::vector<std::string> nodes;
  for (const onnx::NodeProto& node : model.graph().node()) {
    nodes.push_back(node.name() + ": " + node.op_type());
  }
  return nodes;
}

constexpr const char* kQdq = "eliminate-dead-code";
constexpr const char* kQOperator = "merge-composites";

TEST(ExportGraph, WritesQLinearOperatorsOfComposites) {
  const onnx::ModelProto model = exported(kNetwork, kQOperator);
  EXPECT_THAT(nodes_of(model),
              ElementsAre("quantize: QuantizeLinear", "conv: QLinearConv", "conv_clip: Clip", "conv_maxpool: MaxPool",
                          "mean: QLinearGlobalAveragePool", "flatten: Reshape", "dense: QLinearMatMul",
                          "dense_dequantize: DequantizeLinear", "conv_dequantize: DequantizeLinear"));
  EXPECT_EQ(model.graph().node(4).domain(), "com.microsoft");
  EXPECT_EQ(model.graph().input(0).name(), "picture");
  EXPECT_EQ(model.graph().output(0).name(), "answer");
  EXPECT_EQ(model.graph().output(1).name(), "branch");
}

TEST(ExportGraph, WritesFloatOperatorsBetweenConversions) {
  const onnx::ModelProto model = exported(kNetwork, kQdq);
  EXPECT_EQ(model.opset_import_size(), 1);  // com.microsoft's is not there.
  EXPECT_THAT(
      nodes_of(model),
      ElementsAre("quantize: QuantizeLinear", "dequantize: DequantizeLinear", "weights_dequantize: DequantizeLinear",
                  "biases_dequantize: DequantizeLinear", "conv: Conv", "relu: Relu", "pool: MaxPool",
                  "conv_quantize: QuantizeLinear", "conv_dequantize: DequantizeLinear", "mean: GlobalAveragePool",
                  "mean_quantize: QuantizeLinear", "flatten: Reshape", "flat_dequantize: DequantizeLinear",
                  "matrix_dequantize: DequantizeLinear", "dense: Gemm", "dense_quantize: QuantizeLinear",
                  "dense_dequantize: DequantizeLinear"));
}

/// What a model is made of; a value that two nodes read may be named after either.
std::vector<std::string> operators_of(const onnx::ModelProto& model) {
  std::vector<std::string> operators;
  for (const onnx::NodeProto& node : model.graph().node()) {
    operators.push_back(node.op_type() + " of " + std::to_string(node.input_size()));
  }
  return operators;
}

TEST(ExportGraph, WritesTheSameNetwork) {
  const Graph graph = after(parse_graph(kNetwork, "test"), kQdq);
  for (const char* form : {kQdq, kQOperator}) {
    const onnx::ModelProto model = exported(kNetwork, form);
    const Graph again = after(import_model(model, "net"), kQOperator);
    EXPECT_EQ(operators_of(parse(export_graph(again, "net"))),
              operators_of(parse(export_graph(after(graph, kQOperator), "net"))))
        << form;
  }
}

/// Convolutions with tables behind them: a function before a pool and one behind it, and a change of scale.
const char* const kTables = R"(
fn (%q: Tensor[(1, 2, 4, 4), uint8] from "picture") {
  %d = qnn.dequantize(%q, 0.5f, 128u8, axis=1)
  %w8 = constant [1, -2, 3, -4] : Tensor[(2, 2, 1, 1), int8] from "weights"
  %w = qnn.dequantize(%w8, 0.25f, 0i8, axis=0)
  %c = nn.conv2d(%d, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv"
  %y = qnn.quantize(%c, 0.5f, 128u8, axis=1)
  %e = qnn.dequantize(%y, 0.5f, 128u8, axis=1)
  %s = sigmoid(%e) from "sigmoid"
  %z = qnn.quantize(%s, 0.00390625f, 0u8, axis=1)
  %p = nn.max_pool2d(%z, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "pool"
  %pd = qnn.dequantize(%p, 0.00390625f, 0u8, axis=1)
  %c2 = nn.conv2d(%pd, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv_2"
  %p2 = nn.max_pool2d(%c2, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "pool_2"
  %y2 = qnn.quantize(%p2, 0.01f, 128u8, axis=1)
  %e2 = qnn.dequantize(%y2, 0.01f, 128u8, axis=1)
  %t2 = tanh(%e2) from "tanh"
  %z2 = qnn.quantize(%t2, 0.0078125f, 128u8, axis=1)
  %zd = qnn.dequantize(%z2, 0.0078125f, 128u8, axis=1)
  %c3 = nn.conv2d(%zd, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv_3"
  %y3 = qnn.quantize(%c3, 0.3f, 128u8, axis=1)
  %e3 = qnn.dequantize(%y3, 0.3f, 128u8, axis=1)
  %z3 = qnn.quantize(%e3, 0.2f, 100u8, axis=1)
  return %z3 "answer"
}
)";

TEST(ExportGraph, WritesTablesAsTheirFunctions) {
  const Graph graph = after(parse_graph(kTables, "test"), kQOperator);
  const onnx::ModelProto model = exported(kTables, kQOperator);
  EXPECT_THAT(operators_of(model),
              ElementsAre("QLinearConv of 8", "DequantizeLinear of 3", "Sigmoid of 1", "QuantizeLinear of 3",
                          "MaxPool of 1", "QLinearConv of 8", "MaxPool of 1", "DequantizeLinear of 3", "Tanh of 1",
                          "QuantizeLinear of 3", "QLinearConv of 8", "QLinearConcat of 5"));
  EXPECT_EQ(operators_of(parse(export_graph(after(import_model(model, "net"), kQOperator), "net"))),
            operators_of(parse(export_graph(graph, "net"))));
}

TEST(ExportGraph, WritesOneValueUnderTwoNames) {
  const onnx::ModelProto model = exported(
      "fn (%x: Tensor[(1, 2), float32] from \"x\") {\n%r = nn.relu(%x) from \"r\"\nreturn %r \"a\", %r \"b\", %x "
      "\"c\"\n}\n",
      kQdq);
  EXPECT_THAT(nodes_of(model), ElementsAre("r: Relu", "b: Identity", "c: Identity"));
}

TEST(ExportGraph, WritesConstantsAsOutputs) {
  const onnx::ModelProto model = exported(
      "fn (%x: Tensor[(1, 2), float32] from \"x\") {\n%k = constant [1, 2, 3] : Tensor[(3,), float32]\n"
      "%r = nn.relu(%x) from \"r\"\nreturn %r \"a\", %k \"b\"\n}\n",
      kQdq);
  EXPECT_THAT(nodes_of(model), ElementsAre("r: Relu", "b: Identity"));
  ASSERT_EQ(model.graph().initializer_size(), 1);
  EXPECT_EQ(model.graph().node(1).input(0), model.graph().initializer(0).name());
}

TEST(ExportGraph, GivesEachNodeAndValueAName) {
  const onnx::ModelProto model = exported(
      "fn (%x: Tensor[(1, 2), float32] from \"x\") {\n%a = nn.relu(%x) from \"x\"\n%b = nn.relu(%a)\n%c = nn.relu(%b)\n"
      "return %c\n}\n",
      kQdq);
  EXPECT_THAT(nodes_of(model), ElementsAre("x: Relu", "relu: Relu", "relu_2: Relu"));
  EXPECT_EQ(model.graph().node(0).output(0), "x_2");
}

/// So that what is imported again has the layers' names.
TEST(ExportGraph, GivesTheLastOfOneNodesOperatorsItsName) {
  const onnx::ModelProto model = exported(
      "fn (%x: Tensor[(1, 2), float32] from \"x\") {\n%a = nn.relu(%x) from \"pad\"\n%b = nn.relu(%a) from \"pad\"\n"
      "return %b\n}\n",
      kQdq);
  EXPECT_THAT(nodes_of(model), ElementsAre("pad_2: Relu", "pad: Relu"));
}

TEST(ExportGraph, WritesAttributesThatAreInputsInOnnx) {
  const onnx::ModelProto model = exported(
      "fn (%x: Tensor[(1, 2), float32] from \"x\") {\n%c = clip(%x, min=-1.5, max=6) from \"clip\"\n"
      "%r = reshape(%c, newshape=[2, 1]) from \"reshape\"\nreturn %r\n}\n",
      kQdq);
  ASSERT_EQ(model.graph().initializer_size(), 3);
  EXPECT_EQ(model.graph().node(0).input(1), model.graph().initializer(0).name());
  float least = 0;
  std::memcpy(&least, model.graph().initializer(0).raw_data().data(), sizeof least);
  EXPECT_EQ(least, -1.5F);
  EXPECT_EQ(model.graph().initializer(2).dims(0), 2);
}

/// What is folded at compile time is left nowhere.
bool is_always_folded(const std::string& name) { return name == "full" || name == "shape_of"; }

/// What is no operator of ONNX's.
bool is_foreign(const std::string& name) { return name == "unsupported" || name.starts_with("extern"); }

TEST(ExportGraph, KnowsEveryOperator) {
  for (const Operator& op : operators()) {
    Node call;
    call.op = &op;
    call.type = {{1, 1}, ElementType::kFloat32};
    for (const AttributeSpec& attribute : op.attributes) {
      call.attributes[attribute.name] = attribute.kind == AttributeKind::kInt     ? Attribute(int64_t{0})
                                        : attribute.kind == AttributeKind::kFloat ? Attribute(0.0)
                                        : attribute.kind == AttributeKind::kInts  ? Attribute(std::vector<int64_t>{1})
                                                                                  : Attribute(std::string("float32"));
    }
    if (is_always_folded(op.name) || is_foreign(op.name)) {
      EXPECT_THROW(operator_calls(call), UserError) << op.name;
    } else {
      EXPECT_FALSE(operator_calls(call).empty()) << op.name;
    }
  }
}

}  // namespace
}  // namespace fovea
