// SPDX-License-Identifier: Apache-2.0
/// \file
/// Forks, and waits.
#include "child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace fovea {
namespace {

pid_t start(std::vector<std::string>& words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) {
      _exit(127);
    }
    if (!log.empty()) {
      const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
    }
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  return child;
}

}  // namespace

std::optional<int> run_child(std::vector<std::string> words, const std::filesystem::path& log,
                             std::optional<std::chrono::seconds> limit, const std::function<void()>& while_running) {
  using Clock = std::chrono::steady_clock;
  const pid_t child = start(words, log);
  int status = 0;
  if (!limit && !while_running) {
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  const auto begin = Clock::now();
  auto next_call = begin;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (limit && Clock::now() > begin + *limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    if (while_running && Clock::now() >= next_call) {
      while_running();
      next_call = Clock::now() + std::chrono::milliseconds(100);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::filesystem::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::filesystem::path program = std::filesystem::path(folder) / name;
    if (access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return {};
}

std::string last_line(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    last = line.empty() ? last : line;
  }
  return last;
}

}  // namespace fovea
