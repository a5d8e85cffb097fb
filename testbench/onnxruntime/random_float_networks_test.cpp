// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do random networks of float operators, some with quantized values among them, answer as ONNX Runtime does?
/// FLOAT_CASES=n draws n of them, SEED=n others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "apart.h"
#include "bench/number_from_environment.h"
#include "compiled_runs.h"
#include "onnxruntime_oracle.h"
#include "random_float_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("FLOAT_CASES", 60);

/// Of the largest value of an answer: float32 sums in another order differ by less. Of kLeastSum where all are smaller,
/// in one of 1,000 networks: their sums of larger terms cancel.
constexpr float kMostApart = 1e-5F, kLeastSum = 1.0F / 16;

struct DrawnNetwork {
  std::string what;
  std::vector<NamedTensor> inputs;
};

DrawnNetwork draw_network(uint64_t seed, const fs::path& folder) {
  RandomFloatNetwork net(seed);
  fs::create_directories(folder);
  std::ofstream file(folder / "net.onnx", std::ios::binary);
  net.model().SerializeToOstream(&file);
  return {"SEED=" + std::to_string(seed) + ": " + net.operators(), {{"x", net.input_shape(), net.input_values()}}};
}

TEST(RandomFloatNetworks, AnswerAsOnnxRuntime) {
  const fs::path folder = fs::path(WORK_FOLDER) / "random_floats";
  std::vector<DrawnNetwork> drawn;
  std::vector<Question> questions;
  std::vector<CompileJob> jobs;
  for (uint64_t i = 0; i < kCases; ++i) {
    const fs::path own = folder / std::to_string(i);
    drawn.push_back(draw_network(kSeed + i, own));
    questions.push_back({own / "net.onnx", drawn.back().inputs, {}});
    jobs.push_back({own / "net.onnx", own / "out", "cpu"});
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder);
  const std::vector<std::string> refusals = compile_networks(jobs);
  std::size_t elements = 0, cancelled = 0;
  float furthest = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    SCOPED_TRACE(drawn[i].what);
    EXPECT_EQ(answers[i].error, "");
    EXPECT_EQ(refusals[i], "");
    if (!answers[i].error.empty() || !refusals[i].empty()) {
      continue;
    }
    const RunResult result = run_network("host", jobs[i].folder, drawn[i].inputs);
    ASSERT_EQ(result.outputs.size(), answers[i].outputs.size());
    for (std::size_t o = 0; o < result.outputs.size(); ++o) {
      const std::vector<float>&actual = result.outputs[o].data, &expected = answers[i].outputs[o].data;
      ASSERT_EQ(actual.size(), expected.size());
      const float distance = apart(actual, expected, kLeastSum);
      EXPECT_LE(distance, kMostApart);
      furthest = std::max(furthest, distance);
      cancelled += apart(actual, expected) > kMostApart ? 1 : 0;
      elements += actual.size();
    }
  }
  EXPECT_LE(cancelled, kCases / 1000) << "sums that cancel are rare";
  std::printf(
      "random float networks: %zu networks, %zu elements, at most %.1e apart; %zu answers of sums that cancel\n",
      drawn.size(), elements, static_cast<double>(furthest), cancelled);
}

}  // namespace
}  // namespace fovea
