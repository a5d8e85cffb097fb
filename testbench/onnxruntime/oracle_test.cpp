// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the oracle worth its name? What it says of single operators, of a sum's rounding, and of a file that is no
/// network.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "bench/number_from_environment.h"
#include "network_values.h"
#include "network_writer.h"
#include "onnxruntime_oracle.h"
#include "operator_row.h"
#include "random_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 40);

class Oracle : public testing::Test {
 protected:
  Oracle() : folder_(WORK_FOLDER) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Oracle() override { fs::remove_all(folder_); }

  Question write(const DrawnNetwork& network, NetworkForm form) {
    const fs::path path = folder_ / (std::to_string(written_++) + ".onnx");
    write_network(network, form, path);
    return {path, inputs_of(network), {}};
  }

  const fs::path folder_;
  std::size_t written_ = 0;
};

/// A network input of these uint8 values at scale 1.
DrawnNode input(const std::string& name, const Bytes& bytes, int32_t zero_point) {
  DrawnNode node;
  node.row = &kInputRow;
  node.name = name;
  node.shape = {1, static_cast<int64_t>(bytes.size())};
  node.quant = {1, zero_point};
  node.data = dequantize_bytes(bytes, node.quant);
  return node;
}

TEST_F(Oracle, HasTheZeroPointOfASumInsideTheRounding) {
  DrawnNode sum;
  sum.row = &kAddRow;
  sum.name = "sum";
  sum.inputs = {0, 1};
  sum.shape = {1, 4};
  sum.quant = {2, 1};  // An odd zero point, and real sums of 1, 3, 5 and 7, which are halves in steps of 2.
  const DrawnNetwork network{{input("a", {1, 2, 3, 4}, 0), input("b", {10, 11, 12, 13}, 10), sum}, {2}};
  const std::vector<Answer> answers = ask_onnxruntime({write(network, NetworkForm::kQOperator)}, folder_);
  ASSERT_EQ(answers[0].error, "");
  // 0.5 + 1, 1.5 + 1, 2.5 + 1 and 3.5 + 1 to the nearest even: 2, 2, 4, 4; then less the zero point, in steps of 2.
  EXPECT_EQ(answers[0].outputs.at(0).data, (std::vector<float>{2, 2, 6, 6}));
  EXPECT_EQ(evaluate_network(network)[2], (Bytes{2, 2, 4, 4}));
}

TEST_F(Oracle, DividesAnAveragePoolByOtherCountsOnFloats) {
  DrawnNetwork network{{input("x", {4, 8, 12, 16, 20, 24, 28, 32, 36}, 0), {}}, {1}};
  network.nodes[0].shape = {1, 1, 3, 3};
  DrawnNode& pool = network.nodes[1];
  pool.row = &kAvgPoolRow;
  pool.name = "pool";
  pool.inputs = {0};
  pool.shape = {1, 1, 2, 2};
  pool.window = {.kernel = {2, 2}, .strides = {2, 2}, .ceil_mode = true, .count_include_pad = true};
  std::vector<Question> questions{write(network, NetworkForm::kQOperator), write(network, NetworkForm::kQdq),
                                  write(network, NetworkForm::kQdq)};
  questions[2].is_optimized = false;
  pool.clip = {0.0F, 200.0F};  // Keeps ONNX Runtime from fusing it.
  questions.push_back(write(network, NetworkForm::kQdq));
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder_);
  // Sums of 48, 36, 60 and 36: always of 4 on integers; on floats of 4, 2, 2 and 1, which are inside.
  const std::vector<float> integers{12, 9, 15, 9}, floats{12, 18, 30, 36};
  EXPECT_EQ(answers[0].outputs.at(0).data, integers) << "QLinearAveragePool";
  EXPECT_EQ(answers[1].outputs.at(0).data, integers) << "fused to it";
  EXPECT_EQ(answers[2].outputs.at(0).data, floats) << "not optimized";
  EXPECT_EQ(answers[3].outputs.at(0).data, floats) << "not fused";
  EXPECT_EQ(evaluate_network(network)[1], (Bytes{12, 9, 15, 9}));
  EXPECT_EQ(kAvgPoolRow.float_reals(network, pool, evaluate_network(network)),
            std::vector<double>(floats.begin(), floats.end()));
}

TEST_F(Oracle, NamesWhatItRefusesAndAnswersTheRest) {
  const DrawnNetwork network{{input("a", {1, 2}, 0)}, {0}};
  std::ofstream(folder_ / "none.onnx") << "no network";
  const std::vector<Answer> answers =
      ask_onnxruntime({{folder_ / "none.onnx", {}, {}}, write(network, NetworkForm::kQdq)}, folder_);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_NE(answers[0].error.find("none.onnx"), std::string::npos) << answers[0].error;
  EXPECT_EQ(answers[0].error.find('\n'), std::string::npos);
  EXPECT_EQ(answers[1].outputs.at(0).data, (std::vector<float>{1, 2}));
}

TEST_F(Oracle, CutsKeepTheAnswer) {
  for (uint64_t i = 0; i < kCases; ++i) {
    const DrawnNetwork network = draw_network(kSeed + i);
    const Values values = evaluate_network(network);
    for (ValueId id = 0; id < network.nodes.size(); ++id) {
      EXPECT_EQ(evaluate_network(ending_at(network, id)).back(), values[id]) << network.nodes[id].name;
      EXPECT_EQ(evaluate_network(one_operator(network, id, values)).back(), values[id]) << network.nodes[id].name;
    }
  }
}

TEST_F(Oracle, AFailingNetworkIsCutToWhatMatters) {
  const auto is_pooled = [](const DrawnNode& node) { return node.row == &kMaxPoolRow; };
  std::size_t cut = 0;
  for (uint64_t i = 0; i < kCases; ++i) {
    const DrawnNetwork network = draw_network(kSeed + i);
    if (std::any_of(network.nodes.begin(), network.nodes.end(), is_pooled)) {
      const DrawnNetwork small = shrink(
          network, [&](const DrawnNetwork& n) { return std::any_of(n.nodes.begin(), n.nodes.end(), is_pooled); });
      EXPECT_EQ(small.nodes.size(), 2U) << describe(small);
      ++cut;
    }
  }
  EXPECT_GT(cut, kCases / 10);
}

/// How far ONNX Runtime's answer to an operator in QDQ form is from the formulas.
struct Apart {
  std::size_t operators = 0, elements = 0, differ = 0;
  float furthest_steps = 0;
};

/// Of a network that is a change of scale alone, between two pairs of conversions, ONNX Runtime drops one pair.
bool is_asked(const DrawnNode& node) {
  if (node.clip && node.window.ceil_mode && node.window.count_include_pad) {
    return false;  // An average pool on floats, which is another function there: float_operators_test asks about it.
  }
  return node.row != &kInputRow && node.row != &kFlattenRow && (node.row != &kRequantizeRow || node.relu);
}

/// In QDQ form ONNX Runtime computes a sum, product or average with ReLU or Clip as floats, where the zero point is
/// outside the rounding. All others are computed as the formulas are.
TEST_F(Oracle, SaysOfQdqOperatorsWhatTheFormulasSay) {
  std::vector<DrawnNetwork> networks;
  std::vector<Question> questions;
  for (uint64_t i = 0; i < kCases; ++i) {
    const DrawnNetwork network = draw_network(kSeed + i);
    const Values values = evaluate_network(network);
    for (ValueId id = 0; id < network.nodes.size(); ++id) {
      if (is_asked(network.nodes[id])) {
        networks.push_back(one_operator(network, id, values));
        questions.push_back(write(networks.back(), NetworkForm::kQdq));
      }
    }
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder_);
  std::map<std::string, Apart> table;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const DrawnNode& node = networks[i].nodes.back();
    ASSERT_EQ(answers[i].error, "") << describe(networks[i]);
    const std::vector<float> expected = dequantize_bytes(evaluate_network(networks[i]).back(), node.quant);
    const std::vector<float>& actual = answers[i].outputs.at(0).data;
    ASSERT_EQ(actual.size(), expected.size());
    Apart& row = table[node.row->name + std::string(node.relu ? " with relu" : "") + (node.clip ? " with clip" : "")];
    ++row.operators;
    row.elements += expected.size();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const float steps = std::abs(actual[k] - expected[k]) / node.quant.scale;
      row.differ += steps != 0 ? 1 : 0;
      row.furthest_steps = std::max(row.furthest_steps, steps);
    }
  }
  for (const auto& [name, row] : table) {
    std::printf("%-20s %4zu operators, %zu of %zu elements differ, by at most %g steps\n", name.c_str(), row.operators,
                row.differ, row.elements, static_cast<double>(row.furthest_steps));
    const bool is_float = name.starts_with("add ") || name.starts_with("mul ") || name.starts_with("avgpool ");
    EXPECT_LE(row.furthest_steps, is_float ? 1 : 0) << name;
  }
}

}  // namespace
}  // namespace fovea
