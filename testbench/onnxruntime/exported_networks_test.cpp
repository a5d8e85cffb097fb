// SPDX-License-Identifier: Apache-2.0
/// \file
/// What foveac exports: does ONNX's checker take it, does ONNX Runtime answer it as it answers the network, and is it
/// the same network again? Random networks, and real ones.
#include <gtest/gtest.h>
#include <onnx/checker.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "bench/number_from_environment.h"
#include "compiled_runs.h"
#include "export/export_graph.h"
#include "network_writer.h"
#include "onnx/import.h"
#include "passes/pipeline.h"
#include "random_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 60);
const fs::path kWork = WORK_FOLDER, kNetworks = "../shared/networks";

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& bytes, const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<float> read_floats(const fs::path& path) {
  const std::string bytes = read_bytes(path);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

/// A network in the folder of one form under the name that it has in all of them.
fs::path file_of(const fs::path& folder, const std::string& form) { return folder / form / "net.onnx"; }

constexpr int64_t kMostCheckedOpset = 17;  ///< Debian's ONNX knows no newer one, which Gelu needs.

/// Writes what `foveac export --<form>` does, checked. \return the model.
onnx::ModelProto export_network(const fs::path& folder, const std::string& from, const std::string& form,
                                const std::string& to) {
  PipelineOptions options;
  options.stop_after = form == "qdq" ? "eliminate-dead-code" : "merge-composites";
  const std::string bytes = export_graph(run_pipeline(import_onnx(file_of(folder, from)), options), "net");
  write_bytes(bytes, file_of(folder, to));
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  if (model.opset_import(0).version() <= kMostCheckedOpset) {
    onnx::checker::check_model(model);
  }
  return model;
}

/// Exports a network as "given" in both forms, and each of them in both again.
void export_all(const fs::path& folder) {
  for (const std::string form : {"qoperator", "qdq"}) {
    export_network(folder, "given", form, form);
    for (const std::string again : {"qoperator", "qdq"}) {
      export_network(folder, form, again, form + "_" + again);
    }
  }
}

/// All compile to the same code and weights, but for the names of ONNX nodes, which the random networks' own forms
/// don't share either.
void expect_one_code(const std::vector<fs::path>& folders) {
  const std::vector<std::string> forms{"given",         "qoperator", "qdq",          "qoperator_qoperator",
                                       "qoperator_qdq", "qdq_qdq",   "qdq_qoperator"};
  std::vector<CompileJob> jobs;
  for (const fs::path& folder : folders) {
    for (const std::string& form : forms) {
      jobs.push_back({file_of(folder, form), folder / form, "cpu"});
    }
  }
  const std::vector<std::string> refusals = emit_networks(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const fs::path &first = jobs[i / forms.size() * forms.size()].folder, &other = jobs[i].folder;
    ASSERT_EQ(refusals[i], "") << other;
    EXPECT_TRUE(read_but_names(first / "model.c") == read_but_names(other / "model.c")) << other;
    EXPECT_TRUE(read_bytes(first / "weight.bin") == read_bytes(other / "weight.bin")) << other;
  }
}

bool is_same(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  return std::ranges::equal(a, b, [](const NamedTensor& x, const NamedTensor& y) {
    return x.name == y.name && x.data.size() == y.data.size() &&
           std::memcmp(x.data.data(), y.data.data(), x.data.size() * sizeof(float)) == 0;
  });
}

class ExportedNetworks : public testing::Test {
 protected:
  ExportedNetworks() {
    fs::remove_all(kWork);
    fs::create_directories(kWork);
  }
  ~ExportedNetworks() override { HasFailure() ? void() : void(fs::remove_all(kWork)); }
};

TEST_F(ExportedNetworks, OfRandomOnesAreTheSameNetworks) {
  std::vector<fs::path> folders;
  std::vector<Question> questions;
  for (uint64_t i = 0; i < kCases; ++i) {
    const DrawnNetwork network = draw_network(kSeed + i, DrawnScales::kAny);
    folders.push_back(kWork / std::to_string(kSeed + i));
    for (const char* form : {"given", "oracle"}) {
      fs::create_directories(folders.back() / form);
    }
    write_network(network, NetworkForm::kQdq, file_of(folders.back(), "given"));
    write_network(network, NetworkForm::kQOperator, file_of(folders.back(), "oracle"));
    export_all(folders.back());
    for (const char* form : {"oracle", "qoperator", "qdq"}) {
      questions.push_back({file_of(folders.back(), form), inputs_of(network), {}});
    }
  }
  expect_one_code(folders);
  const std::vector<Answer> answers = ask_onnxruntime(questions, kWork);
  std::size_t same_qdq = 0;
  for (std::size_t i = 0; i < answers.size(); i += 3) {
    EXPECT_EQ(answers[i + 1].error + answers[i + 2].error, "") << folders[i / 3];
    EXPECT_TRUE(is_same(answers[i + 1].outputs, answers[i].outputs)) << folders[i / 3];
    same_qdq += is_same(answers[i + 2].outputs, answers[i].outputs) ? 1 : 0;
  }
  std::printf("%llu networks; as QDQ ONNX Runtime answers %zu of them the same\n",
              static_cast<unsigned long long>(kCases), same_qdq);
  if (kCases > 20) {  // It keeps some operators in float32, which then may be a step apart: few say nothing.
    EXPECT_GE(same_qdq * 2, kCases);
  }
}

class ExportedRealNetworks : public testing::TestWithParam<const char*> {};

TEST_P(ExportedRealNetworks, AnswerAsTheirFilesSay) {
  if (!fs::exists(kNetworks)) {
    GTEST_SKIP() << "nothing to test here: " << kNetworks << " is not present";
  }
  const std::string name = GetParam();
  const fs::path folder = kWork / name;
  fs::create_directories(folder / "given");
  fs::copy_file(kNetworks / (name + "_int8.onnx"), file_of(folder, "given"), fs::copy_options::overwrite_existing);
  export_all(folder);
  expect_one_code({folder});
  const onnx::ValueInfoProto input = export_network(folder, "given", "qoperator", "qoperator").graph().input(0);
  std::vector<int64_t> shape;
  for (const auto& size : input.type().tensor_type().shape().dim()) {
    shape.push_back(size.dim_value());
  }
  const std::vector<float> inputs = read_floats(kNetworks / (name + ".x.f32"));
  const auto size = static_cast<std::ptrdiff_t>(element_count(shape));
  std::vector<Question> questions;
  for (auto x = inputs.begin(); x != inputs.end(); x += size) {
    const fs::path model = folder / (std::to_string(questions.size()) + ".onnx");  // Inputs lie beside the model.
    fs::copy_file(file_of(folder, "qoperator"), model, fs::copy_options::overwrite_existing);
    questions.push_back({model, {{input.name(), shape, {x, x + size}}}, {}});
  }
  std::vector<float> answered;
  for (const Answer& answer : ask_onnxruntime(questions, folder)) {
    ASSERT_EQ(answer.error, "");
    answered.insert(answered.end(), answer.outputs.at(0).data.begin(), answer.outputs.at(0).data.end());
  }
  EXPECT_EQ(answered, read_floats(kNetworks / (name + "_int8.y.f32")));
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, ExportedRealNetworks,
                         testing::Values("resnet8", "ds_cnn", "mobilenet_v1_025", "autoencoder"),
                         [](const auto& network) { return std::string(network.param); });

}  // namespace
}  // namespace fovea
