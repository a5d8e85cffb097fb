// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the text of the transactions back.
#include "layer_events.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace fovea {

const std::vector<uint64_t>& LayerEvents::of(const std::string& event) const {
  static const std::vector<uint64_t> none;
  const auto found = cycles_.find(event);
  return found == cycles_.end() ? none : found->second;
}

uint64_t LayerEvents::at(const std::string& event, size_t number) const {
  const std::vector<uint64_t>& cycles = of(event);
  if (number >= cycles.size()) {
    ADD_FAILURE() << "there is no " << event << " number " << number;
    return 0;
  }
  return cycles[number];
}

void LayerEvents::add_line(const std::string& line) {
  std::istringstream words(line);
  uint64_t cycle = 0;
  std::string unit, event;
  words >> cycle >> unit >> event;
  cycles_[unit + " " + event].push_back(cycle);
}

bool is_layer(const std::string& line) {
  std::istringstream words(line);
  uint64_t cycle = 0;
  std::string unit;
  words >> cycle >> unit;
  return unit == "layer";
}

bool is_layer(const std::string& line, const std::string& name) {
  std::istringstream words(line);
  uint64_t cycle = 0;
  std::string unit, of;
  words >> cycle >> unit >> of;
  return unit == "layer" && of == name;
}

std::vector<LayerEvents> run_for_events(const Scenario& scenario, std::vector<LayerCase>& layers) {
  BackendOptions options = bench_options(scenario.machine, scenario.dram);
  options.transactions.path =
      std::filesystem::path(testing::TempDir()) / ("layer_events_" + std::to_string(getpid()) + ".txt");
  DeviceBench bench(options.machine, open_backend(scenario.backend, options));
  std::vector<dla_counters> counters;
  for (LayerCase& layer : layers) {
    bench.hal().note_layer(bench.hal().ctx, "layer");
    const LayerOutcome outcome = bench.run(layer);
    EXPECT_EQ(outcome.error, kDlaErrorNone);
    counters.push_back(outcome.counters);
  }
  bench.backend().finish();

  std::vector<LayerEvents> events;
  std::ifstream file(options.transactions.path);
  for (std::string line; std::getline(file, line);) {
    if (is_layer(line)) {
      events.emplace_back().counters = counters.at(events.size());
    } else if (!events.empty()) {
      events.back().add_line(line);
    }
  }
  std::filesystem::remove(options.transactions.path);
  EXPECT_EQ(events.size(), layers.size());
  return events;
}

}  // namespace fovea
