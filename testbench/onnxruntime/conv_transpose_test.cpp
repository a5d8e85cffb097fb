// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a ConvTranspose between quantized values answer as ONNX Runtime's, which computes it in float32 and so may be a
/// step apart at a tie?
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

#include "bench/number_from_environment.h"
#include "compiled_runs.h"
#include "onnx/model_builder.h"
#include "onnxruntime_oracle.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 200) / 10 + 1;

/// At which hardly a sum lies near half a step.
constexpr float kScale = 1.0F / 37;

struct DrawnTranspose {
  NamedTensor x;
  Question question;
  CompileJob job;
};

DrawnTranspose draw(uint64_t seed, const fs::path& folder) {
  std::mt19937_64 random(seed);
  const auto between = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  const int64_t groups = between(1, 2), C = groups * between(1, 3), M = between(1, 3), H = between(1, 6),
                W = between(1, 6);
  const int64_t R = between(1, 4), S = between(1, 4), strides[2] = {between(1, 3), between(1, 3)};
  ModelBuilder model({1, C, H, W}, 0.1F);
  std::vector<int64_t> weights(static_cast<std::size_t>(C * M * R * S)), biases(static_cast<std::size_t>(M * groups));
  std::generate(weights.begin(), weights.end(), [&] { return between(-127, 127); });
  std::generate(biases.begin(), biases.end(), [&] { return between(-500, 500); });
  model.integers("w_q", onnx::TensorProto::INT8, {C, M, R, S}, weights);
  model.integers("b_q", onnx::TensorProto::INT32, {M * groups}, biases);
  model.integers("w_zero", onnx::TensorProto::INT8, {}, {0});
  model.integers("b_zero", onnx::TensorProto::INT32, {}, {0});
  model.floats("w_scale", {}, {0.01F});
  model.floats("b_scale", {}, {0.1F * 0.01F});
  model.floats("y_scale", {}, {kScale});
  model.node("DequantizeLinear", "x_d", {"x_q", "scale", "zero"}, {"x_f"});
  model.node("DequantizeLinear", "w_d", {"w_q", "w_scale", "w_zero"}, {"w"});
  model.node("DequantizeLinear", "b_d", {"b_q", "b_scale", "b_zero"}, {"b"});
  onnx::NodeProto& transpose = model.node("ConvTranspose", "up", {"x_f", "w", "b"}, {"up_f"});
  set_int(transpose, "group", groups);
  set_ints(transpose, "strides", {strides[0], strides[1]});
  set_ints(transpose, "pads", {between(0, R - 1) / 2, between(0, S - 1) / 2, between(0, R - 1) / 2, 0});
  set_ints(transpose, "output_padding", {between(0, strides[0] - 1), between(0, strides[1] - 1)});
  model.node("QuantizeLinear", "y_quantize", {"up_f", "y_scale", "zero"}, {"y_q"});
  model.node("DequantizeLinear", "y_d", {"y_q", "y_scale", "zero"}, {"y"});
  model.output("y");
  model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  fs::create_directories(folder);
  std::ofstream file(folder / "net.onnx", std::ios::binary);
  model.model().SerializeToOstream(&file);
  NamedTensor x{"x", {1, C, H, W}, {}};
  for (int64_t i = 0; i < C * H * W; ++i) {
    x.data.push_back(static_cast<float>(between(-120, 120)) * 0.1F);
  }
  return {x, {folder / "net.onnx", {x}, {}}, {folder / "net.onnx", folder / "out", "cpu"}};
}

TEST(ConvTranspose, AnswersAsOnnxRuntimeButForTies) {
  const fs::path folder = fs::path(WORK_FOLDER) / "conv_transpose";
  std::vector<DrawnTranspose> drawn;
  std::vector<Question> questions;
  std::vector<CompileJob> jobs;
  for (uint64_t i = 0; i < kCases; ++i) {
    drawn.push_back(draw(kSeed + i, folder / std::to_string(i)));
    questions.push_back(drawn.back().question);
    jobs.push_back(drawn.back().job);
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder);
  const std::vector<std::string> refusals = compile_networks(jobs);
  std::size_t elements = 0, differ = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    SCOPED_TRACE("SEED=" + std::to_string(kSeed + i));
    ASSERT_EQ(answers[i].error, "");
    ASSERT_EQ(refusals[i], "");
    const std::vector<float> actual = run_network("host", jobs[i].folder, {drawn[i].x}).outputs.at(0).data;
    const std::vector<float>& expected = answers[i].outputs.at(0).data;
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t k = 0; k < actual.size(); ++k) {
      const float steps = std::abs(actual[k] - expected[k]) / kScale;
      EXPECT_LT(steps, 1.5F) << "element " << k;
      differ += steps > 0.5F ? 1 : 0;
    }
    elements += actual.size();
  }
  std::printf("ConvTranspose: %zu of %zu elements differ, by a step\n", differ, elements);
  EXPECT_LE(differ, elements / 1000);
}

}  // namespace
}  // namespace fovea
