// SPDX-License-Identifier: Apache-2.0
/// \file
/// Hands layers to the program in one file and reads its answer from another.
#include "measure.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "command/command_json.h"
#include "ir/error.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

/// A folder that goes when the object does.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "foveac_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      user_error(name + ": can't make a folder for measurements");
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string last_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    last = line.empty() ? last : line;
  }
  return last;
}

/// Starts the program with its words in `log`. \return its process id.
pid_t start(std::vector<std::string> words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  return child;
}

/// Waits for a process, and ends it where it takes too long. \return its status, or nothing where it was ended.
std::optional<int> wait_for(pid_t child, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return status;
}

void run(const MeasureWith& with, const ScratchFolder& scratch) {
  const std::string program = with.program.string();
  if (access(program.c_str(), X_OK) != 0) {
    user_error(program + ": no such program; build measure_layers, or name it with --measure-with");
  }
  const pid_t child = start({program, "--machine", with.machine.string(), "--backend", with.backend, "--input",
                             (scratch / "layers.json").string(), "--output", (scratch / "cycles.json").string()},
                            scratch / "log");
  const std::optional<int> status = wait_for(child, with.limit);
  if (!status) {
    user_error(program + ": took more than " + std::to_string(with.limit.count()) + " s; tune fewer mappings");
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    const std::string said = last_line(scratch / "log");
    user_error(program + ": failed" + (said.empty() ? "" : ": " + said));
  }
}

}  // namespace

std::vector<std::uint64_t> measure_cycles(const MeasureWith& with, const dla_shape& shape,
                                          const std::vector<dla_mapping>& mappings) {
  const ScratchFolder scratch;
  Json request = {{"layers", Json::array()}};
  for (const dla_mapping& mapping : mappings) {
    request["layers"].push_back({{"shape", to_json(shape)}, {"mapping", to_json(mapping)}});
  }
  std::ofstream(scratch / "layers.json") << request;
  run(with, scratch);
  std::ifstream answer(scratch / "cycles.json");
  const Json json = Json::parse(answer, nullptr, false);
  std::vector<std::uint64_t> cycles;
  for (const Json& layer : json.is_object() ? json.value("layers", Json::array()) : Json::array()) {
    cycles.push_back(layer.value("cycles", std::uint64_t{0}));
  }
  if (cycles.size() != mappings.size()) {
    user_error(with.program.string() + ": did not answer for every layer; is it measure_layers of this build?");
  }
  return cycles;
}

}  // namespace fovea
