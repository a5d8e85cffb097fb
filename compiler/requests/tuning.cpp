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

MeasureWith measure_with(const NetworkRequest& request) {
  const std::filesystem::path& program = request.tuning.measure_with;
  MeasureWith with;
  with.program = program.empty() ? program_beside("measure_layers") : program;
  with.machine = request.placement.machine;
  with.backend = request.tuning.backend;
  return with;
}

}  // namespace

Mapper::Recorded find_records(const Placement& placement, const MachineFile& machine) {
  if (placement.records.empty()) {
    return {};
  }
  const auto records = std::make_shared<const TuningRecords>(placement.records);
  if (const std::size_t outdated = records->count_outdated(machine); outdated != 0) {
    std::fprintf(stderr, "foveac: %s: %zu records of another version of %s are ignored\n",
                 placement.records.filename().c_str(), outdated, machine.name.c_str());
  }
  return [records, machine, objective = placement.goal.objective](const dla_shape& shape) {
    return records->find(machine, objective, shape);
  };
}

void tune_network(const NetworkRequest& request, const Network& network, Mapper& mapper) {
  const Placement& placement = request.placement;
  TuningRecords records(placement.records);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const auto work = layer.target == "cpu" ? std::nullopt : find_dla_work(layer, mapper);
    if (work && !records.find(mapper.machine(), placement.goal.objective, work->choice.shape)) {
      show_progress("measuring " + layer.name + ", layer " + std::to_string(i + 1) + " of " +
                    std::to_string(network.layers.size()));
      tune_shape(mapper, work->choice.shape, request.tuning.count, measure_with(request), records);
      records.save(placement.records);
    }
  }
  show_progress("");
  mapper.use_records(find_records(placement, mapper.machine()));
}

}  // namespace fovea
