// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks the processor and the compiler who they are.
#include "schedule_record.h"

#include <sys/utsname.h>

#include <fstream>

#include "files/child_process.h"
#include "files/digest.h"
#include "files/scratch_folder.h"
#include "loops/nest_text.h"

namespace fovea {
namespace {

/// As Linux says on x86; elsewhere the architecture.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "";
}

std::string version_of(const std::string& compiler) {
  const ScratchFolder scratch;
  std::string line;
  if (run_child({compiler, "--version"}, scratch / "log") == 0) {
    std::ifstream log(scratch / "log");
    std::getline(log, line);
  }
  return line;
}

}  // namespace

Host this_host(const std::string& compiler) { return {cpu_model(), version_of(compiler)}; }

std::string nest_key(const Nest& nest) {
  Nest unnamed = nest;
  unnamed.name.clear();
  Digest digest;
  digest.add(to_text(unnamed));
  return digest.text();
}

}  // namespace fovea
