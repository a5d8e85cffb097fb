// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the shapes that lack a record.
#include "tuning.h"

#include <cstdio>
#include <memory>

#include "progress_line.h"
#include "targets/dla/dla_work.h"
#include "tuning/records.h"
#include "tuning/tune.h"

namespace fovea {

Mapper::Recorded find_records(const Placement& placement, const MachineFile& machine) {
  if (placement.records.empty()) {
    return {};
  }
  const auto records = std::make_shared<const TuningRecords>(placement.records);
  if (const std::size_t outdated = records->count_outdated(machine); outdated != 0) {
    std::fprintf(stderr, "foveac: %s: %zu records of another version of %s are ignored\n",
                 placement.records.filename().c_str(), outdated, machine.name.c_str());
  }
  return [records, machine, objective = placement.goal.objective,
          dram = std::string(memory_of(machine, placement.dram).name)](const dla_shape& shape) {
    return records->find(machine, objective, dram, shape);
  };
}

void tune_network(const NetworkRequest& request, const Network& network, Mapper& mapper) {
  const Placement& placement = request.placement;
  const TuningRecords records(placement.records);
  const std::string dram = memory_of(mapper.machine(), placement.dram).name;
  std::vector<TuningRecord> added;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const auto work = layer.target == "cpu" ? std::nullopt : find_dla_work(layer, mapper);
    if (work && !records.find(mapper.machine(), placement.goal.objective, dram, work->choice.shape)) {
      show_progress("tuning " + layer.name + ", layer " + std::to_string(i + 1) + " of " +
                    std::to_string(network.layers.size()));
      if (const auto record = tune_shape(mapper, work->choice.shape, request.tune, dram)) {
        added.push_back(*record);
      }
    }
  }
  update_records(placement.records, [&](TuningRecords& file) {
    for (const TuningRecord& record : added) {
      file.add(record);
    }
  });
  show_progress("");
  mapper.use_records(find_records(placement, mapper.machine()));
}

}  // namespace fovea
