// SPDX-License-Identifier: Apache-2.0
/// \file
/// Networks that can't be imported: each message names the node, the problem and what would work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "converters.h"
#include "import.h"
#include "ir/text_number.h"
#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

std::string import_error(ModelBuilder& model, const ImportOptions& options = {}) {
  try {
    import_model(model.model(), "net.onnx", ".", options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ImportErrorTest, TheSmallestModelHasNone) {
  ModelBuilder model;
  model.output("x_q");
  EXPECT_EQ(import_error(model), "no error");
}

TEST(ImportErrorTest, FloatNetwork) {
  ModelBuilder model;
  model.graph().clear_node();
  model.node("Relu", "relu", {"x"}, {"y"});
  model.output("y");
  EXPECT_EQ(import_error(model), "no error");
}

TEST(ImportErrorTest, QLinearNodesWithoutTheirInputs) {
  for (const char* op : {"QLinearConv", "QGemm", "DynamicQuantizeLinear", "ConvInteger"}) {
    ModelBuilder model;
    model.graph().clear_node();
    model.node(op, "node", {"x"}, {"y"});
    EXPECT_THAT(import_error(model), testing::StartsWith("node: "));
  }
}

/// What looks at the nodes around a node before it is converted takes none of their inputs and outputs for granted.
TEST(ImportErrorTest, NodesWithoutInputsOrOutputs) {
  using Names = std::vector<std::string>;
  struct Malformed {
    const char* op;
    Names inputs, outputs;
    const char* message;
  };
  for (const Malformed& each : {Malformed{"Constant", {}, {}, "node: makes no output; the model is damaged"},
                                Malformed{"Conv", {}, {"y"}, "node: Conv needs input 1"},
                                Malformed{"Reshape", {}, {"r"}, "node: Reshape needs input 1"},
                                Malformed{"Identity", {}, {"r"}, "node: Identity needs input 1"},
                                Malformed{"Add", {"product"}, {"y"}, "node: Add needs input 2"},
                                Malformed{"Relu", {"product"}, {}, "node: makes no output; the model is damaged"}}) {
    for (const Exactness exact_to : {Exactness::kIntegers, Exactness::kOnnxRuntime}) {
      ModelBuilder model;
      model.node("DequantizeLinear", "dequantize", {"x_q", "scale", "zero"}, {"d"});
      model.node("MatMul", "matmul", {"d", "d"}, {"product"});
      model.node(each.op, "node", each.inputs, each.outputs);
      if (each.outputs == Names{"r"}) {
        model.node("Conv", "conv", {"r", "r"}, {"y"});
      }
      model.output(each.outputs.empty() ? "product" : "y");
      ImportOptions options;
      options.exact_to = exact_to;
      options.on_kept_in_float = [](const std::string&, const std::string&) {};
      EXPECT_EQ(import_error(model, options), each.message);
    }
  }
}

/// Beyond 2^24 float32 numbers are not the integers that ONNX adds.
TEST(ImportErrorTest, IntegerSumsThatNoCastReads) {
  ModelBuilder model;
  model.integers("w", onnx::TensorProto::INT8, {1, 1, 1, 1}, {1});
  model.integers("b", onnx::TensorProto::INT32, {1}, {1});
  model.node("ConvInteger", "conv", {"x_q", "w", "zero"}, {"sums"});
  model.node("Add", "add", {"sums", "b"}, {"y"});
  model.output("y");
  EXPECT_EQ(import_error(model), "conv: is read by add; a sum of int32 works before a Cast to float32");
}

TEST(ImportErrorTest, DivisorsOfRequantShift) {
  ModelBuilder model;
  model.floats("one", {}, {1});
  auto& node = model.node("RequantShift", "shift", {"x", "one", "one"}, {"y"});
  set_int(node, "div", 3);
  set_int(node, "n_levels", 256);
  set_int(node, "signed", 0);
  model.output("y");
  EXPECT_EQ(import_error(model), "shift: div=3 is not supported; powers of 2 are");
}

TEST(ImportErrorTest, BiasScaleComputedFromTheInput) {
  ModelBuilder model;
  model.integers("w", onnx::TensorProto::INT8, {1, 1, 1, 1}, {1});
  model.integers("w_zero", onnx::TensorProto::INT8, {}, {0});
  model.integers("b", onnx::TensorProto::INT32, {1}, {1});
  model.input("s", {1});
  model.node("QLinearConv", "conv", {"x_q", "s", "zero", "w", "scale", "w_zero", "scale", "zero", "b"}, {"y"});
  EXPECT_EQ(import_error(model),
            "conv: input 2 of QLinearConv must be a constant, not computed from the network's input");
}

TEST(ImportErrorTest, PartsOfQLinearConcat) {
  ModelBuilder model;
  model.node("QLinearConcat", "join", {"scale", "zero", "x_q", "scale"}, {"y"}).set_domain("com.microsoft");
  EXPECT_EQ(
      import_error(model),
      "join: QLinearConcat needs scale and zero point of its result, and three inputs a part: tensor, scale, zero "
      "point");
}

TEST(ImportErrorTest, BiasOfAnotherLength) {
  ModelBuilder model({0, 4});
  model.floats("w", {4, 4}, std::vector<float>(16));
  model.floats("b", {3}, {1, 2, 3});
  model.node("Gemm", "fc", {"x", "w", "b"}, {"y"});
  EXPECT_EQ(import_error(model),
            "fc: the bias of Gemm is (3,); one number a column works, (4,), and what can be broadcast "
            "to (1, 4)");
}

TEST(ImportErrorTest, Opset) {
  ModelBuilder model;
  model.model().mutable_opset_import(0)->set_version(6);
  EXPECT_EQ(import_error(model), "net.onnx: opset 6 is not supported; 7 to 25 are");
  model.model().mutable_opset_import(0)->set_version(13);
  onnx::OperatorSetIdProto& again = *model.model().add_opset_import();
  again.set_domain("ai.onnx");
  again.set_version(7);
  EXPECT_EQ(import_error(model),
            "net.onnx: imports ONNX's operators twice, of opsets 13 and 7; export the model again with one");
}

TEST(ImportErrorTest, NumbersOfWhatHoldsOrDoesNot) {
  for (const char* op : {"Relu", "Clip"}) {
    ModelBuilder model;
    model.input("holds", {1, 4}).mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::BOOL);
    model.node(op, "f", {"holds"}, {"y"});
    EXPECT_EQ(import_error(model).rfind("f: ", 0), 0U) << import_error(model);
    EXPECT_NE(import_error(model).find("computes with numbers, not bool"), std::string::npos) << import_error(model);
  }
}

TEST(ImportErrorTest, CeilMode) {
  ModelBuilder model;
  auto& pool = model.node("MaxPool", "pool", {"x"}, {"y"});
  set_ints(pool, "kernel_shape", {2, 2});
  set_int(pool, "ceil_mode", -2);
  EXPECT_EQ(import_error(model), "pool: ceil_mode is -2; it must be 0 or 1");
}

TEST(ImportErrorTest, BlocksOfScales) {
  ModelBuilder model;
  set_int(model.node("DequantizeLinear", "dq", {"x_q", "scale", "zero"}, {"y"}), "block_size", 2);
  EXPECT_EQ(import_error(model),
            "dq: its scales have the shape (); (1, 1, 4, 4) works for (1, 1, 4, 4) in blocks of 2");
}

TEST(ImportErrorTest, QuantizationInAnotherTypeThanFloat32) {
  ModelBuilder model;
  set_int(model.node("QuantizeLinear", "q", {"x", "scale", "zero"}, {"y"}), "precision", onnx::TensorProto::FLOAT16);
  EXPECT_EQ(import_error(model), "q: precision=10 is not supported; 1, float32, is");
}

TEST(ImportErrorTest, UnsupportedOperator) {
  ModelBuilder model;
  model.node("LSTM", "/encoder/LSTM", {"x"}, {"y"});
  EXPECT_EQ(import_error(model),
            "/encoder/LSTM: operator LSTM is not supported; foveac --list-operators lists those that are; --extern "
            "LSTM=file.c computes it by a C function");
}

TEST(ImportErrorTest, AllAtOnceAndNothingTwice) {
  ModelBuilder model;
  model.node("LSTM", "first", {"x"}, {"a"});
  model.node("Relu", "reads_first", {"a"}, {"b"});
  model.node("Unique", "second", {"x"}, {"c"});
  model.node("Add", "reads_both", {"b", "c"}, {"d"});
  set_int(model.node("Relu", "third", {"x"}, {"e"}), "leak", 1);
  model.output("d").output("e");
  EXPECT_EQ(import_error(model),
            "first: operator LSTM is not supported; foveac --list-operators lists those that are; --extern LSTM=file.c "
            "computes it by a C function\n"
            "second: operator Unique is not supported; foveac --list-operators lists those that are; --extern "
            "Unique=file.c computes it by a C function\n"
            "third: attribute leak of Relu is not supported; export the model without it");
}

TEST(ImportErrorTest, LooksBehindWhatHasADeclaredType) {
  ModelBuilder model;
  model.node("Unique", "first", {"x"}, {"a"});
  model.node("QuantizeLinear", "q", {"a", "scale", "zero"}, {"a_q"});
  set_int(model.node("Flatten", "second", {"a_q"}, {"b"}), "leak", 1);
  model.output("b");
  EXPECT_THAT(import_error(model), testing::Not(testing::HasSubstr("second")));
  auto& declared = *model.graph().add_value_info();
  declared = model.graph().input(0);
  declared.set_name("a");
  EXPECT_THAT(import_error(model), testing::HasSubstr("\nsecond: attribute leak of Flatten is not supported"));
}

TEST(ImportErrorTest, EachInput) {
  ModelBuilder model;
  model.input("pictures", {8, 3, 0, 32});
  model.input("sounds", {2, 0});
  model.node("Relu", "relu", {"pictures"}, {"y"});
  model.output("y");
  EXPECT_EQ(import_error(model),
            "pictures: dimension 2 has no size in the file; give the input's shape, such as --shape "
            "pictures=8x3x224x32\n"
            "sounds: dimension 1 has no size in the file; give the input's shape, such as --shape sounds=2x224");
}

TEST(ImportErrorTest, StandsInThePartlyImportedGraph) {
  ModelBuilder model;
  model.node("Unique", "odd", {"x"}, {"a"});
  model.output("a");
  const Graph graph = import_model_partly(model.model(), "net.onnx");
  const Node& odd = graph[graph.outputs()[0]];
  EXPECT_EQ(operation_of(odd), "unsupported");
  EXPECT_EQ(text_attribute(odd, "op", ""), "Unique");
  EXPECT_EQ(odd.origin, "odd");
}

TEST(ImportErrorTest, OperatorOfAnotherDomain) {
  ModelBuilder model;
  model.node("Flatten", "flat", {"x"}, {"y"}).set_domain("com.example");
  EXPECT_EQ(
      import_error(model),
      "flat: operator com.example.Flatten is not supported; like it there is Flatten; foveac --list-operators lists "
      "those that are; --extern com.example.Flatten=file.c computes it by a C function");
}

/// A name in another is no likeness where it is a small part of it.
TEST(ImportErrorTest, OperatorLikeNoOther) {
  ModelBuilder model;
  model.node("NonMaxSuppression", "nms", {"x", "x"}, {"y"});
  EXPECT_EQ(import_error(model),
            "nms: operator NonMaxSuppression is not supported; foveac --list-operators lists those that are; --extern "
            "NonMaxSuppression=file.c computes it by a C function");
}

/// Shapes are the file's, whatever becomes of them.
TEST(ImportErrorTest, MatricesThatDoNotFit) {
  for (const char* op : {"MatMul", "Gemm"}) {
    ModelBuilder model({1, 5});
    model.floats("w", {4, 3}, std::vector<float>(12, 1));
    model.node(op, "fc", {"x", "w"}, {"y"});
    EXPECT_EQ(import_error(model), "fc: multiplies (1, 5) by (4, 3); [N, C] by [C, M] works");
  }
  ModelBuilder model({1, 5});
  model.floats("w", {3, 4}, std::vector<float>(12, 1));
  set_int(model.node("Gemm", "fc", {"x", "w"}, {"y"}), "transB", 1);
  EXPECT_EQ(import_error(model), "fc: multiplies (1, 5) by (4, 3); [N, C] by [C, M] works");
}

TEST(ImportErrorTest, OperandsThatDoNotFit) {
  const auto joined = [](const std::string& op, onnx::TensorProto_DataType type, const std::vector<int64_t>& shape) {
    ModelBuilder model({1, 2, 3});
    model.input("other", shape).mutable_type()->mutable_tensor_type()->set_elem_type(type);
    onnx::NodeProto& node = model.node(op, "node", {"x", "other"}, {"y"});
    if (op == "Concat") {
      set_int(node, "axis", 1);
    }
    return import_error(model);
  };
  constexpr auto kFloat = onnx::TensorProto::FLOAT, kInt64 = onnx::TensorProto::INT64;
  EXPECT_EQ(joined("Mul", kInt64, {1, 2, 3}),
            "node: takes two of one element type, not float32 (1, 2, 3) and int64 (1, 2, 3)");
  EXPECT_EQ(joined("Concat", kInt64, {1, 2, 3}),
            "node: joins float32 (1, 2, 3) and int64 (1, 2, 3); parts of one element type and as many dimensions work");
  EXPECT_EQ(joined("Concat", kFloat, {1, 2, 4}), "node: joins (1, 2, 3) and (1, 2, 4), which differ beside axis 1");
}

TEST(ImportErrorTest, SqueezeOfALongerAxis) {
  ModelBuilder model;
  model.integers("axes", onnx::TensorProto::INT64, {1}, {2});
  model.node("Squeeze", "squeeze", {"x", "axes"}, {"y"});
  EXPECT_EQ(import_error(model), "squeeze: Squeeze drops axis 2 of (1, 1, 4, 4), which is not of size 1");
}

TEST(ImportErrorTest, NodeWithoutANameIsCalledAfterItsOutput) {
  ModelBuilder model;
  model.node("LSTM", "", {"x"}, {"hidden"});
  EXPECT_THAT(import_error(model), testing::StartsWith("hidden: operator LSTM"));
}

TEST(ImportErrorTest, NamesDontBreakTheLine) {
  ModelBuilder model;
  model.node("LSTM", "a\nb\x1b", {"x"}, {"hidden"});
  EXPECT_THAT(import_error(model), testing::StartsWith(R"(a\x0ab\x1b: operator LSTM)"));
}

TEST(ImportErrorTest, UnknownAttribute) {
  ModelBuilder model;
  set_int(model.node("Relu", "relu", {"x"}, {"y"}), "leak", 1);
  EXPECT_EQ(import_error(model), "relu: attribute leak of Relu is not supported; export the model without it");
}

TEST(ImportErrorTest, AttributeOfAnotherType) {
  ModelBuilder model;
  set_float(model.node("Flatten", "flat", {"x"}, {"y"}), "axis", 1);
  EXPECT_EQ(import_error(model), "flat: attribute axis of Flatten must be of the type INT");
}

TEST(ImportErrorTest, AttributeWhoseValueIsInAnotherField) {
  ModelBuilder model;
  auto& flatten = model.node("Flatten", "flat", {"x"}, {"y"});
  add_attribute(flatten, "axis", onnx::AttributeProto::INT).set_f(1);
  EXPECT_EQ(import_error(model), "flat: attribute axis of Flatten must be of the type INT");
  flatten.mutable_attribute(0)->clear_f();
  flatten.mutable_attribute(0)->set_ref_attr_name("axis_of_a_function");
  EXPECT_EQ(import_error(model), "flat: attribute axis of Flatten must be of the type INT");
}

TEST(ImportErrorTest, AttributeGivenTwice) {
  ModelBuilder model;
  auto& flatten = model.node("Flatten", "flat", {"x"}, {"y"});
  set_int(flatten, "axis", 1);
  set_int(flatten, "axis", 2);
  EXPECT_EQ(import_error(model), "flat: attribute axis of Flatten is there twice; give each once");
}

TEST(ImportErrorTest, InputThatTheOperatorDoesNotHave) {
  ModelBuilder model;
  model.node("Relu", "relu", {"x", "", "scale"}, {"y"});
  EXPECT_EQ(import_error(model), "relu: input 3 of Relu is not supported; export the model without it");
}

TEST(ImportErrorTest, PadsThatAreTooLarge) {
  ModelBuilder model;
  auto& pool = model.node("MaxPool", "pool", {"x"}, {"y"});
  set_ints(pool, "kernel_shape", {2, 2});
  set_ints(pool, "pads", {0, 0, INT64_MAX, 0});
  EXPECT_EQ(import_error(model), "pool: pads must be 0 or more, and below 2^31");
}

TEST(ImportErrorTest, KernelThatIsTooLarge) {
  ModelBuilder model;
  set_ints(model.node("MaxPool", "pool", {"x"}, {"y"}), "kernel_shape", {2, INT64_MAX});
  EXPECT_EQ(import_error(model), "pool: kernel_shape must be 2 numbers of 1 or more, and below 2^31: rows and columns");
}

TEST(ImportErrorTest, AttributeValue) {
  ModelBuilder model;
  model.floats("w", {4}, std::vector<float>(4));
  set_int(model.node("LayerNormalization", "norm", {"x", "w"}, {"y"}), "stash_type", 11);
  EXPECT_EQ(import_error(model), "norm: stash_type=11 is not supported; 1 is");
}

TEST(ImportErrorTest, AutoPad) {
  ModelBuilder model;
  auto& pool = model.node("MaxPool", "pool", {"x"}, {"y"});
  set_ints(pool, "kernel_shape", {2, 2});
  set_text(pool, "auto_pad", "SAME");
  EXPECT_EQ(import_error(model), "pool: auto_pad=SAME is not supported; NOTSET, VALID, SAME_UPPER and SAME_LOWER are");
}

TEST(ImportErrorTest, ConvolutionOfOtherDimensions) {
  ModelBuilder model;
  model.floats("w", {1, 1, 3}, {1, 1, 1});
  model.node("Conv", "conv", {"x", "w"}, {"y"});
  EXPECT_EQ(import_error(model), "conv: the weights (1, 1, 3) are not for (1, 1, 4, 4)");
  ModelBuilder volume({1, 1, 4, 4, 4});
  volume.floats("w", {1, 1, 3, 3, 3}, std::vector<float>(27));
  volume.node("Conv", "conv", {"x", "w"}, {"y"});
  EXPECT_EQ(import_error(volume),
            "conv: only 1-D and 2-D Conv are supported, on [N, C, L] and [N, C, H, W]; here the shape is "
            "(1, 1, 4, 4, 4)");
}

/// The message for a node that moves elements of x, (1, 1, 4, 4).
std::string move_error(
    const std::string& op, const std::vector<std::vector<int64_t>>& numbers,
    const std::function<void(onnx::NodeProto&)>& change = [](onnx::NodeProto&) {}) {
  ModelBuilder model;
  std::vector<std::string> inputs{"x"};
  for (const std::vector<int64_t>& input : numbers) {
    inputs.push_back(input.empty() ? "" : "input" + std::to_string(inputs.size()));
    if (!input.empty()) {
      model.integers(inputs.back(), onnx::TensorProto::INT64, {static_cast<int64_t>(input.size())}, input);
    }
  }
  change(model.node(op, "move", inputs, {"y"}));
  model.output("y");
  return import_error(model);
}

TEST(ImportErrorTest, MovedElements) {
  EXPECT_EQ(move_error("Slice", {{0}, {2, 3}}), "move: starts, ends, axes and steps must be as many");
  EXPECT_EQ(move_error("Slice", {{0}, {2}, {2}, {0}}), "move: a step of Slice must not be 0");
  EXPECT_EQ(move_error("Slice", {{0}, {2}, {4}}), "move: axis 4 is outside a shape of 4 dimensions");
  EXPECT_EQ(move_error("Unsqueeze", {{0, -6}}), "move: axes=(0, -6) names an axis twice; each once works");
  EXPECT_EQ(move_error("Split", {{3}}), "move: the parts (3,) are not the 1 that make up 1");
  EXPECT_EQ(move_error("Split", {}, [](auto& node) { set_int(node, "num_outputs", 2); }),
            "move: num_outputs=2 is not supported; 1 is");
  EXPECT_EQ(move_error("Split", {{1, 3}},
                       [](auto& node) {
                         set_int(node, "axis", 3);
                         set_int(node, "fair", 1);
                         node.add_output("rest");
                       }),
            "move: attribute fair of Split is not supported; export the model without it");
  EXPECT_EQ(move_error("Pad", {{0, 0, 1, 1}}), "move: pads must be two numbers for each of 4 axes, not 4 in all");
  EXPECT_EQ(move_error("Pad", {{0, 0, 0, 0, 0, 0, -2, -2}, {}, {}}), "no error");
  EXPECT_EQ(move_error("Pad", {{0, 0, -2, 0, 0, 0, -2, 0}}), "move: pads cut off all of axis 2");
  EXPECT_EQ(move_error("Pad", {{0, 0, 1, 1, 0, 0, 1, 1}}, [](auto& node) { set_text(node, "mode", "mirror"); }),
            "move: mode=mirror is not supported; constant, edge, reflect and wrap are");
  EXPECT_EQ(move_error("Tile", {{1, 2}}), "move: repeats must be a number for each axis of (1, 1, 4, 4)");
  EXPECT_EQ(move_error("Tile", {{1, 2, 0, 1}}), "move: repeats must be 1 to 2^20");
  EXPECT_EQ(move_error("Tile", {{1, int64_t{1} << 40, 1, 1}}), "move: repeats must be 1 to 2^20");
  EXPECT_EQ(move_error("Tile", {{1, 1, int64_t{1} << 20, 1}}),
            "move: an axis of more than 2^20 elements is not supported");
  EXPECT_EQ(move_error("Pad", {{0, 0, 0, INT64_MAX, 0, 0, 0, INT64_MIN}}), "move: pads must be -2^20 to 2^20");
  EXPECT_EQ(move_error("Expand", {{1, 1, 8, 4}}), "move: (1, 1, 4, 4) can't be broadcast to (1, 1, 8, 4)");
  EXPECT_EQ(move_error("Gather", {{7}}), "no error") << "an index is looked at where it is used";
  EXPECT_EQ(move_error("DepthToSpace", {}, [](auto& node) { set_int(node, "blocksize", 2); }),
            "move: (1, 1, 4, 4) has no whole number of blocks of channels");
  EXPECT_EQ(move_error("SpaceToDepth", {}, [](auto& node) { set_int(node, "blocksize", 3); }),
            "move: (1, 1, 4, 4) has no whole number of blocks");
  EXPECT_EQ(move_error("SpaceToDepth", {}),
            "move: SpaceToDepth needs [N, C, H, W] and a blocksize of 1 to 46340; here they are (1, 1, 4, 4) and 0");
  EXPECT_EQ(move_error("DepthToSpace", {}, [](auto& node) { set_int(node, "blocksize", int64_t{1} << 32); }),
            "move: DepthToSpace needs [N, C, H, W] and a blocksize of 1 to 46340; here they are (1, 1, 4, 4) and "
            "4294967296");
}

TEST(ImportErrorTest, Resize) {
  const std::vector<std::vector<int64_t>> inputs{{}, {}, {1, 1, 8, 8}};
  const auto with_text = [](const std::string& name, const std::string& value) {
    return [=](onnx::NodeProto& node) { set_text(node, name, value); };
  };
  EXPECT_EQ(move_error("Resize", inputs), "no error");
  EXPECT_EQ(move_error("Resize", {{}, {}, {8, 8}}), "move: sizes must be a number for each of 4 axes");
  EXPECT_EQ(move_error("Resize", {{}, {}, {1, 1, 8, -8}}), "move: sizes must be 1 to 2^20");
  EXPECT_EQ(move_error("Resize", {{}, {1, 1, 2, 2}}), "move: input 3 of Resize must be float32");
  EXPECT_EQ(move_error("Resize", inputs, with_text("mode", "area")),
            "move: mode=area is not supported; nearest, linear and, of Resize, cubic are");
  EXPECT_EQ(move_error("Resize", inputs, with_text("nearest_mode", "even")),
            "move: nearest_mode=even is not supported; floor, ceil, round_prefer_floor and round_prefer_ceil are");
  EXPECT_EQ(move_error("Resize", inputs, with_text("keep_aspect_ratio_policy", "crop")),
            "move: keep_aspect_ratio_policy=crop is not supported; stretch, not_larger and not_smaller are");
  EXPECT_EQ(move_error("Resize", inputs, with_text("coordinate_transformation_mode", "tf_crop_and_resize")),
            "move: tf_crop_and_resize needs a roi");
  EXPECT_EQ(move_error("Resize", inputs, with_text("coordinate_transformation_mode", "corners")),
            "move: coordinate_transformation_mode=corners is not supported; asymmetric, half_pixel, "
            "half_pixel_symmetric, pytorch_half_pixel, align_corners, tf_half_pixel_for_nn and tf_crop_and_resize are");
}

TEST(ImportErrorTest, ChannelsThatDontFit) {
  ModelBuilder model;
  model.floats("w", {2, 3, 1, 1}, std::vector<float>(6));
  model.node("Conv", "conv", {"x", "w"}, {"y"});
  EXPECT_EQ(import_error(model), "conv: channels don't fit: x is (1, 1, 4, 4), w is (2, 3, 1, 1), groups is 1");
}

TEST(ImportErrorTest, SecondOutput) {
  ModelBuilder model;
  auto& pool = model.node("MaxPool", "pool", {"x"}, {"y", "indices"});
  set_ints(pool, "kernel_shape", {2, 2});
  model.output("y");
  EXPECT_EQ(import_error(model), "no error");
  model.node("Identity", "copy", {"indices"}, {"z"});
  EXPECT_EQ(import_error(model),
            "pool: output 2 of MaxPool is not supported; a network that reads only the first works");
}

TEST(ImportErrorTest, FusedConvolutionOfAnotherActivation) {
  ModelBuilder model;
  model.floats("w", {1, 1, 1, 1}, {1});
  onnx::NodeProto& conv = model.node("FusedConv", "conv", {"x", "w"}, {"y"});
  conv.set_domain("com.microsoft");
  add_attribute(conv, "activation", onnx::AttributeProto::STRING).set_s("Elu");
  model.output("y");
  EXPECT_EQ(import_error(model),
            "conv: activation=Elu is not supported; Relu, Sigmoid, Tanh, LeakyRelu, HardSigmoid and Clip are");
  conv.mutable_attribute(0)->set_s("LeakyRelu");
  EXPECT_EQ(import_error(model), "conv: activation=LeakyRelu needs 1 activation_params; here are 0");
}

TEST(ImportErrorTest, MoreElementsThanThereAre) {
  ModelBuilder model;
  model.integers("k", onnx::TensorProto::INT64, {1}, {5});
  model.node("TopK", "largest", {"x", "k"}, {"y", "places"});
  model.output("y");
  EXPECT_EQ(import_error(model), "largest: k=5 of 4 elements along axis 3; 0 to all of them work");
}

TEST(ImportErrorTest, ElementsTakenByIndicesOfAnotherShape) {
  ModelBuilder model;
  model.integers("indices", onnx::TensorProto::INT64, {1, 2, 4, 1}, std::vector<int64_t>(8, 0));
  set_int(model.node("GatherElements", "taken", {"x", "indices"}, {"y"}), "axis", 3);
  model.output("y");
  EXPECT_EQ(import_error(model),
            "taken: indices (1, 2, 4, 1) must be no larger than x (1, 1, 4, 4) but along the axis");
}

TEST(ImportErrorTest, ElementTypeOfAConstant) {
  ModelBuilder model;
  model.integers("half", onnx::TensorProto::FLOAT16, {1}, {0});
  model.node("Identity", "copy", {"half"}, {"y"});
  EXPECT_EQ(import_error(model),
            "half: element type float16 is not supported; float (float32), double (as float32), uint8, int8, int32, "
            "int64 and bool are");
}

TEST(ImportErrorTest, ElementTypeOfTheInput) {
  ModelBuilder model;
  model.input("words", {1, 4}).mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::STRING);
  EXPECT_EQ(import_error(model),
            "words: element type string is not supported; float (float32), double (as float32), uint8, int8, int32, "
            "int64 and bool are");
}

TEST(ImportErrorTest, ElementTypeOfACast) {
  ModelBuilder model;
  set_int(model.node("Cast", "to_half", {"x"}, {"y"}), "to", onnx::TensorProto::FLOAT16);
  EXPECT_EQ(import_error(model),
            "to_half: element type float16 is not supported; float (float32), double (as float32), uint8, int8, int32, "
            "int64 and bool are");
}

TEST(ImportErrorTest, ElementTypeOfAQuantizedTensor) {
  ModelBuilder model;
  model.integers("zero_i32", onnx::TensorProto::INT32, {}, {0});
  model.node("QuantizeLinear", "q", {"x", "scale", "zero_i32"}, {"y"});
  EXPECT_EQ(import_error(model), "q: a quantized tensor is uint8 or int8, not int32");
}

TEST(ImportErrorTest, ScalesThatAreNone) {
  for (const float scale : {0.0F, -0.5F, HUGE_VALF, NAN}) {
    for (const char* op : {"QuantizeLinear", "DequantizeLinear"}) {
      ModelBuilder model;
      model.floats("s", {}, {scale});
      model.node(op, "node", {op == std::string("QuantizeLinear") ? "x" : "x_q", "s", "zero"}, {"y"});
      EXPECT_EQ(import_error(model), "node: the scale " + number(scale) + " is no positive finite number");
    }
    ModelBuilder model;
    model.floats("s", {2}, {0.5F, scale});
    model.integers("w", onnx::TensorProto::INT8, {2, 1, 1, 1}, {1, 2});
    model.integers("w_zero", onnx::TensorProto::INT8, {2}, {0, 0});
    model.node("QLinearConv", "conv", {"x_q", "scale", "zero", "w", "s", "w_zero", "scale", "zero"}, {"y"});
    EXPECT_EQ(import_error(model), "conv: the scale " + number(scale) + " is no positive finite number");
  }
}

TEST(ImportErrorTest, ScalesOfAnotherNumber) {
  ModelBuilder model({0, 3, 4, 4});
  model.floats("s", {2}, {1, 1});
  model.integers("z", onnx::TensorProto::UINT8, {2}, {0, 0});
  model.node("DequantizeLinear", "dq", {"x_q", "s", "z"}, {"y"});
  EXPECT_EQ(import_error(model), "dq: the scale must have one element or one a channel; here (2,) for (1, 3, 4, 4)");
}

TEST(ImportErrorTest, ZeroPointsOfAnotherNumber) {
  ModelBuilder model({0, 2, 4, 4});
  model.floats("s", {2}, {1, 1});
  model.node("DequantizeLinear", "dq", {"x_q", "s", "zero"}, {"y"});
  EXPECT_EQ(import_error(model), "dq: scale and zero point must be equally many");
}

TEST(ImportErrorTest, ZeroPointOfAnotherType) {
  ModelBuilder model;
  model.integers("z", onnx::TensorProto::INT8, {}, {0});
  model.node("DequantizeLinear", "dq", {"x_q", "scale", "z"}, {"y"});
  EXPECT_EQ(import_error(model), "dq: the zero point is int8 but the tensor is uint8");
}

TEST(ImportErrorTest, ZeroPointOutOfRange) {
  ModelBuilder model;
  model.integers("z", onnx::TensorProto::UINT8, {}, {300});
  model.node("DequantizeLinear", "dq", {"x_q", "scale", "z"}, {"y"});
  EXPECT_EQ(import_error(model), "z: holds 300, which is no uint8; the model is damaged");
}

TEST(ImportErrorTest, ScaleOfAnotherType) {
  ModelBuilder model;
  model.integers("s", onnx::TensorProto::INT32, {}, {1});
  model.node("DequantizeLinear", "dq", {"x_q", "s", "zero"}, {"y"});
  EXPECT_EQ(import_error(model), "dq: the scale must be float32");
}

TEST(ImportErrorTest, OutputTypeThatIsNotTheZeroPoints) {
  ModelBuilder model;
  set_int(model.node("QuantizeLinear", "q", {"x", "scale", "zero"}, {"y"}), "output_dtype", onnx::TensorProto::INT8);
  EXPECT_EQ(import_error(model), "q: output_dtype differs from the zero point's type; give the one that is meant");
}

TEST(ImportErrorTest, InputTooLarge) {
  ModelBuilder model;
  model.input("picture", {1, 1 << 10, 1 << 15, 1 << 15});
  EXPECT_EQ(import_error(model),
            "picture: has the impossible shape (1, 1024, 32768, 32768); at most 2^31 elements work");
}

TEST(ImportErrorTest, ConstantOfShapeTooLarge) {
  ModelBuilder model;
  model.integers("shape", onnx::TensorProto::INT64, {2}, {1 << 20, 1 << 20});
  model.node("ConstantOfShape", "fill", {"shape"}, {"y"});
  EXPECT_EQ(import_error(model), "fill: has the impossible shape (1048576, 1048576); at most 2^31 elements work");
  model.graph().mutable_initializer()->rbegin()->set_int64_data(1, 32);
  EXPECT_EQ(import_error(model), "fill: fills (1048576, 32) with one number; at most 2^24 elements work");
  model.graph().mutable_initializer()->rbegin()->set_int64_data(1, INT64_MAX);
  EXPECT_EQ(import_error(model),
            "fill: has the impossible shape (1048576, 9223372036854775807); at most 2^31 elements work");
}

TEST(ImportErrorTest, BroadcastTooLarge) {
  ModelBuilder model;
  model.input("row", {1, 1 << 20});
  model.input("column", {1, 1 << 20, 1});
  model.node("Add", "sum", {"row", "column"}, {"y"});
  EXPECT_EQ(import_error(model), "sum: has the impossible shape (1, 1048576, 1048576); at most 2^31 elements work");
}

TEST(ImportErrorTest, DynamicShape) {
  ModelBuilder model;
  auto& shape = *model.input("picture", {0, 3, 0, 32}).mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(2)->set_dim_param("height");
  EXPECT_EQ(import_error(model),
            "picture: dimension 2 (height) has no size in the file; give the input's shape, such as --shape "
            "picture=1x3x224x32");
}

TEST(ImportErrorTest, InputWithoutAShape) {
  ModelBuilder model;
  model.input("picture", {}).mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(import_error(model),
            "picture: the network's input has no shape in the file; give it, such as --shape picture=1x3x224x224");
}

TEST(ImportErrorTest, ShapeComputedFromTheInput) {
  ModelBuilder model;
  set_int(model.node("Cast", "cast", {"x"}, {"shape"}), "to", onnx::TensorProto::INT64);
  model.node("Reshape", "reshape", {"x", "shape"}, {"y"});
  EXPECT_EQ(import_error(model),
            "reshape: input 2 of Reshape must be a constant, not computed from the network's input");
}

TEST(ImportErrorTest, ReshapeToAnotherSize) {
  ModelBuilder model;
  model.integers("shape", onnx::TensorProto::INT64, {2}, {5, -1});
  model.node("Reshape", "reshape", {"x", "shape"}, {"y"});
  EXPECT_EQ(import_error(model), "reshape: (1, 1, 4, 4) can't be cut into runs of 5 elements");
}

TEST(ImportErrorTest, MissingInput) {
  ModelBuilder model;
  model.node("Add", "sum", {"x"}, {"y"});
  EXPECT_EQ(import_error(model), "sum: Add needs input 2");
}

TEST(ImportErrorTest, ValueThatNothingMakes) {
  ModelBuilder model;
  model.node("Relu", "relu", {"nowhere"}, {"y"});
  EXPECT_EQ(import_error(model),
            "relu: reads nowhere, which no input, initializer or node makes; export the model again, whole");
}

TEST(ImportErrorTest, ValueMadeTwice) {
  ModelBuilder model;
  model.node("Relu", "relu", {"x"}, {"x_q"});
  EXPECT_EQ(import_error(model), "relu: makes x_q, which quantize makes too; give each value a name of its own");
}

TEST(ImportErrorTest, ValueMadeTwiceByOneNode) {
  ModelBuilder model;
  set_ints(model.node("MaxPool", "pool", {"x"}, {"y", "y"}), "kernel_shape", {2, 2});
  EXPECT_EQ(import_error(model), "pool: makes y, which pool makes too; give each value a name of its own");
}

TEST(ImportErrorTest, InputMadeByANode) {
  ModelBuilder model;
  model.node("Relu", "relu", {"x_q"}, {"x"});
  EXPECT_EQ(import_error(model), "relu: makes x, which is an input; give each value a name of its own");
}

TEST(ImportErrorTest, InitializerMadeByANode) {
  ModelBuilder model;
  model.node("Relu", "relu", {"x_q"}, {"scale"});
  EXPECT_EQ(import_error(model), "relu: makes scale, which is an initializer; give each value a name of its own");
}

TEST(ImportErrorTest, InputListedTwice) {
  ModelBuilder model;
  model.input("x", {1, 4});
  EXPECT_EQ(import_error(model), "input x: is listed twice; give each of the network's inputs a name of its own");
}

TEST(ImportErrorTest, InitializerThereTwice) {
  ModelBuilder model;
  model.floats("scale", {}, {1});
  EXPECT_EQ(import_error(model), "initializer scale: is there twice; give each a name of its own");
}

TEST(ImportErrorTest, InitializerDeclaredAsAnInput) {
  ModelBuilder model;
  model.input("scale", {1});
  model.output("x_q");
  EXPECT_EQ(import_error(model), "no error") << "files of ONNX IR versions up to 3 declare all of them";
}

TEST(ImportErrorTest, Cycle) {
  ModelBuilder model;
  model.node("Add", "sum", {"x", "back"}, {"y"});
  model.node("Relu", "relu", {"y"}, {"z"});
  model.node("Relu", "aside", {"y"}, {"unread"});
  model.node("Relu", "loop", {"z"}, {"back"});
  EXPECT_EQ(import_error(model),
            "sum: needs its own result (sum -> relu -> loop -> sum); a network without cycles works: unroll the loop");
}

TEST(ImportErrorTest, CycleOfOneNodeBehindDisorder) {
  ModelBuilder model;
  model.node("Relu", "early", {"late_y"}, {"early_y"});
  model.node("Relu", "late", {"x"}, {"late_y"});
  model.node("Relu", "self", {"y"}, {"y"});
  EXPECT_EQ(import_error(model),
            "self: needs its own result (self -> self); a network without cycles works: unroll the loop");
}

TEST(ImportErrorTest, CycleBehindItsReaders) {
  ModelBuilder model;
  model.node("Relu", "reader", {"b"}, {"y"});
  model.node("Relu", "one", {"b"}, {"a"});
  model.node("Relu", "two", {"a"}, {"b"});
  EXPECT_EQ(import_error(model),
            "one: needs its own result (one -> two -> one); a network without cycles works: unroll the loop");
}

TEST(ImportErrorTest, OutputThatNothingMakes) {
  ModelBuilder model;
  model.node("Relu", "relu", {"x"}, {"y"});
  model.output("probabilities");
  EXPECT_EQ(import_error(model), "output probabilities: is made by no node; the last node, relu, makes y");
}

TEST(ImportErrorTest, OutputListedTwice) {
  ModelBuilder model;
  model.output("x_q").output("x_q");
  EXPECT_EQ(import_error(model), "output x_q: is listed twice; list each of the network's outputs once");
}

TEST(ImportErrorTest, NoOutput) {
  ModelBuilder model;
  EXPECT_EQ(import_error(model), "net.onnx: the network has no output; the model is damaged");
}

TEST(ImportErrorTest, ConstantOfAnotherLength) {
  ModelBuilder model;
  model.floats("w", {3}, {1, 2});
  model.node("Add", "sum", {"x", "w"}, {"y"});
  EXPECT_EQ(import_error(model), "w: holds 2 elements, but is float32 (3,); the model is damaged");
}

TEST(ImportErrorTest, ConstantOfAnotherNumberOfBytes) {
  ModelBuilder model;
  const float values[] = {1, 2};
  model.bytes("w", onnx::TensorProto::FLOAT, {1}, values, 7);
  model.node("Add", "sum", {"x", "w"}, {"y"});
  EXPECT_EQ(import_error(model), "w: holds 7 bytes, but is float32 (1,); the model is damaged");
}

TEST(ImportErrorTest, ConstantOfAnImpossibleShape) {
  ModelBuilder model;
  model.floats("w", {-1}, {});
  model.node("Add", "sum", {"x", "w"}, {"y"});
  EXPECT_EQ(import_error(model), "w: has the impossible shape (-1,); at most 2^31 elements work");
}

TEST(ImportErrorTest, TrainingMode) {
  ModelBuilder model;
  model.integers("training", onnx::TensorProto::BOOL, {}, {1});
  model.node("Dropout", "drop", {"x", "", "training"}, {"y"});
  EXPECT_EQ(import_error(model), "drop: Dropout in training mode is not supported; export the model for inference");
}

}  // namespace
}  // namespace fovea
