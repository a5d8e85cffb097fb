// SPDX-License-Identifier: Apache-2.0
/// \file
/// What ONNX Runtime makes of all 256 values, function by function: the formulas' table, or where it approximates, one
/// that differs beside ties only.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>

#include "bench/number_from_environment.h"
#include "network_values.h"
#include "network_writer.h"
#include "onnxruntime_oracle.h"
#include "operator_row.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kTables = number_from_environment("TABLES", 20);

/// All bytes at a scale, and what a function makes of them at another.
DrawnNetwork table_network(const DrawnFunction& function, std::mt19937_64& random) {
  const auto scale = [&](int least, int most) {
    const double exponent = least + static_cast<double>(random() % 10000) / 10000 * (most - least);
    return static_cast<float>(random() % 4 == 0 ? std::exp2(std::round(exponent)) : std::exp2(exponent));
  };
  const auto zero_point = [&] { return static_cast<int32_t>(random() % 256); };
  DrawnNode x, y;
  x.row = &kInputRow;
  x.name = "x";
  x.shape = y.shape = {1, 256};
  x.quant = {scale(-9, -2), zero_point()};
  for (int byte = 0; byte < 256; ++byte) {
    x.data.push_back(x.quant.scale * static_cast<float>(byte - x.quant.zero_point));
  }
  y.row = &kFunctionRow;
  y.name = "y";
  y.inputs = {0};
  y.quant = {scale(-10, -3), zero_point()};
  y.function = &function;
  const std::size_t settings = std::string(function.name) == "PRelu" ? 256 : function.attributes.size();
  while (y.settings.size() < settings) {
    y.settings.push_back(static_cast<float>(random() % 1000 + 1) / 512);
  }
  return {{x, y}, {1}};
}

struct Difference {
  std::size_t entries = 0, differ = 0, furthest_steps = 0;
  double furthest_from_tie = 0;
};

/// How far f(x) in steps of the scale is from where it is rounded to another integer.
double distance_to_tie(const DrawnNetwork& network, std::size_t i) {
  const DrawnNode& y = network.nodes[1];
  const auto real = static_cast<double>(y.function->apply(network.nodes[0].data[i], y.settings));
  const double steps = real / static_cast<double>(y.quant.scale);
  return std::abs(steps - std::floor(steps) - 0.5);
}

void compare(const DrawnNetwork& network, const std::vector<float>& answer, Difference& difference) {
  const DrawnNode& y = network.nodes[1];
  const Bytes expected = evaluate_network(network)[1];
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto byte = static_cast<int>(std::lround(answer[i] / y.quant.scale)) + y.quant.zero_point;
    const auto steps = static_cast<std::size_t>(std::abs(byte - expected[i]));
    ++difference.entries;
    if (steps != 0) {
      ++difference.differ;
      difference.furthest_steps = std::max(difference.furthest_steps, steps);
      difference.furthest_from_tie = std::max(difference.furthest_from_tie, distance_to_tie(network, i));
    }
  }
}

class FunctionTables : public testing::TestWithParam<NetworkForm> {};

TEST_P(FunctionTables, AreOnnxRuntimes) {
  const fs::path folder = fs::path(WORK_FOLDER) / ("tables_" + std::to_string(static_cast<int>(GetParam())));
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::mt19937_64 random(kSeed);
  std::vector<DrawnNetwork> networks;
  std::vector<Question> questions;
  for (const DrawnFunction& function : drawn_functions()) {
    for (uint64_t i = 0; i < kTables; ++i) {
      networks.push_back(table_network(function, random));
      const fs::path path = folder / (std::to_string(networks.size()) + ".onnx");
      write_network(networks.back(), GetParam(), path);
      questions.push_back({path, inputs_of(networks.back()), {}});
    }
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder);
  for (std::size_t f = 0; f < drawn_functions().size(); ++f) {
    Difference difference;
    for (std::size_t i = f * kTables; i < (f + 1) * kTables; ++i) {
      ASSERT_EQ(answers[i].error, "");
      compare(networks[i], answers[i].outputs.at(0).data, difference);
    }
    const DrawnFunction& function = drawn_functions()[f];
    std::printf("%-16s %zu of %zu entries differ, by at most %zu steps, up to %.1e from a tie\n", function.name,
                difference.differ, difference.entries, difference.furthest_steps, difference.furthest_from_tie);
    EXPECT_LE(difference.furthest_steps, function.is_exact ? 0U : 1U) << function.name;
    EXPECT_LE(difference.furthest_from_tie, 1e-3) << function.name;
  }
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Forms, FunctionTables, testing::Values(NetworkForm::kQdq, NetworkForm::kQOperator),
                         [](const auto& form) { return form.param == NetworkForm::kQdq ? "Qdq" : "QOperator"; });

}  // namespace
}  // namespace fovea
