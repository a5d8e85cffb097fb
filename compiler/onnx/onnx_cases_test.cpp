// SPDX-License-Identifier: Apache-2.0
/// \file
/// ONNX's own test cases (package libonnx-testdata): imported operators compute what ONNX says they compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "converters.h"
#include "import.h"
#include "ir/error.h"
#include "model_builder.h"
#include "onnx_tensor.h"
#include "ops/evaluate.h"
#include "read_model.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

onnx::TensorProto read_tensor_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  tensor.ParseFromIstream(&file);
  return tensor;
}

/// The case's model with its inputs as initializers and a QuantizeLinear to nowhere, so that it counts as quantized; in
/// opset 10 or later, which has QuantizeLinear.
onnx::ModelProto load_case(const fs::path& folder) {
  onnx::ModelProto model = read_model(folder / "model.onnx");
  auto& graph = *model.mutable_graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    auto& initializer = *graph.add_initializer();
    initializer = read_tensor_file(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"));
    initializer.set_name(graph.input(i).name());
  }
  graph.clear_input();
  auto& opset = *model.mutable_opset_import(0);
  opset.set_version(std::max<int64_t>(opset.version(), 10));
  onnx::TensorProto& one = *graph.add_initializer();
  one.set_name("one");
  one.set_data_type(onnx::TensorProto::FLOAT);
  one.add_float_data(1);
  auto& node = *graph.add_node();
  node.set_op_type("QuantizeLinear");
  for (int i = 0; i < 2; ++i) {
    node.add_input("one");
  }
  node.add_output("nowhere");
  return model;
}

/// \param left  Imported: int32 sums are float32 numbers.
bool is_near(const Tensor& left, const Tensor& right) {
  const bool is_sum = left.type().element == ElementType::kFloat32 && right.type().element == ElementType::kInt32;
  if (left.type().shape != right.type().shape || (left.type().element != right.type().element && !is_sum)) {
    return false;
  }
  for (int64_t i = 0; i < count_elements(left.type().shape); ++i) {
    const double a = left.at(i), b = right.at(i);
    if (std::isnan(a) != std::isnan(b) || std::abs(a - b) > 1e-4 + 1e-4 * std::abs(b)) {
      return false;
    }
  }
  return true;
}

/// Whether the first node is refused with one more attribute, and with one more input.
bool refuses_what_it_does_not_read(const onnx::ModelProto& model) {
  const auto is_refused = [&model](void (*change)(onnx::NodeProto & node)) {
    onnx::ModelProto changed = model;
    change(*changed.mutable_graph()->mutable_node(0));
    try {
      import_model(changed, "net.onnx");
    } catch (const UserError&) {
      return true;
    }
    return false;
  };
  return is_refused([](onnx::NodeProto& node) { set_int(node, "unheard_of", 1); }) &&
         is_refused([](onnx::NodeProto& node) {
           while (node.input_size() < 12) {
             node.add_input("");
           }
           node.add_input("one");
         });
}

/// Operators of the case, where all of them are in the table; "" otherwise.
std::string operators_of(const fs::path& folder) {
  std::string operators;
  const onnx::ModelProto model = read_model(folder / "model.onnx");
  for (const auto& node : model.graph().node()) {
    if (find_converter(node.op_type()) == nullptr) {
      return "";
    }
    operators += node.op_type() + " ";
  }
  return operators;
}

TEST(OnnxCasesTest, ImportedOperatorsComputeWhatOnnxSays) {
  const fs::path cases = "/usr/share/libonnx-testdata/data/node";
  if (!fs::exists(cases)) {
    GTEST_SKIP() << "nothing to test here: the package libonnx-testdata is not installed";
  }
  std::map<std::string, int> passed;
  for (const auto& entry : fs::directory_iterator(cases)) {
    const std::string operators = operators_of(entry.path());
    if (operators.empty()) {
      continue;
    }
    const onnx::ModelProto model = load_case(entry.path());
    std::vector<Tensor> results;
    try {
      results = evaluate(import_model(model, entry.path().filename()), {});
    } catch (const UserError& error) {
      std::cout << entry.path().filename().string() << " is refused: " << error.what() << "\n";
      continue;
    }
    const Tensor expected = to_tensor(read_tensor_file(entry.path() / "test_data_set_0" / "output_0.pb"), "output");
    EXPECT_TRUE(is_near(results.at(0), expected)) << entry.path().filename() << ": " << operators;
    EXPECT_TRUE(refuses_what_it_does_not_read(model)) << entry.path().filename() << ": " << operators;
    ++passed[operators];
  }
  for (const auto& [operators, count] : passed) {
    std::cout << count << " x " << operators << "\n";
  }
  for (const std::string op : {
#define FOVEA_ONNX(op, function, ...) #op,
#define FOVEA_ONNX_AS(op, name, ...) #op,
#include "converters.def"
#undef FOVEA_ONNX
#undef FOVEA_ONNX_AS
       }) {
    // ONNX has no cases of another domain's operators; all of Cast's have a type that the IR lacks; and libonnx 1.12 is
    // older than Gelu and Mish.
    if (op != "Cast" && op != "Gelu" && op != "Mish" && !op.starts_with("com.microsoft.")) {
      EXPECT_GE(passed[op + " "], 1) << op;
    }
  }
}

}  // namespace
}  // namespace fovea
