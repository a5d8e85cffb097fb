// SPDX-License-Identifier: Apache-2.0
/// \file
/// The two exporters' networks become the graphs that they are: operators, shapes, constants, names.
#include "import.h"

#include <gtest/gtest.h>

#include <map>

#include "ir/verify.h"
#include "ops/operator.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct ModelCase {
  const char* file;
  std::map<std::string, int> operators;
  const char* first_conv;
};

std::ostream& operator<<(std::ostream& stream, const ModelCase& model) { return stream << model.file; }

class ImportTest : public testing::TestWithParam<ModelCase> {};

std::map<std::string, int> count_operators(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kCall) {
      ++counts[node.op->name];
    }
  }
  return counts;
}

TEST_P(ImportTest, BecomesTheGraphThatItIs) {
  const fs::path path = GetParam().file;
  if (!fs::exists(path)) {
    GTEST_SKIP() << "nothing to test here: ../shared is not present";
  }
  const Graph graph = import_onnx(path);
  verify(graph, "import");
  EXPECT_EQ(count_operators(graph), GetParam().operators);
  ASSERT_EQ(graph.inputs().size(), 1U);
  EXPECT_EQ(graph[graph.inputs()[0]].type, (TensorType{{1, 3, 32, 32}, ElementType::kFloat32}));
  EXPECT_EQ(graph[graph.inputs()[0]].origin, "input");
  ASSERT_EQ(graph.outputs().size(), 1U);
  EXPECT_EQ(graph[graph.outputs()[0]].type, (TensorType{{1, 10}, ElementType::kFloat32}));
  for (const Node& node : graph.nodes()) {
    if (!is_call(node, "nn.conv2d")) {
      continue;
    }
    EXPECT_EQ(node.origin, GetParam().first_conv);
    EXPECT_EQ(node.type, (TensorType{{1, 64, 32, 32}, ElementType::kFloat32}));
    EXPECT_EQ(ints_attribute(node, "pads", {}), (std::vector<int64_t>{1, 1, 1, 1}));
    return;
  }
}

const std::map<std::string, int> kAlexnetOperators{
    {"cast", 21},   {"full", 8},    {"nn.bias_add", 8},   {"nn.conv2d", 5},     {"nn.dense", 3},
    {"nn.relu", 7}, {"reshape", 1}, {"nn.max_pool2d", 3}, {"qnn.quantize", 13}, {"qnn.dequantize", 29}};
const std::map<std::string, int> kVggOperators{{"nn.bias_add", 8},   {"nn.conv2d", 5},      {"nn.dense", 3},
                                               {"nn.relu", 7},       {"reshape", 1},        {"nn.max_pool2d", 3},
                                               {"qnn.quantize", 12}, {"qnn.dequantize", 28}};

INSTANTIATE_TEST_SUITE_P(Models, ImportTest,
                         testing::Values(ModelCase{"../shared/models/alexnetbn_v2-power2.onnx", kAlexnetOperators,
                                                   "/module/conv1/0/Conv"},
                                         ModelCase{"../shared/models/vgg8_cifar10_power2.onnx", kVggOperators, "conv1"},
                                         ModelCase{"models/vgg8_cifar10_power2.onnx", kVggOperators, "conv1"}));

}  // namespace
}  // namespace fovea
