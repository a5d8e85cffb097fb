// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes folders of networks, for as long as they are compared.
#include "compare.h"

#include <string>
#include <vector>

#include "build_network.h"
#include "files/child_process.h"
#include "files/scratch_folder.h"

namespace fovea {

int compare_networks(const CommandLine& line) {
  const CompareOptions& options = line.compare;
  const ScratchFolder scratch;
  std::vector<std::string> words = {find_program(options.compare_with, "compare", "--compare-with").string(),
                                    build_network(line, options.a.path, options.a.backend, scratch / "a").string(),
                                    build_network(line, options.b.path, options.b.backend, scratch / "b").string()};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  add("--label-a", options.a.path.string());
  add("--label-b", options.b.path.string());
  add("--backend-a", options.a.backend);
  add("--backend-b", options.b.backend);
  add("--machine", line.machine.string());
  add("--input", options.input);
  add("--tolerance", options.tolerance);
  if (options.expects_equal) {
    words.emplace_back("--expect-equal");
  }
  return *run_child(std::move(words), "");
}

}  // namespace fovea
