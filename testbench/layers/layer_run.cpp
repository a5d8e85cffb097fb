// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs layers once on the checked RTL and once on the SystemC model, with all that judges need of these two runs.
#include "layer_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace fovea {
namespace {

LayerRun run_layer(const LockstepScenario& scenario, LockstepBench& bench, DrawnLayer& layer) {
  LayerRun run;
  run.scenario = scenario;
  run.machine = bench.rtl.machine();
  run.rtl = bench.rtl.run(layer.test, "layer");
  run.systemc = bench.systemc.run(layer.test, "layer");
  run.rtl_cycles = bench.rtl.backend().cycles();
  run.systemc_cycles = bench.systemc.backend().cycles();
  run.paper = paper_layer(run.machine, layer.test.layer);
  run.is_as_compiled = layer.is_as_compiled;
  run.test = std::move(layer.test);
  return run;
}

/// Reads the traces of both devices side by side. Layers that copy are compared, too, but their events left out.
void take_traces(const std::filesystem::path& folder, std::vector<LayerRun>& runs) {
  std::ifstream rtl(folder / "rtl.txt"), systemc(folder / "systemc.txt");
  std::string line, other;
  size_t next = 0;
  bool is_copy = false;
  for (;;) {
    const bool is_there = static_cast<bool>(std::getline(rtl, line));
    const bool is_other_there = static_cast<bool>(std::getline(systemc, other));
    if (is_there && is_layer(line)) {
      is_copy = is_layer(line, DeviceBench::kCopyLayer);
      next += is_copy ? 0 : 1;
    }
    // What the bench wrote before the first layer is compared with it.
    LayerRun& run = runs.at(next == 0 ? 0 : next - 1);
    if ((is_there != is_other_there || line != other) && run.trace_difference.empty()) {
      run.trace_difference =
          "rtl:     " + (is_there ? line : "(end)") + "\nsystemc: " + (is_other_there ? other : "(end)");
    }
    if (!is_there) {
      break;
    }
    if (!is_copy) {
      run.events.add_line(line);
    }
  }
  EXPECT_EQ(next, runs.size()) << "layers in the trace";
}

}  // namespace

std::vector<LayerRun> run_layers(const LockstepScenario& scenario, std::vector<DrawnLayer> layers) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("layers_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  LockstepBench bench(scenario.machine, scenario.dram, folder);
  std::vector<LayerRun> runs;
  for (DrawnLayer& layer : layers) {
    runs.push_back(run_layer(scenario, bench, layer));
    if (runs.back().rtl.error != kDlaErrorNone || runs.back().systemc.error != kDlaErrorNone ||
        runs.back().rtl.status != kDlaOk) {
      break;
    }
  }
  bench.rtl.backend().finish();
  bench.systemc.backend().finish();
  take_traces(folder, runs);
  std::filesystem::remove_all(folder);
  return runs;
}

}  // namespace fovea
