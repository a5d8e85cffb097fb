// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a step, and looks for what went wrong in what it said.
#include "build_step.h"

#include <fstream>

#include "files/child_process.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// The line of a log that says what went wrong: the first with an error in it, and what CMake says of it below; else
/// the last.
std::string cause_in(const fs::path& log) {
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    if (line.find("rror") == line.npos && line.find("missing and no known rule") == line.npos) {
      continue;
    }
    std::string more;
    while (line.starts_with("CMake Error") && std::getline(file, more) && more.find_first_not_of(' ') == more.npos) {
    }
    const std::string cause = line.substr(line.find_first_not_of(' '));
    const std::size_t begin = more.find_first_not_of(' ');
    return begin == more.npos ? cause : cause + " " + more.substr(begin);
  }
  return last_line(log);
}

/// Whether the person who waits ended it: by a signal, or as Ninja and Make say it.
bool was_interrupted(int status, const fs::path& log) {
  const std::string last = last_line(log);
  return status < 0 || last.find("interrupted by user") != last.npos || last.ends_with("Interrupt");
}

}  // namespace

void run_build_step(const std::vector<std::string>& words, const fs::path& log, const std::string& what,
                    std::chrono::seconds limit, const std::function<void()>& while_running) {
  const auto status = run_child(words, log, limit, while_running);
  if (status == 0) {
    return;
  }
  if (!status) {
    user_error(what + ": " + words[0] + " has not ended in " + std::to_string(limit.count()) + " seconds");
  }
  if (status == 127) {
    user_error(what + ": there is no " + words[0] + "; fovea doctor says how to install it");
  }
  if (was_interrupted(*status, log)) {
    throw BuildInterrupted(what + ": interrupted; the same command goes on with it");
  }
  const std::string cause = cause_in(log);
  if (cause.find("ZLIB") != cause.npos || cause.find("zlib.h") != cause.npos) {
    user_error(what +
               ": its FST waves need zlib.h; apt-get install zlib1g-dev, or name a .vcd file, which does without");
  }
  user_error(what + " can't be built: " + cause + "; all that was said is in " + log.string());
}

}  // namespace fovea
