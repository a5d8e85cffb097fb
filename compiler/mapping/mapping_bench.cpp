// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many mappings are priced a second, and how long it takes to map all layers of VGG-8 and VGG-16.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <span>
#include <vector>

#include "mapping_space.h"
#include "search_mapping.h"
#include "vgg_shapes.h"

namespace fovea {
namespace {

struct Candidate {
  dla_shape shape;
  dla_mapping mapping;
};

MachineFile default_machine() { return read_machine("sim/spec/machines/eyeriss_6x8.json"); }

/// Of each layer, every legal way to fill the array, with as many rows in the GLB as it holds.
std::vector<Candidate> list_candidates(const dla_machine& machine, std::span<const dla_shape> shapes) {
  std::vector<Candidate> candidates;
  for (const dla_shape& shape : shapes) {
    for (dla_mapping mapping : array_mappings(machine, shape)) {
      mapping.ifmap_resident = false;
      for (mapping.m = 0; mapping.m == 0 && mapping.e_glb >= mapping.e; mapping.e_glb -= mapping.e) {
        mapping.m = most_filters(machine, shape, mapping);
      }
      mapping.e_glb += mapping.e;
      if (mapping.m != 0) {
        mapping.filter_buffers = most_filter_buffers(machine, shape, mapping);
        candidates.push_back({shape, mapping});
      }
    }
  }
  return candidates;
}

void price_mappings(benchmark::State& state, std::span<const dla_shape> shapes) {
  const MachineFile machine = default_machine();
  const std::vector<Candidate> candidates = list_candidates(machine.geometry, shapes);
  while (state.KeepRunning()) {
    for (const Candidate& candidate : candidates) {
      benchmark::DoNotOptimize(price_mapping({machine.geometry, candidate.shape, candidate.mapping}));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(candidates.size()));
}

void map_network(benchmark::State& state, std::span<const dla_shape> shapes, Objective objective) {
  const MachineFile machine = default_machine();
  while (state.KeepRunning()) {
    for (const dla_shape& shape : shapes) {
      benchmark::DoNotOptimize(search_mappings(machine.geometry, machine.access_energy(), shape, objective));
    }
  }
}

BENCHMARK_CAPTURE(price_mappings, vgg8, kVgg8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(price_mappings, vgg16, kVgg16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map_network, vgg8_cycles, kVgg8, Objective::kCycles)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map_network, vgg8_edp, kVgg8, Objective::kEdp)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map_network, vgg16_cycles, kVgg16, Objective::kCycles)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map_network, vgg16_edp, kVgg16, Objective::kEdp)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fovea

BENCHMARK_MAIN();
