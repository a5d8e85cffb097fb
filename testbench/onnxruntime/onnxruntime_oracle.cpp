// SPDX-License-Identifier: Apache-2.0
/// \file
/// Hands files to run_onnx.js and reads what it wrote.
#include "onnxruntime_oracle.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace fovea {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kModules = "build/onnxruntime/node_modules";
constexpr const char* kProgram = "testbench/onnxruntime/run_onnx.js";

json job_of(const Question& question) {
  json inputs = json::array();
  for (const NamedTensor& input : question.inputs) {
    const std::string file = question.model.string() + "." + input.name + ".f32";
    write_tensor(input, file);
    inputs.push_back({{"name", input.name}, {"type", "float32"}, {"shape", input.shape}, {"file", file}});
  }
  json job{{"model", question.model.string()}, {"inputs", inputs}, {"outputs", question.model.string() + ".y"}};
  if (!question.optimized.empty()) {
    job["optimized"] = question.optimized.string();
  }
  if (!question.is_optimized) {
    job["optimization"] = "disabled";
  }
  return job;
}

Answer read_answer(const json& entry) {
  Answer answer;
  if (entry.contains("error")) {
    answer.error = entry["error"];
    return answer;
  }
  for (const json& output : entry["outputs"]) {
    if (output["type"] != "float32") {
      throw std::runtime_error("ONNX Runtime gave " + output["name"].get<std::string>() + " as " +
                               output["type"].get<std::string>() + "; float32 outputs can be compared");
    }
    answer.outputs.push_back({output["name"], output["shape"], read_tensor(output["file"].get<std::string>())});
  }
  return answer;
}

}  // namespace

std::vector<float> read_tensor(const fs::path& file) {
  std::vector<float> data(fs::file_size(file) / sizeof(float));
  std::ifstream(file, std::ios::binary)
      .read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size() * sizeof(float)));
  return data;
}

void write_tensor(const NamedTensor& tensor, const fs::path& file) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(tensor.data.data()),
             static_cast<std::streamsize>(tensor.data.size() * sizeof(float)));
}

std::vector<Answer> ask_onnxruntime(const std::vector<Question>& questions, const fs::path& folder) {
  if (!fs::exists(kModules)) {
    throw std::runtime_error("ONNX Runtime is not in build/onnxruntime; run scripts/install_npm onnxruntime");
  }
  json jobs = json::array();
  for (const Question& question : questions) {
    jobs.push_back(job_of(question));
  }
  const fs::path asked = folder / "questions.json", answered = folder / "answers.json", log = folder / "node.log";
  std::ofstream(asked) << jobs;
  fs::remove(answered);
  const std::string command = std::string("NODE_PATH=") + kModules + " node " + kProgram + " '" + asked.string() +
                              "' '" + answered.string() + "' >'" + log.string() + "' 2>&1";
  // Exit 1 with a list of answers: some networks were refused, and the list says which.
  const int status = std::system(command.c_str());
  if (!fs::exists(answered)) {
    throw std::runtime_error("node " + std::string(kProgram) + " ended with status " + std::to_string(status) +
                             "; what it said is in " + log.string());
  }
  std::vector<Answer> answers;
  for (const json& entry : json::parse(std::ifstream(answered))) {
    answers.push_back(read_answer(entry));
  }
  return answers;
}

}  // namespace fovea
