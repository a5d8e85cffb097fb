// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does the cost model predict the layer: DRAM bytes and cycles that compute exactly, all cycles closely?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"
#include "mapping/mapper.h"
#include "spec/dram_preset.h"

namespace fovea {
namespace {

/// The largest errors allowed, in percent: of the cycles of all layers of a scenario together, and of a layer's.
struct Bar {
  double all, worst;
};

/// The walk is of the memory by default, exact but for a few cycles in a few layers, and close with `ddr`: but at some
/// addresses, which the walk does not know, rows of a residual and of the ofmap meet in a bank. Poor mappings with
/// other memories may be far off.
Bar bar_of(const std::string& dram) {
  return dram == "pipelined" ? Bar{0.02, 1} : dram == "ddr" ? Bar{1, 30} : Bar{10, 40};
}

/// Fewer layers together may be of one kind.
constexpr uint64_t kEnoughLayers = 20;

/// A layer that is shorter counts as one of so many cycles: a few are much of it.
constexpr uint64_t kShortCycles = 5000;

}  // namespace

void judge_prediction(const LayerRun& run, Tally& tally) {
  if (!run.is_as_compiled) {
    return;
  }
  const LayerCost predicted =
      predict_layer(run.machine, run.test.layer.shape, run.test.layer.mapping, dram_preset(run.scenario.dram));
  const dla_counters& n = run.rtl.counters;
  EXPECT_EQ(predicted.dram_bytes.ifmap, n.ifmap_read_bytes);
  EXPECT_EQ(predicted.dram_bytes.filter, n.filter_read_bytes);
  EXPECT_EQ(predicted.dram_bytes.residual, n.residual_read_bytes);
  EXPECT_EQ(predicted.dram_bytes.ofmap, n.write_bytes);
  EXPECT_EQ(predicted.cycles, predicted.causes.total());
  // Each multiplication is in a cycle that computes, in the model as on the device.
  EXPECT_EQ(predicted.causes.compute, n.compute_cycles);
  const uint64_t error = predicted.cycles > n.cycles ? predicted.cycles - n.cycles : n.cycles - predicted.cycles;
  EXPECT_LE(100.0 * static_cast<double>(error),
            bar_of(run.scenario.dram).worst * static_cast<double>(std::max<uint64_t>(n.cycles, kShortCycles)))
      << predicted.cycles << " cycles predicted, not " << n.cycles;
  tally.error_cycles += error;
  tally.predicted_cycles += n.cycles;
  ++tally.predicted;
}

void judge_all_predictions(const std::string& dram, const Tally& tally) {
  EXPECT_TRUE(tally.predicted < kEnoughLayers || tally.error_percent() <= bar_of(dram).all)
      << tally.error_percent() << "percent of the cycles of all layers";
}

}  // namespace fovea
