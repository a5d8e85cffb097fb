// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes folders of networks, for as long as they are asked.
#include "accuracy.h"

#include <string>
#include <vector>

#include "build_network.h"
#include "files/child_process.h"
#include "files/scratch_folder.h"

namespace fovea {

int measure_accuracy(const CommandLine& line) {
  const AccuracyOptions& options = line.accuracy;
  const ScratchFolder scratch;
  std::vector<std::string> words = {find_program(options.accuracy_with, "accuracy", "--accuracy-with").string()};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  add("--net", build_network(line, line.model, options.backend, scratch / "net").string());
  if (!options.beside.empty()) {
    add("--net", build_network(line, options.beside, "cpu", scratch / "beside").string());
  }
  add("--title", line.model.string());
  add("--title", options.beside.string());
  add("--model", line.model.string());
  add("--data", options.data.string());
  add("--pictures", options.pictures.string());
  add("--labels", options.labels.string());
  add("--keep", options.keep.string());
  add("--jobs", options.jobs);
  add("--misses", options.misses);
  if (options.backend != "cpu") {
    add("--backend", options.backend);
    add("--machine", line.machine.string());
  }
  if (line.prints_json) {
    words.emplace_back("--json");
  }
  return *run_child(std::move(words), "");
}

}  // namespace fovea
