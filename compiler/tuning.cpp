// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the shapes that lack a record, and the program that measures.
#include "tuning.h"

#include <cstdio>
#include <memory>

#include "files/child_process.h"
#include "progress_line.h"
#include "targets/dla/dla_work.h"
#include "tuning/tune.h"

namespace fovea {
namespace {

MeasureWith measure_with(const CommandLine& line) {
  MeasureWith with;
  with.program = line.tune.measure_with.empty() ? program_beside("measure_layers") : line.tune.measure_with;
  with.machine = line.machine;
  with.backend = line.tune.backend;
  return with;
}

}  // namespace

Mapper::Recorded find_records(const CommandLine& line, const MachineFile& machine) {
  if (line.tune.records.empty()) {
    return {};
  }
  const auto records = std::make_shared<const TuningRecords>(line.tune.records);
  if (const std::size_t outdated = records->count_outdated(machine); outdated != 0) {
    std::fprintf(stderr, "foveac: %s: %zu records of another version of %s are ignored\n",
                 line.tune.records.filename().c_str(), outdated, machine.name.c_str());
  }
  return [records, machine, objective = line.goal.objective](const dla_shape& shape) {
    return records->find(machine, objective, shape);
  };
}

void tune_network(const CommandLine& line, const Network& network, Mapper& mapper) {
  TuningRecords records(line.tune.records);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const auto work = layer.target == "cpu" ? std::nullopt : find_dla_work(layer, mapper);
    if (work && !records.find(mapper.machine(), line.goal.objective, work->choice.shape)) {
      show_progress("measuring " + layer.name + ", layer " + std::to_string(i + 1) + " of " +
                    std::to_string(network.layers.size()));
      tune_shape(mapper, work->choice.shape, line.tune.count, measure_with(line), records);
      records.save(line.tune.records);
    }
  }
  show_progress("");
  mapper.use_records(find_records(line, mapper.machine()));
}

}  // namespace fovea
