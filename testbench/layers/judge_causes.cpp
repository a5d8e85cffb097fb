// SPDX-License-Identifier: Apache-2.0
/// \file
/// Has every cycle of the layer the cause that docs/timing.md gives it?
#include <gtest/gtest.h>

#include <algorithm>

#include "judges.h"
#include "timing/pass_clock.h"

namespace fovea {
namespace {

/// Cycles of a layer.
struct Causes {
  uint64_t compute = 0, psum = 0, filter = 0, ifmap = 0, dram = 0, output = 0, control = 0;
};

/// Walks the passes from one to the next: what the array does, then what it waits for.
class CauseWalk {
 public:
  CauseWalk(const PaperLayer& layer, const LayerEvents& events)
      : layer_(layer), events_(events), clock_(layer, events) {}

  Causes walk() {
    // The first cycle of a layer is the one after START.
    now_ = events_.at("ctrl start", 0) + 1;
    for (size_t k = 0; k < layer_.passes.size(); ++k) {
      wait_for_window(k);
      wait_for_set(k);
      const Rules rules = clock_.rules(k);
      wait_until(std::max({rules[3], rules[4], rules[5]}), causes_.psum);
      wait_until(rules[2], causes_.output);
      wait_until(events_.at("array start", k) + 1, causes_.control);
      run(k);
    }
    wait_until(events_.at("ctrl end", 0) + 1, causes_.output);
    return causes_;
  }

 private:
  void wait_until(uint64_t cycle, uint64_t& cause) {
    if (cycle > now_) {
      cause += cycle - now_;
      now_ = cycle;
    }
  }

  /// Waits up to `cycle`, which came `late` cycles later because a chunk was missing.
  void wait_for_chunk(uint64_t cycle, uint64_t late, uint64_t& cause) {
    wait_until(std::min(cycle, now_ + late), causes_.dram);
    wait_until(cycle, cause);
  }

  void wait_for_window(size_t k) {
    wait_until(clock_.queued(k), causes_.control);
    if (clock_.overlaps(k)) {
      return;
    }
    const bool in_last_step = k > 0 && clock_.queued(k) <= clock_.last_step(k - 1);
    const uint64_t due = in_last_step ? clock_.last_step(k - 1) : now_;
    const uint64_t asked = clock_.window(k);
    wait_for_chunk(asked + layer_.passes[k].fill + 1, asked - due, causes_.ifmap);
  }

  void wait_for_set(size_t k) {
    const PaperPass& pass = layer_.passes[k];
    if (!pass.new_set) {
      return;
    }
    const uint64_t moved = pass.set == 0 ? 0 : events_.at("filter end", pass.set - 1) + 1;
    const uint64_t half = pass.set < 2 ? 0 : set_started_ + 1;
    const uint64_t due = std::max({clock_.queued(k), moved, half});
    set_started_ = events_.at("array start", k);
    wait_for_chunk(events_.at("filter end", pass.set) + 1, events_.at("filter start", pass.set) - due, causes_.filter);
  }

  void run(size_t k) {
    const PaperPass& pass = layer_.passes[k];
    const uint64_t end = clock_.end(k) + 1, slots = uint64_t{layer_.F} * pass.p;
    causes_.compute += slots * pass.products;
    causes_.psum += slots * (pass.slot - pass.products);
    causes_.ifmap += end - now_ - slots * pass.slot;
    now_ = end;
  }

  const PaperLayer& layer_;
  const LayerEvents& events_;
  const PassClock clock_;
  uint64_t now_ = 0;          ///< The first cycle without a cause.
  uint64_t set_started_ = 0;  ///< When a pass started on the last set.
  Causes causes_;
};

}  // namespace

void judge_causes(const LayerRun& run, Tally& tally) {
  const Causes expected = CauseWalk(run.paper, run.events).walk();
  const dla_counters& n = run.rtl.counters;
  EXPECT_EQ(n.compute_cycles, expected.compute);
  EXPECT_EQ(n.psum_cycles, expected.psum);
  EXPECT_EQ(n.filter_cycles, expected.filter);
  EXPECT_EQ(n.ifmap_cycles, expected.ifmap);
  EXPECT_EQ(n.dram_cycles, expected.dram);
  EXPECT_EQ(n.output_cycles, expected.output);
  EXPECT_EQ(n.control_cycles, expected.control);
  tally.seen["a cycle waits for filters"] += expected.filter;
  tally.seen["a cycle waits for the ifmap"] += expected.ifmap;
  tally.seen["a cycle waits for the DRAM"] += expected.dram;
  tally.seen["a cycle waits for outputs"] += expected.output;
}

}  // namespace fovea
