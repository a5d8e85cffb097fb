// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does ArgMax answer as ONNX Runtime's, whose int64 indices are float32 here: along any axis, first and last of equal
/// ones, on floats and on integers?
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "compiled_runs.h"
#include "onnx/model_builder.h"
#include "onnxruntime_oracle.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

struct ArgMaxCase {
  int64_t axis, keepdims, selects_last;
  bool is_on_integers;
};

/// ArgMax of the input, quantized; as float32 where `casts`.
void write_argmax(const ArgMaxCase& c, bool casts, const fs::path& path) {
  ModelBuilder model({1, 5, 4, 6});
  model.node("DequantizeLinear", "dequantize", {"x_q", "scale", "zero"}, {"x_f"});
  onnx::NodeProto& argmax =
      model.node("ArgMax", "argmax", {c.is_on_integers ? "x_q" : "x_f"}, {casts ? "indices" : "y"});
  set_int(argmax, "axis", c.axis);
  set_int(argmax, "keepdims", c.keepdims);
  set_int(argmax, "select_last_index", c.selects_last);
  if (casts) {
    set_int(model.node("Cast", "cast", {"indices"}, {"y"}), "to", onnx::TensorProto::FLOAT);
  }
  model.output("y");
  auto& type = *model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  type.set_elem_type(casts ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64);
  std::ofstream file(path, std::ios::binary);
  model.model().SerializeToOstream(&file);
}

TEST(ArgMax, AnswersAsOnnxRuntime) {
  const fs::path folder = fs::path(WORK_FOLDER) / "argmax";
  std::vector<ArgMaxCase> cases;
  for (int64_t i = 0; i < 24; ++i) {
    cases.push_back({i % 3 + 1 - (i % 2) * 4, i / 3 % 2, i / 6 % 2, i >= 12});
  }
  NamedTensor x{"x", {1, 5, 4, 6}, {}};
  std::mt19937 random(1);
  for (int i = 0; i < 120; ++i) {
    x.data.push_back(static_cast<float>(random() % 4) / 2);  // Many are equal.
  }
  std::vector<Question> questions;
  std::vector<CompileJob> jobs;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const fs::path place = folder / std::to_string(i);
    fs::create_directories(place);
    write_argmax(cases[i], true, place / "asked.onnx");
    write_argmax(cases[i], i % 5 == 0, place / "net.onnx");
    questions.push_back({place / "asked.onnx", {x}, {}});
    jobs.push_back({place / "net.onnx", place / "out", "cpu"});
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder);
  const std::vector<std::string> refusals = compile_networks(jobs);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(refusals[i], "");
    ASSERT_EQ(answers[i].error, "");
    const RunResult result = run_network("host", jobs[i].folder, {x});
    EXPECT_EQ(result.outputs.at(0).data, answers[i].outputs.at(0).data) << i;
  }
}

}  // namespace
}  // namespace fovea
