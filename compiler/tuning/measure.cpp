// SPDX-License-Identifier: Apache-2.0
/// \file
/// Hands layers to the program in one file and reads its answer from another.
#include "measure.h"

#include <unistd.h>

#include <fstream>

#include "command/command_json.h"
#include "files/child_process.h"
#include "files/scratch_folder.h"
#include "ir/error.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

void run(const MeasureWith& with, const ScratchFolder& scratch) {
  const std::string program = with.program.string();
  if (access(program.c_str(), X_OK) != 0) {
    user_error(program + ": no such program; build measure_layers, or name it with --measure-with");
  }
  const std::optional<int> status =
      run_child({program, "--machine", with.machine.string(), "--backend", with.backend, "--input",
                 (scratch / "layers.json").string(), "--output", (scratch / "cycles.json").string()},
                scratch / "log", with.limit);
  if (!status) {
    user_error(program + ": took more than " + std::to_string(with.limit.count()) + " s; tune fewer mappings");
  }
  if (*status != 0) {
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
