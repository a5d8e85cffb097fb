// SPDX-License-Identifier: Apache-2.0
/// \file
/// What does ONNX Runtime answer to QDQ files themselves? Operators that it keeps in float32 are compared one by one,
/// on the inputs that the formulas give them, and may be a step apart near a tie. Where its float operator is another
/// function than its integer one, the expected value is that function's. Networks without any are compared whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "bench/number_from_environment.h"
#include "network_values.h"
#include "network_writer.h"
#include "onnxruntime_oracle.h"
#include "operator_row.h"
#include "random_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 1);
const uint64_t kCases = number_from_environment("CASES", 60);

/// Steps from a tie within which float32 sums may round to the other side.
constexpr double kNearTie = 1e-4;

/// The values that are quantized from float32 in the graph that ONNX Runtime really runs.
std::set<std::string> quantized_values(const fs::path& optimized) {
  onnx::ModelProto model;
  std::ifstream file(optimized, std::ios::binary);
  EXPECT_TRUE(model.ParseFromIstream(&file)) << optimized;
  std::set<std::string> values;
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.op_type() == "QuantizeLinear") {
      values.insert(node.output(0));
    }
  }
  return values;
}

/// Two changes of scale in a row become one in ONNX Runtime, which rounds once.
bool may_vanish(const DrawnNode& node) { return node.row == &kRequantizeRow && !node.relu; }

/// What a node makes of exact results before they are quantized: ReLU, clip and fused pool.
std::vector<double> finish(const DrawnNetwork& network, const DrawnNode& node, std::vector<double> reals) {
  for (double& real : reals) {
    real = node.relu ? std::max(real, 0.0) : real;
    if (node.clip) {
      real = std::clamp(real, static_cast<double>(node.clip->first), static_cast<double>(node.clip->second));
    }
  }
  return node.pool ? max_pool(reals, unpooled_shape(network, node), node.pool_window) : reals;
}

/// Steps between a real number and the nearest that lies halfway between two integers.
double steps_from_tie(double real, float scale) {
  const double steps = real / static_cast<double>(scale);
  return std::abs(steps - std::floor(steps) - 0.5);
}

/// How many steps of the result a float32 bias may lie beside the product's scale, to which it is rounded on integers.
double bias_steps(const DrawnNetwork& network, const DrawnNode& node, std::size_t element) {
  if (node.float_biases.empty()) {
    return 0;
  }
  const std::size_t filter = element / (element_count(node.shape) / static_cast<std::size_t>(node.shape[1]));
  return 0.5 * static_cast<double>(product_scale(network, node, filter) / node.quant.scale);
}

/// How many steps of the result QLinearAdd's own roundings may move a sum: it adds bytes and zero points, each times a
/// scale, one after another. They cancel, and where an operand's scale is far above the sum's, their last bits are
/// steps.
double sum_steps(const DrawnNetwork& network, const DrawnNode& node) {
  if (node.row != &kAddRow) {
    return 0;
  }
  double scales = node.constant ? static_cast<double>(node.constant->quant.scale) : 0;
  for (const ValueId input : node.inputs) {
    scales += static_cast<double>(network.nodes[input].quant.scale);
  }
  constexpr int kRoundings = 4;
  return kRoundings * 0x1p-24 * 255 * scales / static_cast<double>(node.quant.scale);
}

/// What ONNX Runtime's float operator must give.
struct Expected {
  std::vector<double> reals;  ///< Before they are quantized, exactly; empty where the operator keeps its scale.
  Bytes bytes;
  bool is_other_function = false;  ///< The float operator and the integer one compute different functions.
};

Expected expected_of(const DrawnNetwork& network, ValueId id, const Values& values) {
  const DrawnNode& node = network.nodes[id];
  const OperatorRow& row = *node.row;
  if (std::vector<double> other; row.float_reals && !(other = row.float_reals(network, node, values)).empty()) {
    Expected expected{finish(network, node, std::move(other)), {}, true};
    for (const double real : expected.reals) {
      expected.bytes.push_back(quantize_outside(static_cast<float>(real) / node.quant.scale, node.quant.zero_point));
    }
    return expected;
  }
  return {row.reals ? finish(network, node, row.reals(network, node, values)) : std::vector<double>{}, values[id]};
}

/// One operator of a network.
struct Kept {
  std::size_t network;
  ValueId id;
};

/// How far the operators of one kind are from the formulas.
struct Apart {
  std::size_t operators = 0, elements = 0, differ = 0;
  std::size_t others = 0;  ///< Elements that the integer operator gives another value.
  double furthest = 0;     ///< From a tie, in steps, beyond what a float32 bias or QLinearAdd explains.
};

class FloatOperators : public testing::TestWithParam<NetworkForm> {
 protected:
  FloatOperators() {
    fs::remove_all(WORK_FOLDER);
    fs::create_directories(WORK_FOLDER);
    for (uint64_t i = 0; i < kCases; ++i) {
      networks_.push_back(draw_network(kSeed + i, i % 2 == 0 ? DrawnScales::kAny : DrawnScales::kPowersOfTwo));
      values_.push_back(evaluate_network(networks_.back()));
    }
  }
  ~FloatOperators() override { fs::remove_all(WORK_FOLDER); }

  fs::path file(const std::string& name) const { return fs::path(WORK_FOLDER) / name; }

  Question write(const DrawnNetwork& network, const std::string& name) const {
    write_network(network, GetParam(), file(name));
    return {file(name), inputs_of(network), {}};
  }

  /// Asks about the whole networks, and compares those that are computed on integers. \return the float operators.
  std::vector<Kept> compare_networks() {
    std::vector<Question> questions;
    for (std::size_t i = 0; i < networks_.size(); ++i) {
      questions.push_back(write(networks_[i], std::to_string(i) + ".onnx"));
      questions.back().optimized = file(std::to_string(i) + ".optimized.onnx");
    }
    const std::vector<Answer> answers = ask_onnxruntime(questions, WORK_FOLDER);
    std::vector<Kept> kept;
    for (std::size_t i = 0; i < networks_.size(); ++i) {
      if (answers[i].error.find("two nodes with same node name") != std::string::npos) {
        ++refused_networks_;  // Its optimizer made them; the network itself has one of each name.
        continue;
      }
      EXPECT_EQ(answers[i].error, "");
      const std::set<std::string> quantized = quantized_values(questions[i].optimized);
      const std::vector<DrawnNode>& nodes = networks_[i].nodes;
      for (ValueId id = 0; id < nodes.size(); ++id) {
        if (nodes[id].row != &kInputRow && quantized.contains(nodes[id].name + "_q")) {
          kept.push_back({i, id});
        }
      }
      // Nothing but its inputs is quantized.
      if (quantized.size() == questions[i].inputs.size() && std::ranges::none_of(nodes, may_vanish)) {
        ++whole_networks_;
        compare_outputs(i, answers[i].outputs);
      }
    }
    return kept;
  }

  void compare_outputs(std::size_t i, const std::vector<NamedTensor>& outputs) const {
    ASSERT_EQ(outputs.size(), networks_[i].outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const ValueId id = networks_[i].outputs[k];
      EXPECT_EQ(outputs[k].data, dequantize_bytes(values_[i][id], networks_[i].nodes[id].quant))
          << "SEED=" << kSeed + i << "\n"
          << describe(networks_[i]);
    }
  }

  /// Compares one operator's float32 result, quantized, with what the formulas expect.
  void compare_operator(const Kept& kept, const std::vector<float>& answer, std::map<std::string, Apart>& table) const {
    const DrawnNetwork& network = networks_[kept.network];
    const DrawnNode& node = network.nodes[kept.id];
    const auto [reals, bytes, is_other_function] = expected_of(network, kept.id, values_[kept.network]);
    const std::vector<float> expected = dequantize_bytes(bytes, node.quant);
    ASSERT_EQ(answer.size(), expected.size());
    Apart& apart = table[node.row->name + std::string(is_other_function ? " of floats" : "")];
    ++apart.operators;
    apart.elements += expected.size();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      apart.others += bytes[k] != values_[kept.network][kept.id][k] ? 1 : 0;
      if (answer[k] == expected[k]) {
        continue;
      }
      ++apart.differ;
      const double rounded = sum_steps(network, node);
      ASSERT_FALSE(reals.empty()) << node.name << " of SEED=" << kSeed + kept.network << " keeps its scale";
      const double from_tie = steps_from_tie(reals[k], node.quant.scale) - bias_steps(network, node, k) - rounded;
      apart.furthest = std::max(apart.furthest, from_tie);
      EXPECT_NEAR(answer[k] / node.quant.scale, expected[k] / node.quant.scale, 1.001 + rounded) << describe(network);
      EXPECT_LE(from_tie, kNearTie) << node.name << " of SEED=" << kSeed + kept.network;
    }
  }

  std::vector<DrawnNetwork> networks_;
  std::vector<Values> values_;
  std::size_t whole_networks_ = 0, refused_networks_ = 0;
};

TEST_P(FloatOperators, AreAStepApartNearTiesAtMost) {
  const std::vector<Kept> kept = compare_networks();
  std::vector<Question> questions;
  for (const Kept& one : kept) {
    const DrawnNetwork alone = one_operator(networks_[one.network], one.id, values_[one.network]);
    questions.push_back(write(alone, "one_" + std::to_string(questions.size()) + ".onnx"));
    questions.back().is_optimized = false;
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, WORK_FOLDER);
  std::map<std::string, Apart> table;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(answers[i].error, "");
    compare_operator(kept[i], answers[i].outputs.at(0).data, table);
  }
  std::printf("%zu networks, %zu wholly on integers, %zu spoilt by an optimizer; in float32:\n", networks_.size(),
              whole_networks_, refused_networks_);
  for (const auto& [name, row] : table) {
    std::printf("%-18s %4zu operators, %zu of %zu elements differ, at most %.1e steps from a tie%s\n", name.c_str(),
                row.operators, row.differ, row.elements, row.furthest,
                row.others == 0 ? "" : ("; on integers " + std::to_string(row.others) + " are others").c_str());
  }
  if (kCases >= 60) {
    EXPECT_GT(kept.size(), kCases);
    EXPECT_LE(refused_networks_, kCases / 100);
    EXPECT_GT(whole_networks_ + (GetParam() == NetworkForm::kQdqInt8 ? 1 : 0),
              0U);  // Inputs of int8 keep some in float32.
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, FloatOperators, testing::Values(NetworkForm::kQdq, NetworkForm::kQdqInt8),
                         [](const auto& form) { return form.param == NetworkForm::kQdq ? "Uint8" : "Int8"; });

}  // namespace
}  // namespace fovea
