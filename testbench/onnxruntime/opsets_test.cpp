// SPDX-License-Identifier: Apache-2.0
/// \file
/// One network in the form of each opset: imported, it computes what ONNX Runtime computes; and where Debian's ONNX
/// knows the opset, its checker takes it, its shape inference agrees, and its converter's result means the same.
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>
#include <onnx/version_converter/convert.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "ir/evaluate.h"
#include "onnx/import.h"
#include "onnx/model_builder.h"
#include "onnx/onnx_tensor.h"
#include "onnxruntime_oracle.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLeastOpset = 7, kMostOpset = 25;
/// What ONNX 1.12 knows, and from where on it has QuantizeLinear.
constexpr int64_t kLeastKnown = 10, kMostKnown = 17;

/// A network of what changed its form between the opsets, in the form of one of them.
class OpsetNetwork {
 public:
  explicit OpsetNetwork(int64_t opset) : opset_(opset), model_({1, 2, 4, 4}) {
    model_.graph().set_name("net");
    model_.model().mutable_opset_import(0)->set_version(opset);
    onnx::OperatorSetIdProto& microsoft = *model_.model().add_opset_import();
    microsoft.set_domain("com.microsoft");
    microsoft.set_version(1);
    settle_domain(*model_.graph().mutable_node(0));
    add_weights();
    add_layers();
    add_tail();
    model_.output("y");
    auto& type = *model_.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_value(1);
    type.mutable_shape()->add_dim()->set_dim_value(3);
  }

  const onnx::ModelProto& model() { return model_.model(); }

 private:
  bool from(int64_t opset) const { return opset_ >= opset; }

  /// QuantizeLinear and DequantizeLinear were com.microsoft's before they were ONNX's.
  void settle_domain(onnx::NodeProto& node) const {
    if (!from(10)) {
      node.set_domain("com.microsoft");
    }
  }

  /// A node called after its result.
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& result) {
    return model_.node(op, result, inputs, {result});
  }

  /// Integers that an operator reads as an attribute until it reads them as an input.
  void give(onnx::NodeProto& node, const std::string& attribute, const std::vector<int64_t>& values,
            int64_t input_from) {
    if (!from(input_from)) {
      return set_ints(node, attribute, values);
    }
    const std::string name = node.name() + "_" + attribute;
    model_.integers(name, onnx::TensorProto::INT64, {static_cast<int64_t>(values.size())}, values);
    node.add_input(name);
  }

  /// Weights [2, 2, 2, 2]; one scale a filter where DequantizeLinear has an axis.
  void add_weights() {
    std::vector<int64_t> weights(16);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<int64_t>(i * 5 % 17) - 8;
    }
    model_.integers("w_q", onnx::TensorProto::INT8, {2, 2, 2, 2}, weights);
    const std::size_t scales = from(13) ? 2 : 1;
    model_.floats("w_scale", from(13) ? std::vector<int64_t>{2} : std::vector<int64_t>{},
                  std::vector<float>(scales, 0.25F));
    model_.integers("w_zero", onnx::TensorProto::INT8, from(13) ? std::vector<int64_t>{2} : std::vector<int64_t>{},
                    std::vector<int64_t>(scales, 0));
    onnx::NodeProto& w = node("DequantizeLinear", {"w_q", "w_scale", "w_zero"}, "w");
    settle_domain(w);
    if (from(13)) {
      set_int(w, "axis", from(14) ? 0 : -4);
    }
  }

  void add_layers() {
    settle_domain(node("DequantizeLinear", {"x_q", "scale", "zero"}, "x_f"));
    node("Conv", {"x_f", "w"}, "conv");
    for (const char* name : {"gamma", "beta", "mean", "variance"}) {
      model_.floats(name, {2}, {0.5F, 1.5F});
    }
    onnx::NodeProto& norm = node("BatchNormalization", {"conv", "gamma", "beta", "mean", "variance"}, "norm");
    set_float(norm, "epsilon", 0.01F);
    if (!from(9)) {
      set_int(norm, "spatial", 1);
    }
    if (from(14)) {
      set_int(norm, "training_mode", 0);
    }
    onnx::NodeProto& clip = node("Clip", {"norm"}, "clip");
    if (from(11)) {
      model_.floats("least", {}, {-3});
      model_.floats("most", {}, {4});
      clip.add_input("least");
      clip.add_input("most");
    } else {
      set_float(clip, "min", -3);
      set_float(clip, "max", 4);
    }
    onnx::NodeProto& drop = node("Dropout", {"clip"}, "drop");
    if (from(12)) {
      model_.floats("ratio", {}, {0.25F});
      model_.integers("training", onnx::TensorProto::BOOL, {}, {0});
      drop.add_input("ratio");
      drop.add_input("training");
    } else {
      set_float(drop, "ratio", 0.25F);
    }
    onnx::NodeProto& pool = node("MaxPool", {"drop"}, "pool");
    set_ints(pool, "kernel_shape", {2, 2});
    if (from(10)) {
      set_int(pool, "ceil_mode", 0);
    }
    if (from(11)) {
      set_ints(pool, "dilations", {1, 1});
    }
    node("Relu", {"pool"}, "relu");
    node("Add", {"pool", "relu"}, "sum");
    if (opset_ == 24) {  // ONNX Runtime has no Swish of opset 25.
      set_float(node("Swish", {"sum"}, "swish"), "alpha", 0.5F);
    } else {
      model_.floats("half", {}, {0.5F});
      node("Mul", {"sum", "half"}, "scaled");
      node("Sigmoid", {"scaled"}, "gate");
      node("Mul", {"sum", "gate"}, "swish");
    }
  }

  /// swish [1, 2, 2, 2] to y [1, 3], by way of all that changes shapes.
  void add_tail() {
    give(node("Unsqueeze", {"swish"}, "wide"), "axes", {0, from(11) ? -1 : 5}, 13);
    give(node("Squeeze", {"wide"}, "narrow"), "axes", {0, from(11) ? -1 : 5}, 13);
    set_ints(node("Transpose", {"narrow"}, "turned"), "perm", {0, 2, 3, 1});
    // The shape [1, 2, -1], taken from the value's own.
    onnx::NodeProto& shape = node("Shape", {"turned"}, from(15) ? "front" : "whole");
    if (from(15)) {
      set_int(shape, "start", 0);
      set_int(shape, "end", 2);
    } else {
      model_.integers("places", onnx::TensorProto::INT64, {2}, {0, 1});
      set_int(node("Gather", {"whole", "places"}, "front"), "axis", 0);
    }
    onnx::NodeProto& rest = node("Constant", {}, "rest");
    if (from(12)) {
      set_ints(rest, "value_ints", {-1});
    } else {
      onnx::TensorProto& value = *add_attribute(rest, "value", onnx::AttributeProto::TENSOR).mutable_t();
      value.set_data_type(onnx::TensorProto::INT64);
      value.add_dims(1);
      value.add_int64_data(-1);
    }
    set_int(node("Concat", {"front", "rest"}, "wanted"), "axis", from(11) ? -1 : 0);
    onnx::NodeProto& cast = node("Cast", {"wanted"}, "wanted_64");
    set_int(cast, "to", onnx::TensorProto::INT64);
    if (from(19)) {
      set_int(cast, "saturate", 1);
    }
    if (from(24)) {
      set_text(cast, "round_mode", "up");
    }
    onnx::NodeProto& cut = node("Reshape", {"turned", "wanted_64"}, "cut");
    if (from(14)) {
      set_int(cut, "allowzero", 0);
    }
    set_int(node("Flatten", {"cut"}, "row"), "axis", from(11) ? -2 : 1);
    std::vector<float> weights(24);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(i * 7 % 11) - 5;
    }
    model_.floats("dense", {8, 3}, weights);
    model_.floats("bias", {3}, {0, 0, 0});
    onnx::NodeProto& gemm = node("Gemm", {"row", "dense"}, "product");
    if (!from(11)) {
      gemm.add_input("bias");
    }
    onnx::NodeProto& quantize = node("QuantizeLinear", {"product", "scale", "zero"}, "product_q");
    settle_domain(quantize);
    if (from(19)) {
      set_int(quantize, "saturate", 1);
    }
    if (from(21)) {
      set_int(quantize, "block_size", 0);
      set_int(quantize, "output_dtype", onnx::TensorProto::UINT8);
    }
    if (from(23)) {
      set_int(quantize, "precision", onnx::TensorProto::FLOAT);
    }
    onnx::NodeProto& dequantize = node("DequantizeLinear", {"product_q", "scale", "zero"}, "product_f");
    settle_domain(dequantize);
    if (from(23)) {
      set_int(dequantize, "output_dtype", onnx::TensorProto::FLOAT);
    }
    onnx::NodeProto& top = node("TopK", {"product_f"}, "top");
    top.add_output("top_places");
    if (from(10)) {
      model_.integers("k", onnx::TensorProto::INT64, {1}, {3});
      top.add_input("k");
    } else {
      set_int(top, "k", 3);
    }
    if (from(11)) {
      set_int(top, "sorted", 1);
    }
    node("Identity", {"top"}, "y");
  }

  const int64_t opset_;
  ModelBuilder model_;
};

const std::vector<float>& picture() {
  static const std::vector<float> pixels = [] {
    std::vector<float> values(32);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i * 13 % 29) / 4 - 3;
    }
    return values;
  }();
  return pixels;
}

std::vector<float> evaluated(const onnx::ModelProto& model) {
  const Tensor y = evaluate(import_model(model, "net.onnx"), {Tensor::of<float>({1, 2, 4, 4}, picture())}).at(0);
  return {y.values<float>().begin(), y.values<float>().end()};
}

TEST(Opsets, ComputeWhatOnnxRuntimeComputes) {
  const fs::path folder = WORK_FOLDER;
  std::vector<Question> questions;
  for (int64_t opset = kLeastOpset; opset <= kMostOpset; ++opset) {
    const fs::path path = folder / std::to_string(opset) / "net.onnx";
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << OpsetNetwork(opset).model().SerializeAsString();
    questions.push_back({path, {{"x", {1, 2, 4, 4}, picture()}}, {}});
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder);
  const std::vector<float> first = evaluated(OpsetNetwork(kLeastOpset).model());
  EXPECT_GT(*std::max_element(first.begin(), first.end()), *std::min_element(first.begin(), first.end()));
  for (int64_t opset = kLeastOpset; opset <= kMostOpset; ++opset) {
    const Answer& answer = answers[static_cast<std::size_t>(opset - kLeastOpset)];
    ASSERT_EQ(answer.error, "") << "opset " << opset;
    EXPECT_EQ(evaluated(OpsetNetwork(opset).model()), answer.outputs.at(0).data) << "opset " << opset;
    EXPECT_EQ(answer.outputs.at(0).data, first) << "opset " << opset;
  }
  fs::remove_all(folder);
}

TEST(Opsets, AreWhatOnnxChecks) {
  for (int64_t opset = kLeastOpset; opset <= kMostKnown; ++opset) {
    EXPECT_NO_THROW(onnx::checker::check_model(OpsetNetwork(opset).model())) << "opset " << opset;
  }
}

/// Types of all values by name, as imported.
std::map<std::string, TensorType> imported_types(onnx::ModelProto model) {
  model.mutable_graph()->clear_output();
  for (const onnx::NodeProto& node : model.graph().node()) {
    model.mutable_graph()->add_output()->set_name(node.output(0));
  }
  const Graph graph = import_model(model, "net.onnx");
  std::map<std::string, TensorType> types;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    types[graph.output_names()[i]] = graph[graph.outputs()[i]].type;
  }
  return types;
}

/// Compares each value's type with what ONNX infers. \return how many could be compared.
std::size_t compare_types(onnx::ModelProto model) {
  const std::map<std::string, TensorType> types = imported_types(model);
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                     onnx::ShapeInferenceOptions(true, 1, true));
  std::size_t compared = 0;
  for (const onnx::ValueInfoProto& value : model.graph().value_info()) {
    const onnx::TypeProto::Tensor& type = value.type().tensor_type();
    if (!type.has_shape()) {
      continue;
    }
    TensorType inferred{{}, to_element_type(type.elem_type(), value.name())};
    for (const auto& dimension : type.shape().dim()) {
      inferred.shape.push_back(dimension.has_dim_value() ? dimension.dim_value() : 1);  // A batch may have a name.
    }
    EXPECT_EQ(to_text(types.at(value.name())), to_text(inferred)) << value.name();
    ++compared;
  }
  return compared;
}

TEST(Opsets, HaveTheTypesThatOnnxInfers) {
  for (int64_t opset = kLeastKnown; opset <= kMostKnown; ++opset) {
    // ONNX does not follow the shape that Reshape is given through Concat and Cast: seven types are left out.
    const onnx::ModelProto model = OpsetNetwork(opset).model();
    EXPECT_EQ(compare_types(model), static_cast<std::size_t>(model.graph().node_size()) - 7) << "opset " << opset;
  }
}

TEST(Opsets, RealNetworksHaveTheTypesThatOnnxInfers) {
  if (!fs::exists("../shared/networks")) {
    GTEST_SKIP() << "nothing to test here: ../shared is not present";
  }
  for (const char* name : {"networks/resnet8_int8", "networks/ds_cnn_int8", "networks/mobilenet_v1_025_int8",
                           "networks/autoencoder_int8", "models/alexnetbn_v2-power2", "models/vgg8_cifar10_power2"}) {
    std::ifstream file("../shared/" + std::string(name) + ".onnx", std::ios::binary);
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromIstream(&file)) << name;
    EXPECT_GT(compare_types(model), 50U) << name;
  }
}

TEST(Opsets, MeanTheSameAsOnnxConvertsThem) {
  const std::vector<float> expected = evaluated(OpsetNetwork(kMostKnown).model());
  for (int64_t opset = kLeastKnown; opset < kMostKnown; ++opset) {
    EXPECT_EQ(evaluated(onnx::version_conversion::ConvertVersion(OpsetNetwork(opset).model(), kMostKnown)), expected)
        << "opset " << opset;
  }
}

}  // namespace
}  // namespace fovea
