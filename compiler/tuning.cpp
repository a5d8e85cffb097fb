// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the shapes that lack a record, and the program that measures.
#include "tuning.h"

#include <cstdio>
#include <memory>

#include "progress_line.h"
#include "tuning/tune.h"

namespace fovea {
namespace {

MeasureWith measure_with(const CommandLine& line) {
  MeasureWith with;
  with.program = line.tune.measure_with.empty()
                     ? std::filesystem::read_symlink("/proc/self/exe").parent_path() / "measure_layers"
                     : line.tune.measure_with;
  with.machine = line.machine;
  with.backend = line.tune.backend;
  return with;
}

/// The shape that a device layer is mapped as, or nothing where it is on the CPU or a view.
std::optional<dla_shape> shape_of(const Network& network, const Layer& layer, Mapper& mapper) {
  if (layer.target == Target::kDla && layer.kind == LayerKind::kQconv2d) {
    return device_shape(network, layer);
  }
  if (layer.target == Target::kDla && layer.kind == LayerKind::kQlinear) {
    const auto& filter = layer.weight->type().shape;
    return mapper.choose_linear(static_cast<std::uint32_t>(filter.at(1)), static_cast<std::uint32_t>(filter.at(0)))
        .shape;
  }
  return std::nullopt;
}

}  // namespace

Mapper::Recorded find_records(const CommandLine& line, const MachineFile& machine) {
  if (line.tune.records.empty()) {
    return {};
  }
  const auto records = std::make_shared<const TuningRecords>(line.tune.records);
  if (const std::size_t outdated = records->count_outdated(machine); outdated != 0) {
    std::fprintf(stderr, "foveac: %s: %zu records of another version of %s are ignored\n", line.tune.records.c_str(),
                 outdated, machine.name.c_str());
  }
  return [records, machine, objective = line.goal.objective](const dla_shape& shape) {
    return records->find(machine, objective, shape);
  };
}

void tune_network(const CommandLine& line, const Network& network, Mapper& mapper) {
  TuningRecords records(line.tune.records);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const std::optional<dla_shape> shape = shape_of(network, layer, mapper);
    if (shape && !records.find(mapper.machine(), line.goal.objective, *shape)) {
      show_progress("measuring " + layer.name + ", layer " + std::to_string(i + 1) + " of " +
                    std::to_string(network.layers.size()));
      tune_shape(mapper, *shape, line.tune.count, measure_with(line), records);
      records.save(line.tune.records);
    }
  }
  show_progress("");
  mapper.use_records(find_records(line, mapper.machine()));
}

}  // namespace fovea
