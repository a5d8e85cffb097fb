// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a layer of one pass take, cause by cause, the cycles that docs/timing.md adds up: the interrupt in cycle k, not
/// k - 1?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bench/device_bench.h"

namespace fovea {
namespace {

/// A layer of one pass, one ifmap channel a PE set and one filter, so that every tensor is one burst. In the papers'
/// letters.
struct OnePass {
  uint32_t H, W, R, S, U, V, e;
  bool scaled = false, filter_scales = false, lookup = false;
};

constexpr OnePass kLayers[] = {
    {4, 4, 1, 1, 1, 1, 4},
    {3, 5, 3, 3, 1, 1, 1},
    {5, 8, 3, 3, 1, 1, 3},
    {6, 9, 2, 1, 2, 2, 3},
    {1, 30, 1, 4, 1, 1, 1},
    {7, 7, 3, 2, 2, 2, 3},
    {5, 8, 3, 3, 1, 1, 3, true},
    {5, 8, 3, 3, 1, 1, 3, true, true},
    {5, 9, 3, 3, 1, 2, 3},
    {9, 8, 3, 3, 3, 1, 3},
    {5, 8, 3, 3, 1, 1, 3, false, false, true},
    {5, 8, 3, 3, 1, 1, 3, true, true, true},
};

/// What the layer takes, by cause.
struct Expected {
  uint32_t control, dram, ifmap, filter, psum, compute, output;

  uint32_t total() const { return control + dram + ifmap + filter + psum + compute + output; }
};

uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/// DRAM: from a request to its first beat, and from the last beat of a write to its response.
constexpr uint32_t kReadLatency = 20, kResponse = 10;

Expected predict(const OnePass& l, const dla_machine& machine) {
  const uint32_t lanes = machine.psum_lanes, F = (l.W - l.S) / l.V + 1, D = l.R;
  const uint32_t slot_words = ceil_div(l.e, lanes), slot = std::max(l.S, slot_words);
  const uint32_t rows = (l.e - 1) * std::min(l.U, l.R) + l.R;
  const uint32_t words = rows * std::min(l.V, l.S), fill = rows * l.S;
  Expected n{};
  // 29 products of 3 cycles and the verdict; the array's configuration; then the sequencer up to its first pass.
  // The table's load is a step.
  n.control = 29 * 3 + 3 + std::max(machine.rows, machine.cols) + 27 + (l.lookup ? 1 : 0);
  n.compute = F * l.S;
  n.psum = F * (slot - l.S);
  n.ifmap = 1 + fill + (F - 1) * (std::max(slot, words) - slot);
  // Times from the cycle in which the pass can be seen. The ifmap's request was accepted 10 cycles before, the
  // filters' 3, unless the ifmap's beats are still moving.
  const uint32_t ifmap_beats = ceil_div(l.H * l.W, machine.bus_bytes);
  const uint32_t filter_words =
      (l.filter_scales ? 2 : 1) + D * ceil_div(l.S, machine.bus_bytes);  // Of DRAM and, here, of the network.
  // A table's beats move before the ifmap's, whose request was accepted 8 cycles after the table's.
  const uint32_t table_beats = l.lookup ? 256 / machine.bus_bytes : 0;
  const uint32_t ifmap_last = kReadLatency - 12 + (table_beats > 8 ? table_beats - 8 : 0) + ifmap_beats - 1;
  const uint32_t filter_last = std::max(kReadLatency - 5, ifmap_last + 1) + filter_words - 1;
  const uint32_t window = ifmap_last + 2 + 1 + fill, set_moves = filter_last + 3;
  // The set could have begun to move when the pass was seen; its chunk held it up.
  const uint32_t wait = set_moves + filter_words > window ? set_moves + filter_words - window : 0;
  const uint32_t late = std::min(wait, set_moves - 1);
  n.dram = ifmap_last + 2 + late;
  n.filter = wait - late;
  // The last product's psums leave; the tile is gathered and sent as one burst, which is answered.
  const uint32_t beats = ceil_div(l.e * F, machine.bus_bytes);
  const uint32_t last_word = (F - 1) % machine.bus_bytes + 1, last_beat = (l.e * F - 1) % machine.bus_bytes + 1;
  const uint32_t trailing = last_word > last_beat ? 1 : 0;
  n.output = ((l.scaled ? 13 : 8) + (l.lookup ? 2 : 0) + D + slot_words) + l.e * ceil_div(F, machine.bus_bytes) +
             trailing + 3 + beats + kResponse + 1;
  return n;
}

LayerCase layer_case(const OnePass& l, const dla_machine& machine) {
  LayerCase test;
  test.layer.shape = {1, l.H, l.W, 1, l.R, l.S, l.U, l.V, 0, 0, 0, 0, false, l.scaled, l.filter_scales};
  test.layer.shape.lookup = l.lookup;
  const uint32_t E = (l.H - l.R) / l.U + 1;
  test.layer.mapping = {1, 1, l.e, 1, 1, 1, 1, E, true, 2, kDlaLoopOrderRowsFiltersChannels};
  test.layer.quant = {4, kDlaFloor, 0, 128, 128, 0, 0.3F};
  EXPECT_EQ(E, l.e) << "not one pass";
  EXPECT_EQ(dla_plan_glb(&machine, &test.layer.shape, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  test.ifmap.resize(l.H * l.W, 130);
  test.filter.resize(l.R * l.S, 3);
  test.bias.resize(1, 7);
  test.scale.resize(1, 0.25F);
  test.table.resize(256, 5);
  return test;
}

class OnePassTiming : public testing::TestWithParam<Scenario> {
 protected:
  DeviceBench bench{GetParam()};
};

TEST_P(OnePassTiming, IsTheSumOfItsParts) {
  for (const OnePass& layer : kLayers) {
    SCOPED_TRACE("H=" + std::to_string(layer.H) + " W=" + std::to_string(layer.W) + " R=" + std::to_string(layer.R) +
                 " S=" + std::to_string(layer.S) + " U=" + std::to_string(layer.U) + " V=" + std::to_string(layer.V) +
                 (layer.scaled ? " scaled" : "") + (layer.filter_scales ? " by filter" : "") +
                 (layer.lookup ? " lookup" : ""));
    LayerCase test = layer_case(layer, bench.machine());
    const LayerOutcome outcome = bench.run(test);
    ASSERT_EQ(outcome.error, kDlaErrorNone) << dla_error_text(outcome.error);
    const Expected expected = predict(layer, bench.machine());
    const dla_counters& n = outcome.counters;
    EXPECT_EQ(n.control_cycles, expected.control);
    EXPECT_EQ(n.dram_cycles, expected.dram);
    EXPECT_EQ(n.ifmap_cycles, expected.ifmap);
    EXPECT_EQ(n.filter_cycles, expected.filter);
    EXPECT_EQ(n.psum_cycles, expected.psum);
    EXPECT_EQ(n.compute_cycles, expected.compute);
    EXPECT_EQ(n.output_cycles, expected.output);
    EXPECT_EQ(n.cycles, expected.total());
  }
}

TEST_P(OnePassTiming, EndsInItsCycleAndNotBefore) {
  // START is accepted in the first of its access's three cycles, the interrupt is high after the layer's last.
  constexpr uint32_t kAccessed = 2;
  for (const OnePass& layer : kLayers) {
    LayerCase test = layer_case(layer, bench.machine());
    bench.place(test);
    const uint32_t cycles = predict(layer, bench.machine()).total();
    ASSERT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &test.layer), kDlaOk);
    ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
    EXPECT_EQ(dla_wait(&bench.hal(), cycles - kAccessed - 1), kDlaTimeout);
    EXPECT_EQ(dla_wait(&bench.hal(), 1), kDlaOk);
    EXPECT_EQ(dla_ack_irq(&bench.hal()), kDlaOk);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OnePassTiming, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
