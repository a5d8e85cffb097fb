// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles and runs many networks, as many at a time as there are cores: compile_and_run JOBS.json ANSWERS.json.
///
/// JOBS is a list of {model, folder, target, place, inputs: [{name, file}], options}: what compile_networks() and
/// run_network() take, and files of raw float32 numbers. ANSWERS is, job by job, {outputs: [{name, shape, file}],
/// device_layers, dram_bytes}, or {error} in words. Each network has a process of its own, so that one that ends it is
/// an error among the answers.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "compiled_runs.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// \throws std::exception in words that are the answer.
json run_job(const json& job) {
  const fs::path folder = job["folder"].get<std::string>();
  const CompileJob compiled{job["model"].get<std::string>(), folder, job["target"], job["options"]};
  const std::string refusal = compile_networks({compiled}).at(0);
  if (!refusal.empty()) {
    throw std::runtime_error("not compiled: " + refusal);
  }
  std::vector<NamedTensor> inputs;
  for (const json& input : job["inputs"]) {
    inputs.push_back({input["name"], {}, read_tensor(input["file"].get<std::string>())});
  }
  const RunResult result = run_network(job["place"], folder, inputs);
  json outputs = json::array();
  for (const NamedTensor& output : result.outputs) {
    const fs::path file = folder / ("y" + std::to_string(outputs.size()) + ".f32");
    write_tensor(output, file);
    outputs.push_back({{"name", output.name}, {"shape", output.shape}, {"file", file.string()}});
  }
  return {{"outputs", outputs}, {"device_layers", result.device_layers}, {"dram_bytes", result.dram_bytes}};
}

fs::path answer_file(const json& job) { return fs::path(job["folder"].get<std::string>()) / "answer.json"; }

/// Starts a process that answers one job.
pid_t start(const json& job) {
  fs::create_directories(job["folder"].get<std::string>());
  fs::remove(answer_file(job));
  const pid_t child = fork();
  if (child == 0) {
    json answer;
    try {
      answer = run_job(job);
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    std::ofstream(answer_file(job)) << answer;
    std::exit(0);
  }
  return child;
}

json answer_of(const json& job, int status) {
  if (WIFSIGNALED(status)) {
    return {{"error", std::string("ended by a signal: ") + strsignal(WTERMSIG(status))}};
  }
  if (WEXITSTATUS(status) != 0 || !fs::exists(answer_file(job))) {
    return {{"error", "ended with status " + std::to_string(WEXITSTATUS(status))}};
  }
  return json::parse(std::ifstream(answer_file(job)));
}

json run_jobs(const json& jobs) {
  json answers(jobs.size(), nullptr);
  std::map<pid_t, std::size_t> running;
  for (std::size_t next = 0; next < jobs.size() || !running.empty();) {
    if (next < jobs.size() && running.size() < std::max(1U, std::thread::hardware_concurrency())) {
      running[start(jobs[next])] = next;
      ++next;
      continue;
    }
    int status = 0;
    const std::size_t ended = running.extract(wait(&status)).mapped();
    answers[ended] = answer_of(jobs[ended], status);
  }
  return answers;
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: compile_and_run JOBS.json ANSWERS.json\n";
    return 2;
  }
  std::ofstream(argv[2]) << fovea::run_jobs(nlohmann::json::parse(std::ifstream(argv[1])));
  return 0;
}
