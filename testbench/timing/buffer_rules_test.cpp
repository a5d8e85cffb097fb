// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do sequencer, loads, filter sets and output tiles of random layers keep the cycles of docs/timing.md, exactly?
/// SEED=n repeats, CASES=n enlarges.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "layer_events.h"
#include "pass_clock.h"

namespace fovea {
namespace {

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 60);

/// A layer that has run, and what the pages say of it.
struct RunLayer {
  PaperLayer paper;
  LayerEvents events;
  dla_layer layer;

  uint64_t at(const std::string& event, size_t number) const { return events.at(event, number); }
  size_t count(const std::string& event) const { return events.of(event).size(); }
};

/// Tiles of one output, each done before its residual can be there, which waits for the buffer of the tile before last.
LayerCase short_passes(const dla_machine& machine) {
  LayerCase test;
  dla_shape& s = test.layer.shape;
  s.C = s.M = s.W = s.R = s.S = s.U = s.V = 1;
  s.H = 8;
  s.residual = true;
  test.layer.mapping = {1, 1, 1, 1, 1, 1, 1, 8, true, 2, kDlaLoopOrderRowsFiltersChannels, 0};
  test.layer.quant.conv_scale = test.layer.quant.residual_scale = 1;
  EXPECT_EQ(dla_plan_glb(&machine, &s, &test.layer.mapping, &test.layer.glb), kDlaErrorNone);
  test.ifmap.assign(8, 3);
  test.filter.assign(1, 1);
  test.bias.assign(1, 0);
  test.residual.assign(8, 2);
  return test;
}

class BufferRules : public testing::TestWithParam<Scenario> {
 protected:
  BufferRules() {
    RandomLayers random(machine, kSeed);
    std::vector<LayerCase> layers = {short_passes(machine)};
    for (uint64_t i = 0; i < kCases; ++i) {
      layers.push_back(random.draw(LayerCoverage()));
    }
    std::vector<LayerEvents> events = run_for_events(GetParam(), layers);
    for (size_t i = 0; i < events.size(); ++i) {
      runs.push_back({paper_layer(machine, layers[i].layer), std::move(events[i]), layers[i].layer});
    }
  }

  const dla_machine machine = shipped_machine(GetParam().machine).geometry;
  std::vector<RunLayer> runs;
};

/// 91 cycles of setup, max(rows, cols) + 3 of start, then the sequencer's steps, as long as its queues have room: the
/// first four loads and passes.
TEST_P(BufferRules, SequencerTakesItsSteps) {
  constexpr size_t kRoom = 4;
  for (const RunLayer& run : runs) {
    uint64_t cycle = run.at("ctrl start", 0) + 91 + std::max(machine.rows, machine.cols) + 3;
    size_t load = 0;
    for (size_t k = 0; k < std::min(kRoom, run.paper.passes.size()) && load < kRoom; ++k) {
      const PaperPass& pass = run.paper.passes[k];
      for (const uint32_t steps : pass.loads_before) {
        cycle += steps + 1;
        if (load < kRoom) {
          EXPECT_EQ(run.at("seq load", load), cycle);
        }
        ++load;
      }
      cycle += pass.steps_before + 1;
      if (load <= kRoom) {
        EXPECT_EQ(run.at("seq pass", k), cycle);
      }
    }
  }
}

/// A job and its first run take a cycle each once the job is seen; a chunk's token is there 2 cycles after its last
/// beat.
TEST_P(BufferRules, LoadsTakeTheirCycles) {
  constexpr uint64_t kLatency = 20;  // The `pipelined` DRAM's, to the first beat.
  for (const RunLayer& run : runs) {
    EXPECT_EQ(run.at("load read", 0), run.at("seq load", 0) + 1 + 1 + 1);
    EXPECT_GE(run.at("load end", 0), run.at("load read", 0) + kLatency);
    // Each chunk's token follows a last beat; all beats of a layer end with a token.
    uint64_t last_token = 0;
    for (const char* token : {"load ifmap", "load filter", "load addend"}) {
      for (const uint64_t cycle : run.events.of(token)) {
        const std::vector<uint64_t>& ends = run.events.of("load end");
        EXPECT_TRUE(std::binary_search(ends.begin(), ends.end(), cycle - 1)) << token << " in " << cycle;
        last_token = std::max(last_token, cycle);
      }
    }
    EXPECT_EQ(last_token - 1, run.events.of("load end").back());
  }
}

/// A set starts when its chunk is in the GLB, it is queued, the set before has moved and a half of the spads is free;
/// and takes its words.
TEST_P(BufferRules, FilterSetsTakeTheirWords) {
  uint64_t waited_for_chunk = 0, waited_for_half = 0, waited_for_set = 0;
  for (const RunLayer& run : runs) {
    uint64_t start_of_set_before = 0;
    for (size_t k = 0; k < run.paper.passes.size(); ++k) {
      const PaperPass& pass = run.paper.passes[k];
      if (!pass.new_set) {
        continue;
      }
      const uint64_t queued = run.at("seq pass", k) + 1, chunk = run.at("load filter", pass.chunk) + 1;
      const uint64_t moved = pass.set == 0 ? 0 : run.at("filter end", pass.set - 1) + 1;
      // The set before last is given up by the pass that starts on the last one.
      const uint64_t half = pass.set < 2 ? 0 : start_of_set_before + 1;
      const uint64_t start = std::max({queued, chunk, moved, half});
      EXPECT_EQ(run.at("filter start", pass.set), start);
      EXPECT_EQ(run.at("filter end", pass.set), start + pass.set_words);
      waited_for_chunk += chunk == start ? 1 : 0;
      waited_for_half += half == start ? 1 : 0;
      waited_for_set += moved == start ? 1 : 0;
      start_of_set_before = run.at("array start", k);
    }
  }
  EXPECT_TRUE(waited_for_chunk > 0 && waited_for_half > 0 && waited_for_set > 0) << "not all three were tight";
}

/// Bursts of a run from `addr` on.
uint32_t bursts_of(uint32_t addr, uint32_t bytes, uint32_t bus_bytes) {
  constexpr uint32_t kMaxBeats = 16, kBoundary = 4096;
  uint32_t bursts = 0;
  for (uint32_t end = addr + bytes; addr < end; ++bursts) {
    const uint32_t beats_end = (addr / bus_bytes + kMaxBeats) * bus_bytes;
    addr = std::min(beats_end, (addr / kBoundary + 1) * kBoundary);
  }
  return bursts;
}

/// Gathering a tile: a cycle a word, each row beginning one, and one more for a run that ends in the first bytes of a
/// beat which a word before has not begun.
struct Gathered {
  uint32_t cycles = 0;    ///< Up to the last word.
  uint32_t trailing = 0;  ///< The cycle behind it, if its run takes one.
  uint32_t beats = 0, bursts = 0;
};

Gathered gather(const RunLayer& run, const PaperPass& pass, uint32_t bus_bytes) {
  const uint32_t cols = run.paper.ofmap_cols, plane = run.paper.ofmap_rows * cols;
  const uint32_t row_words = (cols + bus_bytes - 1) / bus_bytes;
  if (run.paper.has_means) {
    const uint32_t first = pass.tile_addr, last = first + pass.filters - 1;
    return {pass.filters * pass.tile_rows * row_words, 0, last / bus_bytes - first / bus_bytes + 1,
            bursts_of(first, pass.filters, bus_bytes)};
  }
  const bool is_one = pass.tile_rows == run.paper.ofmap_rows;
  const uint32_t runs = is_one ? 1 : pass.filters, rows = is_one ? pass.filters * pass.tile_rows : pass.tile_rows;
  Gathered sum;
  for (uint32_t i = 0; i < runs; ++i) {
    const uint32_t first = pass.tile_addr + i * plane, last = first + rows * cols - 1;
    const uint32_t word_begins = last - (cols - 1) % bus_bytes;
    sum.cycles += sum.trailing + rows * row_words;
    sum.trailing = word_begins / bus_bytes != last / bus_bytes ? 1 : 0;
    sum.beats += last / bus_bytes - first / bus_bytes + 1;
    sum.bursts += bursts_of(first, rows * cols, bus_bytes);
  }
  return sum;
}

/// The first psum reaches post-processing and the last completes the tile when the page says; then the tile is gathered
/// at a cycle a word, from the cycle after it is seen on.
TEST_P(BufferRules, OutputTilesTakeTheirCycles) {
  constexpr uint32_t kQueueBeats = 32;
  uint32_t exact = 0, waited_for_residual = 0;
  for (const RunLayer& run : runs) {
    const bool adds = run.layer.shape.residual;
    uint64_t gatherer_free_from = 0;
    uint32_t bursts_before = 0, beats_before = 0;
    for (size_t k = 0; k < run.paper.passes.size(); ++k) {
      const PaperPass& pass = run.paper.passes[k];
      if (!pass.last_k) {
        continue;
      }
      const uint32_t D = run.paper.D;
      const uint64_t first = run.at("array start", k) + 1;
      const uint64_t last_product = PassClock(run.paper, run.events).last_product(k);
      EXPECT_EQ(run.at("post start", pass.tile), first + pass.slot - 1 + 7 + D);
      const uint64_t seen =
          last_product + (run.layer.shape.scaled ? 13 : 8) + (run.layer.shape.lookup ? 2 : 0) + D + pass.slot_words;
      EXPECT_EQ(run.at("post end", pass.tile) + 1, seen);
      const Gathered tile = gather(run, pass, machine.bus_bytes);
      const uint64_t residual = adds ? run.at("load addend", pass.tile) + 1 : 0;
      const uint64_t from = std::max({seen, gatherer_free_from, residual});
      // Later only where the queue of beats was full: not if it was empty and holds them all.
      const bool was_empty = bursts_before == 0 || run.at("store end", bursts_before - 1) < from;
      if ((was_empty && tile.beats < kQueueBeats - 1) || beats_before + tile.beats < kQueueBeats - 1) {
        EXPECT_EQ(run.at("store free", pass.tile), from + tile.cycles);
        ++exact;
        waited_for_residual += residual > seen && residual > gatherer_free_from ? 1 : 0;
        if (adds) {
          EXPECT_EQ(run.at("store addend", pass.tile), from + tile.cycles + tile.trailing + 1);
        }
      }
      // Two residuals are in the GLB at most: the next but one is loaded once its buffer has been read.
      if (adds && pass.tile >= 2) {
        EXPECT_GT(run.at("load addend", pass.tile), run.at("store addend", pass.tile - 2) + 1);
      }
      EXPECT_GE(run.at("store free", pass.tile), from + tile.cycles);
      gatherer_free_from = run.at("store free", pass.tile) + tile.trailing + 1;
      bursts_before += tile.bursts;
      beats_before += tile.beats;
    }
  }
  EXPECT_GT(exact, 0u);
  EXPECT_GT(waited_for_residual, 0u) << "no tile waited for its residual alone";
}

/// The first write burst is requested 3 cycles after its last word: two until the sender sees it, one to begin; 14 more
/// where a residual is added, 9 where means are taken.
TEST_P(BufferRules, TheFirstWriteFollowsItsLastWord) {
  constexpr uint32_t kMaxBeats = 16, kBoundary = 4096;
  for (const RunLayer& run : runs) {
    const auto pass = std::find_if(run.paper.passes.begin(), run.paper.passes.end(), [](auto& p) { return p.last_k; });
    const uint32_t cols = run.paper.ofmap_cols, addr = run.layer.ofmap_addr;
    if (run.paper.has_means) {
      const uint32_t means = std::min(
          {pass->filters, kMaxBeats * machine.bus_bytes - addr % machine.bus_bytes, kBoundary - addr % kBoundary});
      const uint32_t mean_words = pass->tile_rows * ((cols + machine.bus_bytes - 1) / machine.bus_bytes);
      EXPECT_EQ(run.at("store write", 0), run.at("post end", 0) + 1 + means * mean_words + 3 + 9);
      continue;
    }
    // Runs of all rows of the ofmap are one.
    const uint32_t run_rows = pass->tile_rows * (pass->tile_rows == run.paper.ofmap_rows ? pass->filters : 1);
    const uint32_t bytes = std::min(
        {run_rows * cols, kMaxBeats * machine.bus_bytes - addr % machine.bus_bytes, kBoundary - addr % kBoundary});
    const uint32_t row_words = (cols + machine.bus_bytes - 1) / machine.bus_bytes;
    const uint32_t words = bytes / cols * row_words + (bytes % cols + machine.bus_bytes - 1) / machine.bus_bytes;
    // A run that ends in a beat which its last word begins takes a cycle more.
    const uint32_t end = addr + bytes, last_word = end - 1 - (cols - 1) % machine.bus_bytes;
    const bool trails = bytes == run_rows * cols && last_word / machine.bus_bytes != (end - 1) / machine.bus_bytes;
    const bool adds = run.layer.shape.residual;
    const uint64_t begin = std::max(run.at("post end", 0), adds ? run.at("load addend", 0) : 0) + 1;
    EXPECT_EQ(run.at("store write", 0), begin + words + (trails ? 1 : 0) + 3 + (adds ? 14 : 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BufferRules, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
