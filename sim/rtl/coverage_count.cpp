// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keeps what verilated modules have counted of their lines and toggles; in builds that count only.
#include "coverage_count.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "verilated_cov.h"

namespace fovea {

namespace {

/// A file name of this process that is not there yet.
std::string new_file(const std::string& folder, const char* ending) {
  std::string path;
  int number = 0;
  do {
    path = folder + "/" + std::to_string(getpid()) + "-" + std::to_string(number++) + ending;
  } while (access(path.c_str(), F_OK) == 0);
  return path;
}

/// The largest counts of this process, by point; its file is in Verilator's format.
class LargestCounts {
 public:
  ~LargestCounts() {
    if (counts_.empty()) {
      return;
    }
    std::ofstream file(new_file(folder_, ".dat"));
    file << "# SystemC::Coverage-3\n";
    for (const auto& [point, count] : counts_) {
      file << "C '" << point << "' " << count << '\n';
    }
  }

  void add(VerilatedContext& context) {
    if (folder_.empty()) {
      return;
    }
    const std::string path = new_file(folder_, ".part");
    context.coveragep()->forcePerInstance(true);
    context.coveragep()->write(path.c_str());
    read(path);
    std::remove(path.c_str());
  }

 private:
  /// A line is `C '<point>' <count>`, and a point ends with its instance.
  void read(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const size_t end = line.rfind("' ");
      if (line.rfind("C '", 0) != 0 || end == std::string::npos) {
        continue;
      }
      uint64_t& count = counts_[line.substr(3, line.find("\001h\002") - 3)];
      count = std::max<uint64_t>(count, std::stoull(line.substr(end + 2)));
    }
  }

  std::string folder_ = std::getenv("FOVEA_COVERAGE") == nullptr ? "" : std::getenv("FOVEA_COVERAGE");
  std::map<std::string, uint64_t> counts_;
};

}  // namespace

CoverageCount::~CoverageCount() {
  static LargestCounts counts;
  counts.add(context_);
  context_.coveragep()->clear();
}

}  // namespace fovea
